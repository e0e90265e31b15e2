"""The host at one moment: counters of the kernel, a few small files each time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from iogate.host.read_ahead import ReadAhead
from iogate.host.requirements import TEMPERATURES, THROTTLED, temperatures, throttled
from iogate.host.validity.processes import Key, Process, io_counts, paths_of_scan, scan
from iogate.host.validity.waiting import own_group, pressures, run_delays
from iogate.sut.base import Sut
from iogate.sut.stat import parse_stat
from iogate.sut.together import together

_SECTOR = 512
_CLOCKSOURCE = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
_CPU_LINE = re.compile(r"cpu(\d+) (.*)")
PRESSURES = ("cpu", "io", "memory")
_DISKS = "/sys/block"
_FILES = (
    "/proc/meminfo", "/proc/stat", "/proc/self/stat", "/proc/self/io", "/proc/diskstats",
    "/proc/schedstat", _CLOCKSOURCE, _DISKS, *(f"/proc/pressure/{kind}" for kind in PRESSURES),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CpuTime:
    """Ticks of one CPU since boot. ``user`` is what processes spent outside of the kernel, which
    no thread of the kernel ever does; ``busy`` is what was neither idle nor stolen."""

    user: int
    steal: int
    total: int
    busy: int


@dataclass(frozen=True, slots=True)
class OwnTime:
    """What this process and all that it has waited for took: ticks of CPU, and bytes from and to
    disks (None: the kernel does not count them)."""

    pid: int = 0
    user: int = 0
    system: int = 0
    moved: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """``realtime_ns`` and ``monotonic_ns`` are the two clocks at one moment; ``disks`` bytes
    read and written by the name of a disk; ``pressure`` µs that something waited, by kind,
    and ``own_pressure`` that something in the run's own group did; ``run_delays`` ns that threads
    waited for each CPU; ``unwritten_bytes`` are in the page cache and on no disk yet, whoever
    wrote them. ``whole_disks`` are names, partitions left out."""

    realtime_ns: int
    monotonic_ns: int
    cpus: Mapping[int, CpuTime] = field(default_factory=dict)
    own: OwnTime = OwnTime()
    disks: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    pressure: Mapping[str, int] = field(default_factory=dict)
    own_pressure: Mapping[str, int] = field(default_factory=dict)
    run_delays: Mapping[int, int] = field(default_factory=dict)
    processes: Mapping[Key, Process] = field(default_factory=dict)
    throttled: int | None = None
    clocksource: str = ""
    memory_bytes: int = 0
    unwritten_bytes: int | None = None
    whole_disks: frozenset[str] = frozenset()
    temperatures: tuple[float, ...] = ()


def take(
    sut: Sut, kernels: set[int] | None = None, known: Iterable[Key] = (), group: str | None = None
) -> Snapshot:
    """The host now; ``kernels`` and ``known`` as for ``scan``, ``group`` as ``own_group`` says,
    None to ask for it."""
    group = own_group(sut) if group is None else group
    own_files = [(kind, f"{group}/{kind}.pressure") for kind in PRESSURES if group]
    paths = [*_FILES, *THROTTLED, *TEMPERATURES, *(path for _, path in own_files)]
    paths += paths_of_scan(known := tuple(known))
    (realtime_ns, monotonic_ns), found = together(
        partial(sut.clocks), partial(sut.read_many, paths)
    )
    host = ReadAhead(sut).know(paths, (), found)
    memory = memory_bytes(host.read_text("/proc/meminfo") or "")
    return Snapshot(
        realtime_ns=realtime_ns,
        monotonic_ns=monotonic_ns,
        cpus=cpu_times(host.read_text("/proc/stat") or ""),
        own=own_time(host),
        disks=disk_bytes(host.read_text("/proc/diskstats") or ""),
        pressure=pressures(host, ((kind, f"/proc/pressure/{kind}") for kind in PRESSURES)),
        own_pressure=pressures(host, own_files),
        run_delays=run_delays(host.read_text("/proc/schedstat") or ""),
        processes=scan(host, set() if kernels is None else kernels, known),
        throttled=throttled(host),
        clocksource=(host.read_text(_CLOCKSOURCE) or "").strip(),
        memory_bytes=memory.get("MemTotal", 0),
        unwritten_bytes=_unwritten(memory),
        whole_disks=frozenset(host.list_dir(_DISKS)),
        temperatures=tuple(temperatures(host)),
    )


def cpu_times(text: str) -> dict[int, CpuTime]:
    """Of each CPU, from /proc/stat."""
    times = {}
    for match in _CPU_LINE.finditer(text):
        ticks = [int(word) for word in match[2].split()]
        if len(ticks) >= 8:
            # guest time is a part of user time already
            times[int(match[1])] = CpuTime(
                ticks[0] + ticks[1], ticks[7], sum(ticks[:8]), sum(ticks[:3]) + sum(ticks[5:7])
            )
    return times


def disk_bytes(text: str) -> dict[str, tuple[int, int]]:
    """Bytes read and written by device, from /proc/diskstats."""
    moved = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 14 and words[5].isdigit() and words[9].isdigit():
            moved[words[2]] = int(words[5]) * _SECTOR, int(words[9]) * _SECTOR
    return moved


def own_time(sut: Sut) -> OwnTime:
    """Of who reads this, and of every process that it has started and waited for."""
    stat = parse_stat(sut.read_text("/proc/self/stat") or "")
    if stat is None:
        return OwnTime()
    return OwnTime(
        stat.pid,
        stat.user + stat.waited_user,
        stat.system + stat.waited_system,
        io_counts(sut.read_text("/proc/self/io") or ""),
    )


def allowed_cpus(sut: Sut) -> frozenset[int]:
    """Those that what is started here may run on."""
    for line in (sut.read_text("/proc/self/status") or "").splitlines():
        name, _, value = line.partition(":")
        if name == "Cpus_allowed_list":
            return cpu_list(value)
    return frozenset()


def cpu_list(text: str) -> frozenset[int]:
    """``0,2-9`` as a set; empty for what is no list of CPUs."""
    cpus: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.strip().partition("-")
        if not first.isdigit() or not (last or first).isdigit():
            return frozenset()
        cpus |= set(range(int(first), min(int(last or first), int(first) + 65536) + 1))
    return frozenset(cpus)


def memory_bytes(text: str) -> dict[str, int]:
    """What /proc/meminfo counts, by name."""
    words = (line.split() for line in text.splitlines())
    return {
        each[0].rstrip(":"): int(each[1]) * 1024
        for each in words
        if len(each) == 3 and each[1].isdigit()
    }


def _unwritten(memory: Mapping[str, int]) -> int | None:
    waiting = [memory[name] for name in ("Dirty", "Writeback") if name in memory]
    return sum(waiting) if waiting else None
