"""Whole runs with plausible noise, judged by the real gate: what reports are made from.

The small pieces are those of ``samples``; what is added here makes them look like a lab's.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from iogate.errors import Location
from iogate.gate.judge import judge
from iogate.model.histogram import Histogram, bucket_bounds_ns
from iogate.model.measurement import (
    Direction,
    DiskUtil,
    EngineFacts,
    Interval,
    JobMeasurement,
    Latency,
    Measurement,
    Series,
)
from iogate.model.plan import Case, Plan
from iogate.model.run import CaseFailure, Host, Revision, Run, RunStatus
from iogate.model.spec import (
    Comparison,
    JobSpec,
    Level,
    Limit,
    Repetitions,
    Target,
    TargetKind,
    Threshold,
)
from support import samples as s

START_NS = 1_763_677_000 * 10**9
DAY_NS = 86_400 * 10**9
TARGET = Target("scratch", TargetKind.DIRECTORY, path="/var/tmp/iogate")
ENVIRONMENT: Mapping[str, str | int | float | bool] = {
    "kernel.release": "6.18.0-rc3+",
    "kernel.version": "#1 SMP PREEMPT_DYNAMIC",
    "kernel.tainted": 0,
    "cpu.model": "AMD EPYC 7443P 24-Core Processor",
    "cpu.count": 48,
    "cpu.governor": "performance",
    "memory.total_bytes": 137438953472,
    "load.average_1m": 0.12,
    "os.name": "Debian GNU/Linux 12 (bookworm)",
    "target.scratch.kind": "directory",
    "target.scratch.filesystem": "xfs",
    "target.scratch.mount_options": "rw,noatime,attr2,inode64,logbufs=8,noquota",
    "target.scratch.device": "nvme0n1p2",
    "target.scratch.model": "SAMSUNG MZQL21T9HCJR-00A07",
    "target.scratch.firmware": "GDC5602Q",
    "target.scratch.scheduler": "none",
    "target.scratch.nr_requests": 1023,
    "vm.dirty_ratio": 20,
}


@dataclass(frozen=True, slots=True)
class Pace:
    """How a case performs: rate, latency, and the share and height of its slow I/Os."""

    iops: float = 120_000.0
    p50_ns: float = 210_000.0
    slow_share: float = 0.004
    slow_factor: float = 9.0
    block: int = 4096


def limit(text: str, value: float, *, level: Level = Level.FAIL, line: int = 12) -> Threshold:
    """``write.clat.p99 vs baseline < +10%`` with its value: the metric, then the limit."""
    metric, _, rest = text.partition(" ")
    sign = rest.removeprefix("vs baseline ").split()[0]
    found = Limit(Comparison(sign), value, rest.startswith("vs "), rest)
    return Threshold(metric, found, level, where=Location("specs/gate.yaml", line, 9))


def case(
    name: str = "oltp-write/bs=4k,iodepth=32",
    thresholds: Sequence[Threshold] = (),
    *,
    jobs: Sequence[str] = ("oltp-write",),
    options: Mapping[str, str] | None = None,
    chart: Mapping[str, str] | None = None,
    description: str = "",
) -> Case:
    """A case whose id is made from its name."""
    _, _, point = name.partition("/")
    pairs = (part.partition("=") for part in point.split(",") if part)
    own = {"rw": "randwrite", "bs": "4k", "iodepth": "32", "runtime": "60s", "direct": "1"}
    return replace(
        s.case(*thresholds, id=f"{random.Random(name).getrandbits(64):016x}", name=name),
        target=TARGET,
        jobs=tuple(JobSpec(job, {**own, **(options or {})}) for job in jobs),
        parameters={key: value for key, _, value in pairs},
        repetitions=Repetitions(5, 5),
        chart=chart or {},
        description=description,
    )


def plan(cases: Sequence[Case], name: str = "xfs-gate") -> Plan:
    made = s.plan(*cases, min_samples=3, spec_name=name)
    return replace(made, spec_file=f"specs/{name}.yaml", spec_sha256="5e" * 32)


def histogram(rng: random.Random, level: Pace, count: int) -> Histogram:
    """About ``count`` I/Os: a log-normal body, and a slower hump that makes the tail."""
    draws = min(900, max(count, 20))
    bins: dict[int, int] = {}
    for index in range(draws):
        slow = index < draws * level.slow_share * 4
        middle = level.p50_ns * (level.slow_factor if slow else 1.0)
        value = int(middle * rng.lognormvariate(0.0, 0.35 if slow else 0.22))
        low, high = bucket_bounds_ns(max(value, 1))
        weight = max(count // draws // (4 if slow else 1), 1)
        bins[(low + high) // 2] = bins.get((low + high) // 2, 0) + weight
    for factor in (18, 25, 40):
        low, high = bucket_bounds_ns(int(level.p50_ns * factor * rng.uniform(0.8, 1.3)))
        bins[(low + high) // 2] = max(count // 60_000, 1)
    low, high = bucket_bounds_ns(int(level.p50_ns))
    missing = max(count - sum(bins.values()), 0)
    bins[(low + high) // 2] = bins.get((low + high) // 2, 0) + missing
    return Histogram(dict(sorted(bins.items())))


def latency(found: Histogram) -> Latency:
    values = found.bins
    mean = sum(v * n for v, n in values.items()) / found.count
    return Latency(found.count, min(values), max(values), mean, mean * 0.4, found)


def job(
    rng: random.Random,
    name: str,
    levels: Mapping[str, Pace],
    *,
    seconds: int = 60,
    interval_histograms: bool = True,
) -> JobMeasurement:
    """One job's row: its directions, and a sample a second."""
    parts = {d: [_second(rng, one) for _ in range(seconds)] for d, one in levels.items()}
    intervals = tuple(
        Interval(
            end_ms=(i + 1) * 1000,
            ios={d: seen[i].count for d, seen in parts.items()},
            bytes={d: seen[i].count * levels[d].block for d, seen in parts.items()},
            histograms={d: seen[i] for d, seen in parts.items()} if interval_histograms else {},
        )
        for i in range(seconds)
    )
    directions = {d: _direction(Histogram.merged(parts[d]), levels[d], seconds) for d in levels}
    made = s.job(
        name,
        series=Series(1000, intervals),
        usr=6.1,
        sys=21.4,
        runtime_ns=seconds * s.SECOND_NS,
    )
    return replace(made, directions=directions, context_switches=812_332, minor_faults=31)


def _second(rng: random.Random, level: Pace) -> Histogram:
    """What one second gives; now and then a dip."""
    dip = 0.82 if rng.random() < 0.03 else 1.0
    count = int(level.iops * dip * rng.gauss(1.0, 0.018))
    return histogram(rng, replace(level, p50_ns=level.p50_ns * rng.gauss(1, 0.02) / dip), count)


def _direction(found: Histogram, level: Pace, seconds: int) -> Direction:
    size = found.count * level.block
    clat = latency(found)
    return Direction(
        found.count,
        size,
        seconds * 10**9,
        found.count / seconds,
        size / seconds,
        slat=Latency(found.count, 900, 40_000, 1900, 400),
        clat=clat,
        lat=clat,
    )


def measurement(
    of: Case,
    repetition: int,
    levels: Mapping[str, Mapping[str, Pace]],
    rng: random.Random,
    *,
    seconds: int = 60,
    start_ns: int = START_NS,
) -> Measurement:
    """A repetition; ``levels`` is job → direction → how it performs."""
    found = (job(rng, name, each, seconds=seconds) for name, each in levels.items())
    return replace(
        s.measurement(*found, case_id=of.id, repetition=repetition),
        started_ns=start_ns + repetition * seconds * s.SECOND_NS,
        duration_ns=(seconds + 5) * s.SECOND_NS,
        engine=EngineFacts("iogate-engine", "0.1.0", "tsc", 0.3),
        disks=(DiskUtil("nvme0n1", 0, 7_200_000, 98.2),),
        raw_file=f"raw/{of.id}-{repetition}.json",
        kernel_log=(),
        surroundings={"cpu": 0.012, "io": 0.0},
    )


def slowed(levels: Mapping[str, Mapping[str, Pace]], by: float) -> dict[str, dict[str, Pace]]:
    """The same jobs, all latencies ``by`` higher and rates lower: 0.1 is 10 % worse."""
    return {
        name: {
            d: replace(one, iops=one.iops / (1 + by), p50_ns=one.p50_ns * (1 + by))
            for d, one in each.items()
        }
        for name, each in levels.items()
    }


def run(
    of: Plan,
    measurements: Sequence[Measurement],
    *,
    baseline: Sequence[Run] = (),
    judged: bool = True,
    **fields: object,
) -> Run:
    """A run with its verdict by the real gate."""
    whole = replace(
        s.run("20251120T223640-8c1f", started_ns=START_NS, the_plan=of),
        host=Host("lab-nvme-03", "c0ffee00c0ffee00"),
        revision=Revision(
            "9f3c2d1e8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d", "xfs: batch AIL pushes by lsn", "for-next"
        ),
        finished_ns=START_NS + 1534 * s.SECOND_NS,
        environment=ENVIRONMENT,
        command=("iogate", "run", of.spec_file, "--store", "history.sqlite"),
        measurements=tuple(measurements),
        folder="/srv/iogate/runs/20251120T223640-8c1f",
    )
    whole = replace(whole, **fields)  # type: ignore[arg-type]
    verdict = judge(of, whole.measurements, whole.failures, baseline) if judged else None
    return replace(whole, verdict=verdict)


def failed_run(*reasons: str, of: Case | None = None, **fields: object) -> Run:
    """A run of one case that failed before it was judged: a reason a repetition."""
    one = of or case()
    lost = tuple(CaseFailure(one.id, number, text) for number, text in enumerate(reasons, 1))
    failed = run(plan([one]), [], judged=False, status=RunStatus.FAILED, failures=lost)
    return replace(failed, **fields)  # type: ignore[arg-type]


def former(now: Run, measurements: Sequence[Measurement], days: int = 1, **fields: object) -> Run:
    """An earlier run of the same plan on the same host."""
    old = replace(
        now,
        id=f"former-{days}",
        measurements=tuple(measurements),
        verdict=None,
        started_ns=now.started_ns - days * DAY_NS,
        finished_ns=now.finished_ns - days * DAY_NS,
        revision=Revision("1b2c3d4e5f60718293a4b5c6d7e8f901", "Merge tag xfs-6.18", "main"),
    )
    return replace(old, **fields)  # type: ignore[arg-type]
