"""What GitHub Actions is told: annotations on the spec's lines, and the job summary.

Everything that comes from a spec is hostile here: it is escaped as workflow commands
ask for, so that no name can start a command of its own.
"""

from __future__ import annotations

import os
from pathlib import Path

from iogate.model.run import Run
from iogate.model.verdict import Outcome

_LIMIT = 10  # annotations of one type that a step may make
_LEVELS = {
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
    lines: list[str] = []
    made = dict.fromkeys(_LEVELS.values(), 0)
    cases = {case.id: case.name for case in run.plan.cases}
    for verdict in run.verdict.thresholds if run.verdict else ():
        level = _LEVELS.get(verdict.outcome)
        if not level or made[level] >= _LIMIT:
            continue
        made[level] += 1
        where = verdict.threshold.where
        place = (
            f" file={_property(where.file)},line={where.line},col={where.column}" if where else ""
        )
        name = cases.get(verdict.case_id, verdict.case_id)
        title = f"{name}: {verdict.threshold.metric} {verdict.threshold.limit.text}"
        separator = "," if place else " "
        lines.append(
            f"::{level}{place}{separator}title={_property(title)}::{_data(verdict.reason)}"
        )
    return lines


def append_summary(text: str) -> None:
    """Add Markdown to the job summary, where there is one."""
    if path := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(path).open("a", encoding="utf-8") as out:
            out.write(text + "\n")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
