"""A year of made-up nights, whole runs of them, for any store.

Seeded: the same arguments give the same runs, to the last bit. Each series has a level, noise
from night to night, a slow season and one step; now and then a night is missing, failed, or
was measured on another kernel.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace

from iogate.model.histogram import Histogram, bucket_bounds_ns
from iogate.model.measurement import (
    Direction,
    EngineFacts,
    Interval,
    JobMeasurement,
    Latency,
    Measurement,
    Series,
)
from iogate.model.plan import Case, Plan
from iogate.model.run import CaseFailure, Host, Revision, Run, RunStatus
from iogate.model.spec import JobSpec, Repetitions, Target, TargetKind
from iogate.model.verdict import Outcome, RunVerdict

DAY_NS = 86_400 * 10**9
FIRST_NS = 1_735_693_200 * 10**9  # 2025-01-01 01:00 UTC
_SECOND_NS = 10**9
_INTERVALS = 30


def year(
    *, seed: int = 1, nights: int = 365, series: int = 3, repetitions: int = 2
) -> Iterator[Run]:
    """The runs, oldest first. A series is a case, ``case_id(number)``; a run measures all."""
    chance = random.Random(seed)
    plan = _plan(series)
    levels = [chance.uniform(5_000, 500_000) for _ in range(series)]
    steps = [(chance.randrange(nights or 1), chance.choice((-0.1, 0.06, 0.0))) for _ in levels]
    for night in range(nights):
        if chance.random() < 0.02:
            continue
        now = [
            level * (1 + 0.01 * math.sin(night / 58)) * (1 + (step if night >= at else 0))
            for level, (at, step) in zip(levels, steps, strict=True)
        ]
        yield _run(plan, night, now, repetitions, chance)


def case_id(number: int) -> str:
    """The id of a series."""
    return f"{number:016x}"


def _plan(series: int) -> Plan:
    target = Target("disk", TargetKind.DIRECTORY, "/srv/disk")
    cases = (
        Case(
            id=case_id(number),
            name=f"oltp/iodepth={number + 1}",
            workload="oltp",
            target=target,
            jobs=(JobSpec("oltp", {"rw": "randread", "bs": "4k", "iodepth": str(number + 1)}),),
            parameters={"iodepth": str(number + 1)},
            repetitions=Repetitions(2, 2),
            thresholds=(),
        )
        for number in range(series)
    )
    return Plan("nightly", "nightly.yaml", "ab" * 32, "version: 1\n", tuple(cases))


def _run(
    plan: Plan, night: int, levels: list[float], repetitions: int, chance: random.Random
) -> Run:
    started_ns = FIRST_NS + night * DAY_NS + chance.randrange(600 * _SECOND_NS)
    failed = chance.random() < 0.01
    measurements = [
        _measurement(case.id, repetition, started_ns, level * chance.gauss(1, 0.02), chance)
        for case, level in zip(plan.cases, levels, strict=True)
        for repetition in range(1, repetitions + 1)
    ]
    run = Run(
        id=f"{chance.getrandbits(128):032x}",
        plan=plan,
        host=Host("bench-1", "machine-1"),
        revision=Revision(f"{chance.getrandbits(160):040x}", f"Change {night}", "main"),
        started_ns=started_ns,
        finished_ns=started_ns + 300 * _SECOND_NS,
        status=RunStatus.FAILED if failed else RunStatus.COMPLETE,
        environment={
            "engine.name": "iogate-engine",
            "kernel.release": "6.1.0" if night < 250 else "6.6.0",
            "cpu.count": 8,
            "load.average_1m": round(chance.random(), 2),
        },
        command=("iogate", "run", "nightly.yaml"),
        measurements=tuple(measurements),
        verdict=RunVerdict(Outcome.PASS, 0, "pass: all thresholds hold"),
    )
    if not failed:
        return run
    lost = CaseFailure(plan.cases[-1].id, repetitions, "the disk went away")
    return replace(run, measurements=tuple(measurements[:-1]), failures=(lost,), verdict=None)


def _measurement(
    case: str, repetition: int, started_ns: int, iops: float, chance: random.Random
) -> Measurement:
    ios = round(iops * _INTERVALS)
    histogram = _histogram(ios, 1e9 / iops, chance)
    mean = sum(value * n for value, n in histogram.bins.items()) / ios
    low, high = float(min(histogram.bins)), float(max(histogram.bins))
    clat = Latency(ios, low, high, mean, mean / 3, histogram)
    read = Direction(
        total_ios=ios,
        io_bytes=ios * 4096,
        runtime_ns=_INTERVALS * _SECOND_NS,
        iops=ios / _INTERVALS,
        bw=ios * 4096 / _INTERVALS,
        clat=clat,
    )
    job = JobMeasurement(
        name="oltp", jobs=1, directions={"read": read}, usr_cpu_percent=round(chance.random(), 3),
        sys_cpu_percent=round(chance.random() * 9, 3), context_switches=ios, major_faults=0,
        minor_faults=17, runtime_ns=_INTERVALS * _SECOND_NS, series=_series(ios, chance),
    )  # fmt: skip
    return Measurement(
        case_id=case,
        repetition=repetition,
        started_ns=started_ns + repetition * 40 * _SECOND_NS,
        duration_ns=32 * _SECOND_NS,
        engine=EngineFacts("iogate-engine", "0.1.0", "tsc", 0.5),
        jobs=(job,),
    )


def _histogram(ios: int, typical_ns: float, chance: random.Random) -> Histogram:
    """A long tail of 60 buckets."""
    bins: dict[int, int] = {}
    left = ios
    for step in range(60):
        low, high = bucket_bounds_ns(int(typical_ns * (0.7 + 0.08 * step)))
        count = left if step == 59 else min(left, int(left * chance.uniform(0.05, 0.2)))
        middle = (low + high) // 2
        bins[middle] = bins.get(middle, 0) + count
        left -= count
    return Histogram({value: count for value, count in sorted(bins.items()) if count})


def _series(ios: int, chance: random.Random) -> Series:
    each = [max(0, round(ios / _INTERVALS * chance.gauss(1, 0.05))) for _ in range(_INTERVALS)]
    intervals = (
        Interval((at + 1) * 1000, {"read": n}, {"read": n * 4096}, {"read": n * 9000})
        for at, n in enumerate(each)
    )
    return Series(1000, tuple(intervals))
