"""What to type to measure again, or on."""

from __future__ import annotations

from iogate.model.run import Run, RunStatus
from iogate.model.verdict import Outcome
from iogate_reports.text import command_line, short, without_options

_LENGTH = 1000
_ID = 12


def commands(run: Run) -> tuple[tuple[str, str], ...]:
    """What it does, and the command. A comparison that went on was measured with a command that
    cannot be given again: what it went on with has been gone on with."""
    rule = run.plan.comparison
    is_part = rule is not None and rule.parts
    told = []
    if run.command:
        again = tuple(without_options(run.command, ("--output",)))
        label = "Measured with" if is_part else "Measure again"
        told.append((label, short(command_line(again), _LENGTH)))
    if _is_undecided(run):
        told.append(("More blocks of this", f"iogate ab --more {run.id[:_ID]}"))
    return tuple(told)


def _is_undecided(run: Run) -> bool:
    """Whether it is a comparison that more blocks may decide."""
    rule, verdict = run.plan.comparison, run.verdict
    if rule is None or rule.canary or verdict is None or run.status is RunStatus.RUNNING:
        return False
    outcomes = {limit.outcome for limit in verdict.thresholds if limit.threshold.limit.vs_baseline}
    return Outcome.INCONCLUSIVE in outcomes and Outcome.FAIL not in outcomes
