"""What to type to measure again, or on, or to find what made it worse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iogate.model.commit import is_commit
from iogate.model.run import Run, RunStatus
from iogate.model.verdict import Outcome
from iogate_reports.text import command_line, short, without_options

_LENGTH = 1000
_ID = 12


def commands(run: Run, baseline: Sequence[Run] = ()) -> tuple[tuple[str, str], ...]:
    """What it does, and the command. A comparison that went on was measured with a command that
    cannot be given again: what it went on with has been gone on with. ``baseline`` is newest
    first."""
    rule = run.plan.comparison
    is_part = rule is not None and rule.parts
    told = []
    if run.command:
        again = tuple(without_options(run.command, ("--output",)))
        label = "Measured with" if is_part else "Measure again"
        told.append((label, short(command_line(again), _LENGTH)))
    if _is_undecided(run):
        told.append(("More blocks of this", f"iogate ab --more {run.id[:_ID]}"))
    return (*told, *_searches(run, baseline))


def _searches(run: Run, baseline: Sequence[Run]) -> Iterator[tuple[str, str]]:
    """What came since the newest run of the baseline, where a limit against it failed."""
    thresholds = run.verdict.thresholds if run.verdict else ()
    failed = any(v.outcome is Outcome.FAIL and v.threshold.limit.vs_baseline for v in thresholds)
    if not failed or not baseline or run.plan.comparison is not None or run.revision.dirty:
        return
    good, bad = baseline[0].revision.commit, run.revision.commit
    if good == bad or not (is_commit(good) and is_commit(bad)):
        return
    good, bad = good[:_ID], bad[:_ID]
    yield "What came in", f"git log --oneline {good}..{bad}"
    search = command_line(("iogate", "bisect", run.plan.spec_file, "--good", good, "--bad", bad))
    yield "Find which it was", f"{short(search, _LENGTH)} -- BUILD COMMAND"


def _is_undecided(run: Run) -> bool:
    """Whether it is a comparison that more blocks may decide."""
    rule, verdict = run.plan.comparison, run.verdict
    if rule is None or rule.canary or verdict is None or run.status is RunStatus.RUNNING:
        return False
    outcomes = {limit.outcome for limit in verdict.thresholds if limit.threshold.limit.vs_baseline}
    return Outcome.INCONCLUSIVE in outcomes and Outcome.FAIL not in outcomes
