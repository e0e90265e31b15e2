"""Watching a repetition: a look before it, now and then while it runs, and after it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from iogate.host.read_ahead import ReadAhead
from iogate.host.requirements import TEMPERATURES, temperatures
from iogate.host.validity.base import TICKS_PER_S, Check, Foreign, Seen, TargetDisks
from iogate.host.validity.checks import CHECKS
from iogate.host.validity.drives import drive_counts
from iogate.host.validity.limits import counts, limits_of
from iogate.host.validity.processes import (
    Key,
    Process,
    family_of,
    handed_on,
    newest,
    paths_of_scan,
    scan,
    serves_storage,
)
from iogate.host.validity.snapshot import Snapshot, allowed_cpus, cpu_list, take
from iogate.host.validity.waiting import own_group
from iogate.model.measurement import Disturbance
from iogate.model.validity import Validity
from iogate.sut.base import Sut

LEAST_PAUSE_S = 1.0
"""Between two looks while something is measured."""
_COST = 1 / 1000
"""Of the time looking may take; where it takes longer, it is done less often."""
_SUSPECT_S, _SUSPECT_BYTES = 0.05, 1 << 20


@dataclass(frozen=True, slots=True)
class Found:
    """What the checks read, and what of it is too much."""

    disturbances: tuple[Disturbance, ...] = ()
    readings: Mapping[str, float] = field(default_factory=dict)


class Surroundings:
    """The host around a run's repetitions."""

    def __init__(self, sut: Sut, validity: Validity, checks: Sequence[Check] = CHECKS) -> None:
        self._sut = sut
        self._validity = validity
        self._checks = checks
        self._owed: dict[str, int] = {}
        self._looked: dict[str, Snapshot] = {}
        self._serving: dict[Key, bool] = {}
        self._allowed: frozenset[int] | None = None
        self._group: str | None = None
        self.limits = limits_of(sut, validity)

    def watch(self, disks: TargetDisks, cpus: str = "", *, strangers: Sequence[int] = ()) -> Watch:
        """From now on; ``cpus`` are the engine's as taskset lists them, empty for all that
        this process may use. ``strangers`` are children of this process that are not the
        test's."""
        allowed = cpu_list(cpus) if cpus else self._own_cpus()
        return Watch(self, self._sut, disks, allowed, strangers)

    def _own_cpus(self) -> frozenset[int]:
        if self._allowed is None:
            self._allowed = allowed_cpus(self._sut)
        return self._allowed

    def take(self, kernels: set[int], known: Iterable[Key] = ()) -> Snapshot:
        """The host now; as ``snapshot.take`` says. The group that the run is in is looked up
        once."""
        if self._group is None:
            self._group = own_group(self._sut)
        return take(self._sut, kernels, known, self._group)

    def judge(self, seen: Seen) -> Found:
        """What each check reads. A check that cannot tell has no reading."""
        disturbances, readings = [], {}
        for check in self._checks:
            reading = check.look(seen)
            if reading is None or not math.isfinite(reading.value):
                continue
            readings[check.name] = round(reading.value, 6)
            limit = self._limit(check, seen)
            if reading.value > limit:
                takes = counts(check, self._validity)
                disturbances.append(
                    Disturbance(
                        check.name, reading.value, limit, check.unit, reading.text, counts=takes
                    )
                )
        return Found(tuple(disturbances), readings)

    def _limit(self, check: Check, seen: Seen) -> float:
        limit = self.limits.get(check.name, check.limit)
        if check.least is None or check.name in self._validity.limits:
            return limit
        return max(limit, check.least(seen))

    def owed(self, disk: str) -> int:
        """Bytes that the run has written and that have not come to the disk yet."""
        return self._owed.get(disk, 0)

    def owe(self, disk: str, now: Snapshot) -> None:
        """Remember what of the run's writing is still to come to a disk, by what was written
        since the last look at it: also between repetitions."""
        before, self._looked[disk] = self._looked.get(disk), now
        if before is None or disk not in before.disks or disk not in now.disks:
            return
        own = before.own.moved, now.own.moved
        if own[0] and own[1]:
            arrived = now.disks[disk][1] - before.disks[disk][1]
            owed = max(self.owed(disk) + own[1][1] - own[0][1] - arrived, 0)
            # What went to other disks never arrives at this one.
            self._owed[disk] = (
                owed if now.unwritten_bytes is None else min(owed, now.unwritten_bytes)
            )

    def serves(self, process: Process) -> bool:
        """Whether a process serves storage; asked once of each that did much."""
        if process.key not in self._serving:
            self._serving[process.key] = serves_storage(self._sut, process.pid)
        return self._serving[process.key]


class Watch:
    """One repetition as it is watched; ``tick`` as often as it suits, ``ended`` once."""

    def __init__(
        self,
        around: Surroundings,
        sut: Sut,
        disks: TargetDisks,
        cpus: frozenset[int],
        strangers: Sequence[int] = (),
    ) -> None:
        self._strangers = tuple(strangers)
        self._around, self._sut, self._disks, self._cpus = around, sut, disks, cpus
        self._drive = drive_counts(sut, disks.own)
        self._kernels: set[int] = set()
        self._page_bytes = sut.about().page_bytes
        self._before = around.take(self._kernels)
        self._hottest: list[float] = list(self._before.temperatures)
        if disks.own:
            around.owe(disks.own, self._before)
        self._latest: dict[Key, Process] = dict(self._before.processes)
        self._seen_last = tuple(self._latest)
        self._ours = self._family(self._latest)
        self._runnable: list[int] = []
        self._next = time.monotonic() + LEAST_PAUSE_S

    def tick(self) -> None:
        """Look, if it is time to."""
        began = time.monotonic()
        if began < self._next:
            return
        known = self._seen_last
        host = ReadAhead(self._sut).read([*TEMPERATURES, *paths_of_scan(known)])
        self._take_note(scan(host, self._kernels, known))
        self._hottest += temperatures(host)
        ended = time.monotonic()
        self._next = ended + max(LEAST_PAUSE_S, (ended - began) / _COST)

    def ended(self) -> Found:
        """What the checks say of the time since the watch began."""
        after = self._around.take(self._kernels, self._seen_last)
        self._take_note(after.processes)
        self._hottest += after.temperatures
        seen = self._seen(after)
        judged = self._around.judge(seen)
        if self._disks.own:
            self._around.owe(self._disks.own, after)
        return judged

    def _seen(self, after: Snapshot) -> Seen:
        others, serving_s = self._others(after.processes)
        drive = drive_counts(self._sut, self._disks.own)
        self._hottest += [drive[name] for name in ("temperature",) if name in drive]
        return Seen(
            self._before,
            after,
            frozenset(self._cpus & after.cpus.keys() or after.cpus),
            self._disks_now(after),
            others,
            serving_s,
            self._around.owed(self._disks.own),
            tuple(self._runnable),
            max(self._hottest, default=None),
            {name: drive[name] - self._drive.get(name, 0) for name in drive},
        )

    def _disks_now(self, after: Snapshot) -> TargetDisks:
        """Also those that have come since the target was looked at."""
        return replace(self._disks, others=after.whole_disks - self._disks.stack)

    def _take_note(self, processes: Mapping[Key, Process]) -> None:
        self._latest = newest(self._latest, processes)
        self._seen_last = tuple(processes)
        self._ours |= self._family(processes)
        wanting = (process for process in processes.values() if process.state == "R")
        self._runnable.append(
            sum(process.key not in self._ours and process.cpu in self._cpus for process in wanting)
        )

    def _family(self, processes: Mapping[Key, Process]) -> set[Key]:
        known = list(processes.values())
        own = family_of(self._before.own.pid, known)
        return own.difference(*(family_of(pid, known) for pid in self._strangers))

    def _others(self, after: Mapping[Key, Process]) -> tuple[tuple[Foreign, ...], float]:
        """What each process that is not the run's did since the watch began, and the CPU time
        outside of the kernel of those that serve storage."""
        others, serving_s = [], 0.0
        inherited = handed_on(self._latest, after)
        for key, process in self._latest.items():
            if key in self._ours:
                continue
            before = self._before.processes.get(key)
            did = self._did(process, before, inherited.get(process.pid, 0))
            much = did.cpu_s >= _SUSPECT_S or did.io_bytes >= _SUSPECT_BYTES
            if much and self._around.serves(process):
                serving_s += (
                    process.user_ticks - (before.user_ticks if before else 0)
                ) / TICKS_PER_S
            elif much or did.grew_bytes or did.major_faults:
                others.append(did)
        return tuple(others), serving_s

    def _did(self, process: Process, before: Process | None, inherited: int) -> Foreign:
        """What a process did since ``before``; one that is new, since it began."""
        grew = process.resident_pages - (before.resident_pages if before else 0)
        return Foreign(
            name=process.name,
            cpu_s=(process.ticks - (before.ticks if before else 0)) / TICKS_PER_S,
            io_bytes=max(
                process.moved_bytes - (before.moved_bytes if before else 0) - inherited, 0
            ),
            grew_bytes=grew * self._page_bytes,
            major_faults=process.major_faults - (before.major_faults if before else 0),
            here=not self._cpus or process.cpu in self._cpus,
        )
