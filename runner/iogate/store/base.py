"""What a history must do. One file a backend; the registry is in ``iogate.store``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from iogate.errors import StoreError
from iogate.metrics import Metric
from iogate.model.decision import Decision
from iogate.model.measurement import Measurement, Series
from iogate.model.night import Night, RunFacts
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.model.steady import DevicePrecondition
from iogate.model.verdict import Outcome, RunVerdict

# Everything but a fail. A first run has nothing to be compared with, and one of a young baseline
# vouches for nothing; neither found anything wrong. Without them no history could begin, or
# grow old, where a missing baseline or an inconclusive limit blocks. What was disturbed in a run
# is in no baseline (``iogate.model.measurement.undisturbed``).
ACCEPTED = (Outcome.PASS, Outcome.WARN, Outcome.MISSING_BASELINE, Outcome.INCONCLUSIVE)

# A run in which one case failed has measured the others.
NIGHTS = (RunStatus.COMPLETE, RunStatus.FAILED)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a server will never take, and what it said."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """How what was kept on the local disk gets to the server: how many items got there now,
    how many still wait, what was refused for good, and why it stopped, if it did. A local
    store is always delivered."""

    delivered: int = 0
    waiting: int = 0
    refused: tuple[Refusal, ...] = ()
    problem: StoreError | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be told of it, a sentence each; nothing where all is delivered."""
        notes = []
        if self.waiting:
            why = f": {self.problem.what}" if self.problem else ""
            they, wait, are = ("item", "waits", "It is")
            if self.waiting > 1:
                they, wait, are = ("items", "wait", "They are")
            notes.append(
                f"{self.waiting} {they} of the history {wait} on the local disk{why}. {are}"
                " delivered by the next run, or by: iogate history sync --store URL"
            )
        return (*notes, *(f"{each.what} is kept apart: {each.why}" for each in self.refused))


def is_accepted(status: RunStatus, outcome: str | None) -> bool:
    """Whether a run may be compared with, as far as its end tells."""
    return status is RunStatus.COMPLETE and outcome in ACCEPTED


def is_baseline(facts: RunFacts, comparable: Callable[[RunFacts], bool] | None) -> bool:
    """Whether an accepted run may be compared with. One of two arms never: its repetitions
    are of both. Nor is one of a pull request."""
    return facts.is_level and (comparable is None or comparable(facts))


class Store(Protocol):
    """A history of runs. Every method raises StoreError for what the backend refuses; what
    was kept before stays."""

    def begin_run(self, run: Run) -> None:
        """Record a run that starts; its measurements are added one by one. What the run
        already holds is kept too. StoreError when its id is taken."""

    def add_runs(self, runs: Iterable[Run]) -> int:
        """Keep whole runs with all that they hold, in one go. One whose id is kept already
        stays as it is. The answer is how many were new."""

    def add_measurement(self, run_id: str, measurement: Measurement) -> None:
        """Keep one repetition, durably, before this returns; writing it again changes nothing."""

    def add_failure(self, run_id: str, failure: CaseFailure) -> None:
        """Keep that a repetition gave nothing."""

    def keep_preconditions(self, run_id: str, preconditions: Sequence[DevicePrecondition]) -> None:
        """Keep what state the devices of a run were brought into, in place of what was kept of
        that before. StoreError for a run that was never begun."""

    def finish_run(
        self, run_id: str, *, status: RunStatus, finished_ns: int, verdict: RunVerdict | None
    ) -> None:
        """Close a run with its verdict."""

    def remove_runs(self, run_ids: Collection[str]) -> int:
        """Remove runs with all that they hold, for good. What was decided about their nights
        stays. An id that is not kept is passed over; the answer is how many were."""

    def run(self, run_id: str) -> Run:
        """One run with its measurements; a unique prefix of its id will do. UsageError when
        there is none, or when several begin so."""

    def runs(
        self,
        *,
        spec: str | None = None,
        host: str | None = None,
        limit: int | None = None,
        verdicts: bool = True,
    ) -> Sequence[Run]:
        """Runs without measurements, newest first. ``host`` is a machine id or a name. Verdicts
        are most of what there is to read: who needs none leaves them out."""

    def baseline(
        self,
        case_ids: Sequence[str],
        *,
        machine_id: str,
        before_ns: int,
        window: int,
        comparable: Callable[[RunFacts], bool] | None = None,
    ) -> Sequence[Run]:
        """The last ``window`` accepted runs (complete, with an outcome in ACCEPTED) on a host
        that started before ``before_ns`` and measured one of the cases; newest first, with
        the measurements of those cases only, and without their time series. Runs that are
        not ``comparable`` do not count."""

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

    def run_ids(self) -> Sequence[str]:
        """The id of every run, oldest first (by start, then by id). Nothing else of a run is
        read, so this works when one of them is damaged."""

    def unfinished(self, machine_id: str) -> Sequence[str]:
        """The id of every run on a host of which no end was recorded, oldest first: it is being
        measured, or was killed."""

    def replace_series(
        self, run_id: str, case_id: str, repetition: int, series: Sequence[Series | None]
    ) -> None:
        """Put others in the place of the time series of a repetition: one for each of its
        jobs, in their order, None for none. All else of the repetition stays. StoreError when
        it is not kept."""

    def setting(self, name: str) -> str | None:
        """What was last set under a name; None for nothing."""

    def set_setting(self, name: str, value: str | None) -> None:
        """Keep a text that holds for the history itself, durably; None removes it."""

    def check(self) -> Sequence[str]:
        """What the backend finds wrong with itself, a sentence each. Runs that cannot be
        read are found by reading them."""

    def compact(self) -> None:
        """Give back the space of what was removed, where the backend can."""

    def sync(self, *, retry_refused: bool = False) -> Delivery:
        """Deliver what waits on the local disk, from this run and earlier ones. A server that
        cannot be had is told in the result; StoreError is for the local disk."""

    def close(self) -> None:
        """Release the backend."""
