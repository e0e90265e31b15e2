"""What GitHub Actions is told: annotations on the spec's lines, and the job summary.

Everything that comes from a spec is hostile here: it is escaped as workflow commands
ask for, so that no name can start a command of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from iogate.cli.table import printable
from iogate.model.run import Run, RunStatus
from iogate.model.verdict import Outcome, ThresholdVerdict

VOUCHES_FOR_NOTHING = "This run vouches for nothing: no limit was decided."
_TITLE_LENGTH = 240  # GitHub shows 255 characters
_LIMIT = 10  # annotations of one type that a step may make
_LEVELS = {  # worst first
    Outcome.FAIL: "error",
    Outcome.WARN: "warning",
    Outcome.INCONCLUSIVE: "warning",
    Outcome.MISSING_BASELINE: "notice",
}


def active() -> bool:
    """Whether this runs in a workflow step."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def annotation_lines(run: Run) -> list[str]:
    """Workflow commands that put each unmet threshold on its line of the spec."""
    room = dict.fromkeys(_LEVELS.values(), _LIMIT)
    if run.status is not RunStatus.COMPLETE:
        room["error"] -= 1  # the action says in one that the run failed
    cases = run.plan.names
    lines = list(_vouches_for_nothing(run))
    room["warning"] -= len(lines)
    for verdict in _worst_first(run):
        level = _LEVELS[verdict.outcome]
        if room[level]:
            room[level] -= 1
            lines.append(_annotation(level, verdict, cases))
    cautions = run.verdict.cautions if run.verdict else ()
    return lines + [f"::warning ::{_data(text)}" for text in cautions[: room["warning"]]]


def _vouches_for_nothing(run: Run) -> Iterator[str]:
    """The first annotation that a check shows, whose title says what a green check would hide."""
    if run.verdict and run.verdict.vouches_for_nothing:
        title = f"{run.plan.spec_name}: vouches for nothing"[:_TITLE_LENGTH]
        yield f"::warning title={_property(title)}::{_data(run.verdict.sentence)}"


def _worst_first(run: Run) -> list[ThresholdVerdict]:
    verdicts = run.verdict.thresholds if run.verdict else ()
    order = list(_LEVELS)
    unmet = [verdict for verdict in verdicts if verdict.outcome in _LEVELS]
    return sorted(unmet, key=lambda verdict: order.index(verdict.outcome))


def _annotation(level: str, verdict: ThresholdVerdict, cases: Mapping[str, str]) -> str:
    where, threshold = verdict.threshold.where, verdict.threshold
    title = f"{cases.get(verdict.case_id, verdict.case_id)}: {threshold.metric}"
    title = _property(f"{title} {threshold.limit.text}"[:_TITLE_LENGTH])
    place = ""
    if where:
        place = f"file={_property(_in_repository(where.file))},line={where.line},"
        place += f"col={where.column},"
    return f"::{level} {place}title={title}::{_data(verdict.reason)}"


def _in_repository(file: str) -> str:
    """The path as the repository has it: the spec's is seen from where iogate was started."""
    root = os.environ.get("GITHUB_WORKSPACE")
    if not root:
        return file
    inside = os.path.relpath(os.path.realpath(Path.cwd() / file), os.path.realpath(root))
    return file if inside.startswith("..") else inside


def append_summary(text: str) -> None:
    """Add Markdown to the job summary, where there is one."""
    if path := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(path).open("a", encoding="utf-8") as out:
            out.write(text + "\n")


def _data(text: str) -> str:
    """What a command says: one line that any stream takes, whatever bytes a path was made of."""
    return printable(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
