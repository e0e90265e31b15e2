"""What a history must do. One file a backend; the registry is in ``iogate.store``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from iogate.metrics import Metric
from iogate.model.decision import Decision
from iogate.model.measurement import Measurement
from iogate.model.night import Night
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.model.verdict import Outcome, RunVerdict

# A first run has nothing to be compared with and found nothing wrong: without it no
# history could ever begin where a missing baseline blocks.
ACCEPTED = (Outcome.PASS, Outcome.WARN, Outcome.MISSING_BASELINE)

# A run in which one case failed has measured the others.
NIGHTS = (RunStatus.COMPLETE, RunStatus.FAILED)


class Store(Protocol):
    """A history of runs. Every method raises StoreError for what the backend refuses; what
    was kept before stays."""

    def begin_run(self, run: Run) -> None:
        """Record a run that starts; its measurements are added one by one. What the run
        already holds is kept too. StoreError when its id is taken."""

    def add_measurement(self, run_id: str, measurement: Measurement) -> None:
        """Keep one repetition, durably, before this returns; writing it again changes nothing."""

    def add_failure(self, run_id: str, failure: CaseFailure) -> None:
        """Keep that a repetition gave nothing."""

    def finish_run(
        self, run_id: str, *, status: RunStatus, finished_ns: int, verdict: RunVerdict | None
    ) -> None:
        """Close a run with its verdict."""

    def run(self, run_id: str) -> Run:
        """One run with its measurements; a unique prefix of its id will do. UsageError when
        there is none, or when several begin so."""

    def runs(
        self, *, spec: str | None = None, host: str | None = None, limit: int | None = None
    ) -> Sequence[Run]:
        """Runs without measurements, newest first. ``host`` is a machine id or a name."""

    def baseline(
        self, case_ids: Sequence[str], *, machine_id: str, before_ns: int, window: int
    ) -> Sequence[Run]:
        """The last ``window`` accepted runs (complete, with an outcome in ACCEPTED) on a host
        that started before ``before_ns`` and measured one of the cases; newest first, with
        the measurements of those cases only, and without their time series."""

    def nights(
        self,
        case_ids: Sequence[str],
        *,
        metrics: Sequence[Metric] | None = None,
        host: str | None = None,
        limit: int | None = None,
    ) -> Sequence[Night]:
        """The runs in NIGHTS that measured one of the cases, as points of a trend: oldest
        first, at most the ``limit`` newest of each host. ``host`` is a machine id or a name.
        ``metrics`` are what each point has; None is everything that was kept as a number
        when it was measured, which is much quicker to read than what was not."""

    def add_decision(self, decision: Decision) -> None:
        """Keep what a person decided, durably, before this returns."""

    def decisions(self) -> Sequence[Decision]:
        """All of them, in the order in which they were taken."""

    def close(self) -> None:
        """Release the backend."""
