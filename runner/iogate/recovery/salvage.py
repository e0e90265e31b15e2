"""A run folder, or what is left of it → a run, and a sentence for each part that is broken."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from iogate import exits
from iogate.engine.series_left import lacking, with_kept, with_series
from iogate.errors import NewerError, RunError, UsageError
from iogate.files import bounded
from iogate.files.run_folder import RUN, read_document
from iogate.gate.judge import judge
from iogate.model.document import (
    measurement_from_document,
    plan_from_document,
    run_from_document,
    verdict_from_document,
)
from iogate.model.measurement import Measurement
from iogate.model.names import is_run_id
from iogate.model.plan import Plan
from iogate.model.run import Host, Revision, Run, RunStatus
from iogate.model.verdict import WORST_FIRST, Outcome, RunVerdict
from iogate.recovery.raw_results import raw_measurements
from iogate.store.base import Store

_PARTS = ("run.json", "plan.json", "environment.json", "verdict.json", "raw")
_NAME = "[A-Za-z0-9][A-Za-z0-9_.-]{0,127}"
_RAW_FILE = re.compile(rf"(?:raw|logs/{_NAME})/{_NAME}", re.ASCII)
_BEGINS = re.compile(rb'\s*\{\s*"schema"\s*:\s*"run/\d+"\s*,\s*"id"\s*:\s*"([!#-\[\]-~]+)"')
_HEAD_BYTES = 4096
_UNNAMED = "no part that is left names the run, so no history is asked for it"
_LOST_VERDICT = "its verdict is lost"
_TOLD = 20
"""So many lost raw files are named; the others are counted."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What could be read of a folder. ``broken`` is empty where all of it was. ``named``: the
    folder says which run it is of."""

    run: Run
    broken: tuple[str, ...] = ()
    named: bool = True


def is_run_folder(root: Path) -> bool:
    """Whether a folder holds any part of a run."""
    return root.is_dir() and any((root / name).exists() for name in _PARTS)


def read_run_folder(root: Path, store: Store) -> Salvaged:
    """The run of a folder: from its run.json as far as that can be read, else as the history
    has it, else from its other files. RunError when there is no way."""
    reader = _Reader(root, [])
    run = reader.run(store)
    run_id = run.id if run else reader.named()
    run = run or _kept(run_id, store) or reader.run_of_parts(run_id)
    if run is None:
        raise RunError(
            f"{root} cannot be shown: {'; '.join(reader.broken)}; the history has no run of it",
            remedy="name the history that has it with --store, or measure again",
        )
    reader.look_at_the_rest(run)
    run = reader.without_lost_files(replace(run, folder=str(root)))
    return Salvaged(run, tuple(dict.fromkeys(reader.broken)), named=bool(run_id))


def _kept(run_id: str, store: Store) -> Run | None:
    """The run as the history has it. By its id alone: another may have been measured into a
    folder of the same name."""
    with suppress(UsageError):
        run = store.run(run_id) if run_id else None
        return run if run and run.id == run_id else None
    return None


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the parts of ``root``, and adds a sentence to ``broken`` for each that it cannot."""

    root: Path
    broken: list[str]

    def run(self, store: Store) -> Run | None:
        """What run.json says, or the part of it that can be read."""
        document = self._part("run.json", read_document)
        if document is None:
            return None
        try:
            run = run_from_document(document)
        except NewerError:
            raise
        except RunError as error:
            self.broken.append(f"run.json: {error.what}")
            return self._partly(document)
        if run.status is RunStatus.RUNNING:
            return self._finished(run, store)
        return self._with_kept(with_series(run, self.root, self.broken.append), store)

    def named(self) -> str:
        """The run that the folder is of, by what is left of it: environment.json, and the beginning
        of a run.json that was cut off. Empty where nothing says it, or not the same."""
        said: list[object] = []
        with suppress(RunError):
            said.append(read_document(self.root / "environment.json").get(RUN))
        with suppress(OSError):
            begins = _BEGINS.match(bounded.read_head(self.root / "run.json", _HEAD_BYTES))
            said.append(begins[1].decode() if begins else None)
        ids = {each for each in said if isinstance(each, str) and is_run_id(each)}
        if len(ids) == 1:
            return ids.pop()
        self.broken.append(_UNNAMED)
        return ""

    def run_of_parts(self, run_id: str) -> Run | None:
        """What plan.json and the raw files say; who measured, what and when is not known."""
        plan = self._plan()
        if plan is None:
            return None
        facts = self._part("environment.json", read_document)
        measurements = tuple(raw_measurements(self.root, plan, self.broken))
        wanted = sum(case.repetitions.min for case in plan.cases)
        if plan.comparison is None and len(measurements) < wanted:
            lost = wanted - len(measurements)
            self.broken.append(f"raw: {lost} of {wanted} repetitions are not there")
        verdict = self._verdict() or _judged_anew(plan, measurements)
        return Run(
            id=run_id or self.root.name,
            plan=plan,
            host=Host("not known", ""),
            revision=Revision(),
            started_ns=min((m.started_ns for m in measurements), default=0),
            finished_ns=0,
            status=_status(verdict),
            environment=_facts(facts),
            measurements=measurements,
            verdict=verdict,
        )

    def look_at_the_rest(self, run: Run) -> None:
        """The files beside run.json that people and tools read."""
        self._plan()
        self._part("environment.json", read_document)
        if run.verdict is not None:
            self._verdict()
        names = (f"jobs/{case.id}.fio" for case in run.plan.cases)
        self.broken.extend(f"{n} is missing" for n in names if not _is_file(self.root / n))

    def without_lost_files(self, run: Run) -> Run:
        """The run without the addresses of raw files that are gone or end early."""
        told: list[str] = []
        kept = tuple(self._with_its_file(measurement, told) for measurement in run.measurements)
        self.broken.extend(told[:_TOLD])
        if len(told) > _TOLD:
            self.broken.append(f"and {len(told) - _TOLD} more raw files")
        return replace(run, measurements=kept)

    def _finished(self, run: Run, store: Store) -> Run:
        """A run that was killed never wrote its whole run.json: its measurements are in the
        history, else in the raw files."""
        try:
            return store.run(run.id)
        except UsageError:
            self.broken.append("run.json was never finished, and this history does not have it")
            measured = raw_measurements(self.root, run.plan, self.broken)
            return replace(run, measurements=tuple(measured))

    def _with_kept(self, run: Run, store: Store) -> Run:
        """With the time series that run.json was too large for and no file of the folder has."""
        lost = lacking(run)
        kept = _kept(run.id, store) if lost else None
        if lost and not kept:
            self.broken.append(
                f"run.json: the history that has the time series of {lost} repetitions is another"
            )
        return with_kept(run, kept) if kept else run

    def _partly(self, document: Mapping[str, Any]) -> Run | None:
        """run.json without those of its measurements, and without the verdict, that are broken."""
        kept, measurements = dict(document), document.get("measurements")
        items = measurements if isinstance(measurements, list) else []
        kept["measurements"] = [m for m in items if _reads(measurement_from_document, m)]
        if not _reads(verdict_from_document, document.get("verdict")):
            kept["verdict"] = None
        try:
            run = run_from_document(kept)
        except RunError:
            return None
        lost = len(items) - len(run.measurements)
        if lost:
            self.broken.append(f"run.json: {lost} of {len(items)} measurements cannot be read")
        if run.verdict is None and document.get("verdict") is not None:
            self.broken.append("run.json: the verdict cannot be read")
            run = replace(run, verdict=self._verdict())
        return run

    def _plan(self) -> Plan | None:
        return self._part("plan.json", lambda path: plan_from_document(read_document(path)))

    def _verdict(self) -> RunVerdict | None:
        return self._part("verdict.json", lambda path: verdict_from_document(read_document(path)))

    def _with_its_file(self, measurement: Measurement, told: list[str]) -> Measurement:
        if not measurement.raw_file:
            return measurement
        if not _RAW_FILE.fullmatch(measurement.raw_file):
            told.append(f"{measurement.raw_file[:80]!r} is not a file of a run folder")
            return replace(measurement, raw_file="")
        if _ends(self.root, measurement.raw_file):
            return measurement
        there = _is_file(self.root / measurement.raw_file)
        told.append(f"{measurement.raw_file} {'ends early' if there else 'is missing'}")
        return replace(measurement, raw_file="")

    def _part(self, name: str, read: Callable[[Path], T]) -> T | None:
        """What ``read`` gives of a file, or nothing and a sentence on why."""
        path = self.root / name
        if not os.path.lexists(path):
            self.broken.append(f"{name} is missing")
            return None
        try:
            return read(path)
        except RunError as error:
            self.broken.append(f"{name}: {error.what.replace(str(path), 'it')}")
            return None


def _judged_anew(plan: Plan, measurements: tuple[Measurement, ...]) -> RunVerdict:
    """By the repetitions that are left, of a run that may have failed: no pass."""
    verdict = judge(plan, measurements, (), ())
    return verdict.after(_LOST_VERDICT, int(exits.cut_short(())), whole=False)


def _status(verdict: RunVerdict) -> RunStatus:
    """Whether a run got to its end, as its verdict tells: one with a fault has not, unless it is
    better than any that was cut short."""
    worst = WORST_FIRST.index(verdict.outcome) <= WORST_FIRST.index(Outcome.INCONCLUSIVE)
    return RunStatus.FAILED if verdict.fault and worst else RunStatus.COMPLETE


def _reads(read: Callable[[Mapping[str, Any]], object], item: object) -> bool:
    """Whether a part of run.json can be read by itself."""
    if not isinstance(item, dict):
        return False
    kind = "measurement/1" if read is measurement_from_document else "verdict/1"
    try:
        read({**item, "schema": kind})
    except RunError:
        return False
    return True


def _facts(document: Mapping[str, Any] | None) -> Mapping[str, str | int | float | bool]:
    facts = document.get("facts") if document else None
    items = facts.items() if isinstance(facts, dict) else ()
    return {str(k): v for k, v in items if isinstance(v, str | int | float | bool)}


def _is_file(path: Path) -> bool:
    """A regular file in one of the folders of a run folder, with no link on the way."""
    with suppress(OSError):
        above = path.parent.lstat().st_mode
        return stat.S_ISDIR(above) and stat.S_ISREG(path.lstat().st_mode)
    return False


def _ends(root: Path, address: str) -> bool:
    """Whether a file ends as JSON does; all of it is not read."""
    try:
        with os.fdopen(bounded.open_below(str(root), address.split("/")), "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - 64, 0))
            return file.read(64).rstrip().endswith(b"}")
    except OSError:
        return False
