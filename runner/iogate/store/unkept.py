"""A history that a run is judged by and does not become part of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from iogate.model.measurement import Measurement
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.model.steady import DevicePrecondition
from iogate.model.verdict import RunVerdict
from iogate.store.base import Store


def unkept(store: Store) -> Store:
    """Reads are those of the store, and nothing of a run is written to it."""
    return cast("Store", _Unkept(store))


class _Unkept:
    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def begin_run(self, run: Run) -> None:
        """Keeps nothing."""

    def add_measurement(self, run_id: str, measurement: Measurement) -> None:
        """Keeps nothing."""

    def add_failure(self, run_id: str, failure: CaseFailure) -> None:
        """Keeps nothing."""

    def keep_preconditions(self, run_id: str, preconditions: Sequence[DevicePrecondition]) -> None:
        """Keeps nothing."""

    def finish_run(
        self, run_id: str, *, status: RunStatus, finished_ns: int, verdict: RunVerdict | None
    ) -> None:
        """Keeps nothing."""
