"""A history on an InfluxDB server, behind a spool on the local disk.

What is written is on the local disk when a call returns, and goes to the server then, or
whenever there is one. What is read comes from the server, after all that waits is there.
"""

from __future__ import annotations

import hashlib
import re
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path

from iogate.errors import RunError, StoreError, UsageError
from iogate.files.data_folder import data_folder
from iogate.metrics import Metric
from iogate.model.decision import Decision
from iogate.model.measurement import Measurement, Series
from iogate.model.night import Night, RunFacts
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.model.steady import DevicePrecondition
from iogate.model.verdict import RunVerdict
from iogate.store.base import Delivery, is_accepted, is_baseline
from iogate.store.influx import points, reading
from iogate.store.influx.address import Address
from iogate.store.influx.items import (
    Begun,
    failure_item,
    items_of,
    measurement_item,
    verdict_item,
)
from iogate.store.influx.line import tag_text
from iogate.store.influx.nights import read_nights
from iogate.store.influx.reading import Known
from iogate.store.influx.removal import remove_run
from iogate.store.question import Question
from iogate.store.sender import Sender
from iogate.store.server import Server, SetupError, UnreachableError
from iogate.store.spool import Item, Spool

_RUNS_AT_ONCE = 50
_WAITS = (
    "what was measured waits on the local disk; deliver it later with: iogate history sync"
    " --store URL"
)
_UNREADABLE = (
    zlib.error, ValueError, TypeError, LookupError, ArithmeticError, AttributeError,
)  # fmt: skip


def spool_path(address: Address) -> Path:
    """The spool of a place on a server, the same for every process of the user."""
    digest = hashlib.sha256(str(address).encode()).hexdigest()[:12]
    host = re.sub(r"[^\w.-]", "_", address.host)[:40]
    return data_folder() / "spool" / f"{address.kind}-{host}-{digest}.sqlite"


class InfluxStore:
    """See ``store.base.Store``."""

    def __init__(self, address: Address, server: Server) -> None:
        self._place = str(address)
        self._server = server
        self._closed = False
        self._begun: dict[str, Begun] = {}
        try:
            self._spool = Spool(spool_path(address))
        except BaseException:
            server.close()
            raise
        self._sender = Sender(self._spool, server, address.timeout_s)

    def begin_run(self, run: Run) -> None:
        with self._open():
            self._refuse_taken(run.id)
            begun = Begun.of(run)
            self._spool.add(items_of(run, begun))
            self._begun[run.id] = begun
            self._sender.offer()

    def add_runs(self, runs: Iterable[Run]) -> int:
        with self._reading():
            kept = {known.id for known in reading.known_runs(self._server)}
            count, rest = 0, iter(runs)
            while some := list(islice(rest, _RUNS_AT_ONCE)):
                fresh = {run.id: run for run in reversed(some) if run.id not in kept}
                kept |= fresh.keys()
                count += len(fresh)
                self._spool.add(
                    item for run in fresh.values() for item in items_of(run, Begun.of(run))
                )
                self._sender.offer()
            return count

    def add_measurement(self, run_id: str, measurement: Measurement) -> None:
        with self._open():
            begun = self._find_begun(run_id)
            if (measurement.case_id, measurement.repetition) not in begun.measured:
                self._spool.add([measurement_item(begun, measurement)])
                begun.measured.add((measurement.case_id, measurement.repetition))
                self._sender.offer()

    def add_failure(self, run_id: str, failure: CaseFailure) -> None:
        with self._open():
            begun = self._find_begun(run_id)
            if (failure.case_id, failure.repetition) not in begun.failed:
                self._spool.add([failure_item(begun, failure)])
                begun.failed.add((failure.case_id, failure.repetition))
                self._sender.offer()

    def keep_preconditions(self, run_id: str, preconditions: Sequence[DevicePrecondition]) -> None:
        with self._open():
            line = points.precondition_line(self._find_begun(run_id).key, preconditions)
            self._spool.add([Item(f"the preconditions of run {run_id}", line)])
            self._sender.offer()

    def finish_run(
        self, run_id: str, *, status: RunStatus, finished_ns: int, verdict: RunVerdict | None
    ) -> None:
        with self._open():
            begun = self._find_begun(run_id)
            self._spool.add([verdict_item(begun, status, finished_ns, verdict)])
            self._sender.offer()

    def remove_runs(self, run_ids: Collection[str]) -> int:
        asked = set(run_ids)
        with self._reading():
            gone = [run for run in self._newest_first() if run.id in asked]
            for run in gone:
                remove_run(self._server, run)
                self._begun.pop(run.id, None)
            return len(gone)

    def run(self, run_id: str) -> Run:
        with self._reading():
            known = self._only(run_id)
            runs = reading.read_runs(self._server, [known])
            if not runs:
                raise StoreError(
                    f"run {known.id} is not whole in {self._place}",
                    remedy="the machine that measured it has the rest: iogate history sync there",
                )
            measured = reading.read_measurements(self._server, [known], series=True)
            return replace(runs[0], measurements=measured.get(known.id, ()))

    def runs(
        self,
        *,
        spec: str | None = None,
        host: str | None = None,
        limit: int | None = None,
        verdicts: bool = True,
    ) -> Sequence[Run]:
        wanted_spec = None if spec is None else tag_text(spec)
        wanted_host = None if host is None else tag_text(host)
        with self._reading():
            known = [
                run
                for run in self._newest_first()
                if wanted_spec in (None, run.spec)
                and wanted_host in (None, run.machine_id, run.host)
            ]
            wanted = known if limit is None else known[:limit]
            return reading.read_runs(self._server, wanted, verdicts=verdicts)

    def baseline(
        self,
        case_ids: Sequence[str],
        *,
        machine_id: str,
        before_ns: int,
        window: int,
        comparable: Callable[[RunFacts], bool] | None = None,
    ) -> Sequence[Run]:
        with self._reading():
            fit = [
                run
                for run in self._newest_first()
                if run.machine_id == tag_text(machine_id)
                and run.started_ns < before_ns
                and is_accepted(run.status, run.outcome)
            ]
            cases = frozenset(case_ids)
            measured = islice(self._measured(fit, cases, window, comparable), max(window, 0))
            measurements = dict(measured)
            chosen = [run for run in fit if run.id in measurements]
            runs = reading.read_runs(self._server, chosen)
            return [replace(run, measurements=measurements[run.id]) for run in runs]

    def nights(
        self,
        case_ids: Sequence[str],
        *,
        metrics: Sequence[Metric] | None = None,
        host: str | None = None,
        limit: int | None = None,
    ) -> Sequence[Night]:
        wanted_host = None if host is None else tag_text(host)
        with self._reading():
            return read_nights(self._server, Question(case_ids, metrics, wanted_host, limit))

    def add_decision(self, decision: Decision) -> None:
        with self._open():
            line = points.decision_line(decision, time.time_ns())
            self._spool.add([Item(f"what was decided on {decision.alert}", line)])
            self._sender.offer()

    def decisions(self) -> Sequence[Decision]:
        with self._reading():
            return reading.read_decisions(self._server)

    def run_ids(self) -> Sequence[str]:
        with self._reading():
            return [run.id for run in reversed(self._newest_first())]

    def unfinished(self, machine_id: str) -> Sequence[str]:
        with self._reading():
            return [
                run.id
                for run in reversed(self._newest_first())
                if run.machine_id == tag_text(machine_id) and run.status is RunStatus.RUNNING
            ]

    def replace_series(
        self, run_id: str, case_id: str, repetition: int, series: Sequence[Series | None]
    ) -> None:
        with self._reading():
            known = [run for run in self._newest_first() if run.id == run_id]
            measured = reading.read_measurements(self._server, known, [case_id], series=True)
            for measurement in measured.get(run_id, ()):
                if measurement.repetition == repetition:
                    self._replace_series(known[0], measurement, series)
                    return
            raise StoreError(
                f"{self._place} has no repetition {repetition} of {case_id} in run {run_id!r}",
                remedy="it was removed meanwhile: nothing is left to do",
            )

    def setting(self, name: str) -> str | None:
        with self._reading():
            return reading.read_setting(self._server, name)

    def set_setting(self, name: str, value: str | None) -> None:
        with self._open():
            at_ns = max(time.time_ns(), self._last_set_ns(name) + 1)
            line = points.setting_line(name, value, at_ns)
            self._spool.add([Item(f"the setting {name}", line)])
            self._sender.offer()

    def check(self) -> Sequence[str]:
        with self._reading():
            return [f"{each.what} was refused: {each.why}" for each in self._spool.refused()]

    def compact(self) -> None:
        with self._open():
            pass  # the server does so by itself

    def sync(self, *, retry_refused: bool = False) -> Delivery:
        with self._open():
            return self._sender.sync(retry_refused=retry_refused)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._spool.close()
            self._server.close()

    def _refuse_taken(self, run_id: str) -> None:
        """Also where a wrong token, a missing bucket or a newer history is found out, before
        anything is measured. A server that is away for now does not stop a run."""
        taken = run_id in self._begun
        with suppress(UnreachableError):
            self._sender.deliver()
            taken = taken or any(run.id == run_id for run in reading.known_runs(self._server))
        if taken:
            raise StoreError(
                f"the history {self._place} already has a run {run_id!r}",
                remedy="a run is begun once",
            )

    def _find_begun(self, run_id: str) -> Begun:
        """Of this process, or of another one that the server knows of."""
        if run_id not in self._begun:
            self._sender.deliver()
            known = [run for run in reading.known_runs(self._server) if run.id == run_id]
            begun_runs = reading.read_runs(self._server, known)
            if not begun_runs:
                raise StoreError(
                    f"the history {self._place} has no run {run_id!r}",
                    remedy="begin it first; if it was removed while it ran, run again",
                )
            begun = Begun.of(begun_runs[0])
            begun.measured |= reading.repetitions(self._server, points.REPETITION, known[0])
            begun.failed |= reading.repetitions(self._server, points.FAILURE, known[0])
            self._begun[run_id] = begun
        return self._begun[run_id]

    def _last_set_ns(self, name: str) -> int:
        """The newest change of a setting counts, and the clock may have been ahead then."""
        with suppress(UnreachableError, SetupError):
            self._sender.deliver()
            return reading.setting_ns(self._server, name)
        return 0  # a server that is away stops nobody

    def _newest_first(self) -> list[Known]:
        return sorted(reading.known_runs(self._server), key=lambda run: run.age, reverse=True)

    def _only(self, run_id: str) -> Known:
        matching = [run for run in self._newest_first() if run.id.startswith(run_id)]
        exact = [run for run in matching if run.id == run_id]
        if not matching:
            raise UsageError(
                f"{self._place} has no run {run_id!r}", remedy="list them with: iogate history list"
            )
        if len(matching) > 1 and not exact:
            several = ", ".join(run.id for run in matching[:5])
            raise UsageError(
                f"{run_id!r} is the beginning of several runs: {several}",
                remedy="give more of its id",
            )
        return exact[0] if exact else matching[0]

    def _measured(
        self,
        runs: Sequence[Known],
        cases: frozenset[str],
        step: int,
        comparable: Callable[[RunFacts], bool] | None,
    ) -> Iterator[tuple[str, tuple[Measurement, ...]]]:
        """Those of the runs that are comparable and measured one of the cases."""
        rest = iter(runs)
        while some := list(islice(rest, max(step, 1))):
            facts = reading.read_facts(self._server, some)
            some = [
                run for run in some if run.id in facts and is_baseline(facts[run.id], comparable)
            ]
            measurements = reading.read_measurements(self._server, some, cases, series=False)
            yield from ((run.id, measurements[run.id]) for run in some if run.id in measurements)

    def _replace_series(
        self, known: Known, old: Measurement, series: Sequence[Series | None]
    ) -> None:
        """At once and not by way of the spool: it is no result that could be lost."""
        (run,) = reading.read_runs(self._server, [known])
        key = points.run_key(run)
        parts = reading.series_parts(self._server, known, old.case_id, old.repetition)
        jobs = tuple(replace(job, series=each) for job, each in zip(old.jobs, series, strict=True))
        tags = key.repetition_tags(old.case_id, old.repetition)
        last_ns = old.started_ns + max(points.lasted_ns(old), old.duration_ns)
        self._server.delete(points.INTERVAL, tags, old.started_ns, last_ns)
        lines = points.series_lines(key, replace(old, jobs=jobs), parts)
        self._server.write("\n".join(lines).encode())

    @contextmanager
    def _open(self) -> Iterator[None]:
        if self._closed:
            raise StoreError(f"the history {self._place} is closed", remedy="open it again")
        try:
            yield
        except UnreachableError as error:
            if self._spool.waiting():
                error.remedy = _WAITS
            raise

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Around all that reads: what waits is delivered first, and a point may be damaged."""
        with self._open():
            self._sender.deliver()
            try:
                yield
            except (StoreError, UsageError):
                raise
            except RunError as error:
                raise self._unreadable(error.what, error.remedy) from error
            except _UNREADABLE as error:
                raise self._unreadable(
                    repr(error), "another program may write there: give another --store"
                ) from error

    def _unreadable(self, why: str, remedy: str) -> StoreError:
        return StoreError(
            f"the history {self._place} holds something unreadable: {why}", remedy=remedy
        )
