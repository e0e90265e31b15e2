"""The newest night of each host, and whether it failed."""

from __future__ import annotations

from collections.abc import Iterable

from iogate.model.run import Run, RunStatus
from iogate.model.verdict import Outcome


def newest_nights(runs: Iterable[Run]) -> list[Run]:
    """Of each spec and host the newest run that has ended, in the order of ``runs``, which are
    newest first. A comparison is no night, nor is a run of a pull request."""
    newest: dict[tuple[str, str], Run] = {}
    for run in runs:
        if run.is_level and run.status is not RunStatus.RUNNING:
            newest.setdefault((run.plan.spec_name, run.host.machine_id), run)
    return list(newest.values())


def has_failed(run: Run) -> bool:
    """Whether a limit failed, or it was not measured to its end."""
    failed = run.verdict is not None and run.verdict.outcome is Outcome.FAIL
    return failed or run.status is not RunStatus.COMPLETE
