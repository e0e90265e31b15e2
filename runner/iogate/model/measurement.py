"""What one repetition of a case gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from iogate.model.histogram import Histogram

TRANSFERS = ("read", "write", "trim")
DIRECTIONS = (*TRANSFERS, "sync")
COMMAND = "command"  # what stands for an engine where a program was measured


@lru_cache(maxsize=1024)
def percentile_key(percent: float) -> str:
    """How a percentile is named in ``Latency.percentiles``: ``50``, ``99.9``."""
    return f"{percent:.6f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Latency:
    """Moments in ns, and the histogram where the engine keeps one.

    ``percentiles`` (``"99.9"`` → ns) are what is left of the distribution where a result
    that was imported holds no histogram; they cannot be merged.
    """

    n: int
    min_ns: float
    max_ns: float
    mean_ns: float
    stddev_ns: float
    histogram: Histogram | None = None
    percentiles: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Direction:
    """One direction of one job. ``runtime_ns`` is from its first start to its last
    completion; ``iops`` and ``bw`` (bytes/s) are over that time. ``intended_lat`` is from when
    an I/O was due, of jobs that have a rate."""

    total_ios: int
    io_bytes: int
    runtime_ns: int
    iops: float
    bw: float
    slat: Latency | None = None
    clat: Latency | None = None
    lat: Latency | None = None
    short_ios: int = 0
    dropped_ios: int = 0
    intended_lat: Latency | None = None


@dataclass(frozen=True, slots=True)
class Interval:
    """One interval of a job's time series; counts are deltas over it."""

    end_ms: int
    ios: Mapping[str, int]
    bytes: Mapping[str, int]
    clat_sum_ns: Mapping[str, int] = field(default_factory=dict)
    histograms: Mapping[str, Histogram] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Series:
    """A job over time, in intervals of ``interval_ms``; the last may be shorter."""

    interval_ms: int
    intervals: tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class JobMeasurement:
    """One row of the engine's result: a job, or a group of clones reported together.

    ``runtime_ns`` is summed over the clones, and the CPU percentages are of that sum. ``values``
    are what a command printed, in the units of the metrics that they are kept as.
    """

    name: str
    jobs: int
    directions: Mapping[str, Direction]
    usr_cpu_percent: float
    sys_cpu_percent: float
    context_switches: int
    major_faults: int
    minor_faults: int
    runtime_ns: int
    error: int = 0
    errors: Mapping[str, int] = field(default_factory=dict)
    iodepth_levels: Mapping[str, float] = field(default_factory=dict)
    series: Series | None = None
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DiskUtil:
    """What a disk under the target did meanwhile, as the kernel counts."""

    name: str
    read_ios: int
    write_ios: int
    util_percent: float


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """Which engine measured, and how far its clock can be trusted. ``semantics`` numbers what its
    numbers mean; None where it does not say."""

    name: str
    version: str
    clock_source: str = ""
    clock_error_ppm: float | None = None
    semantics: int | None = None


class Whose(StrEnum):
    """Whose trouble it is: of what the target is made of, of the whole host (its memory, its
    processors), or of something else there, such as another disk."""

    TARGET = "target"
    HOST = "host"
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True)
class KernelTrouble:
    """Lines of the kernel's log that tell of one ``kind`` of trouble (``I/O error``): how
    many, and the first few that differ, cut to a length. ``whose`` is None where nobody told
    them apart, as in documents of earlier versions."""

    kind: str
    count: int
    lines: tuple[str, ...] = ()
    whose: Whose | None = None


@dataclass(frozen=True, slots=True)
class Disturbance:
    """Something beside the test that a repetition ran with. ``kind`` is the check that found it
    (``cpu``), ``value`` what it read and ``limit`` what is allowed, both in ``unit`` (a share of
    1, ``s``, a count); ``text`` says it in words. One that does not ``count`` is told, and
    takes nothing away from the repetition: the test may have caused it itself."""

    kind: str
    value: float
    limit: float
    unit: str
    text: str
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Measurement:
    """One repetition. ``started_ns`` is Unix time; ``duration_ns`` includes layout and ramp.
    In a comparison ``arm`` names its side, and ``block`` (from 1) what it is compared in.
    ``kernel_log`` is what the kernel told of since the repetition before; None is not known.
    ``surroundings`` are the readings of the checks of validity, by name, whether or not one of
    them is beyond its limit. ``unwritten`` is the share of blocks without anything in them,
    of a sample of those that it was about to read; None is not known, or it reads none."""

    case_id: str
    repetition: int
    started_ns: int
    duration_ns: int
    engine: EngineFacts
    jobs: tuple[JobMeasurement, ...]
    disks: tuple[DiskUtil, ...] = ()
    raw_file: str = ""
    warnings: tuple[str, ...] = ()
    arm: str = ""
    block: int = 0
    kernel_log: tuple[KernelTrouble, ...] | None = None
    disturbances: tuple[Disturbance, ...] = ()
    surroundings: Mapping[str, float] = field(default_factory=dict)
    unwritten: float | None = None

    @property
    def disturbed(self) -> bool:
        """Whether something took part that is not the test: such a repetition is kept, and
        never judged."""
        return any(disturbance.counts for disturbance in self.disturbances)


def undisturbed(measurements: Iterable[Measurement]) -> tuple[Measurement, ...]:
    """Those that may be judged, in their order. In a comparison a block counts with both of its
    arms or not at all: what hits one arm, or fails it, never takes repetitions from that arm
    alone. Where each boot has several, an arm is measured when the other one has all of them: one
    that has fewer was cut short."""
    every = tuple(measurements)
    whole = _whole_blocks(every)
    return tuple(
        m for m in every if not m.disturbed and (not m.block or (m.case_id, m.block) in whole)
    )


def _whole_blocks(measurements: Iterable[Measurement]) -> set[tuple[str, int]]:
    """By case and number, those of which both arms have as many repetitions, none disturbed."""
    arms: dict[tuple[str, int], Counter[str]] = {}
    spoiled = set()
    for each in measurements:
        block = each.case_id, each.block
        arms.setdefault(block, Counter())[each.arm] += 1
        if each.disturbed:
            spoiled.add(block)
    whole = {block for block, of in arms.items() if len(of) > 1 and len(set(of.values())) == 1}
    return whole - spoiled


def arm_runs(measurements: Iterable[Measurement]) -> tuple[tuple[Measurement, ...], ...]:
    """The repetitions of one case, together where they are of one arm in one block. Where there
    are no blocks each is alone."""
    runs: dict[tuple[str, int], list[Measurement]] = {}
    for number, each in enumerate(measurements):
        runs.setdefault((each.arm, each.block or -number), []).append(each)
    return tuple(map(tuple, runs.values()))
