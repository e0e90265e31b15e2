"""Small, complete pieces of the model, each with the values that a test cares about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iogate.model.histogram import Histogram
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
from iogate.model.run import Host, Revision, Run, RunStatus
from iogate.model.spec import (
    BaselineRule,
    Comparison,
    JobSpec,
    Level,
    Limit,
    OnMissingBaseline,
    Repetitions,
    Target,
    TargetKind,
    Threshold,
)
from iogate.model.units import Better, Unit
from iogate.model.verdict import Outcome, RunVerdict, ThresholdVerdict

CASE_ID = "00112233445566aa"
SECOND_NS = 1_000_000_000


def latency(values_ns: Sequence[int], *, histogram: bool = True) -> Latency:
    """Exact moments of the values, and a histogram with each at its own bucket."""
    n = len(values_ns)
    mean = sum(values_ns) / n
    squares = sum((value - mean) ** 2 for value in values_ns)
    bins = {value: values_ns.count(value) for value in sorted(set(values_ns))}
    return Latency(
        n=n,
        min_ns=min(values_ns),
        max_ns=max(values_ns),
        mean_ns=mean,
        stddev_ns=(squares / (n - 1)) ** 0.5 if n > 1 else 0.0,
        histogram=Histogram(bins) if histogram else None,
    )


def direction(
    *,
    ios: int = 1000,
    block: int = 4096,
    clat: Latency | None = None,
    lat: Latency | None = None,
    intended_lat: Latency | None = None,
) -> Direction:
    """``ios`` I/Os of ``block`` bytes in one second."""
    return Direction(
        total_ios=ios,
        io_bytes=ios * block,
        runtime_ns=SECOND_NS,
        iops=float(ios),
        bw=float(ios * block),
        clat=clat,
        lat=lat,
        intended_lat=intended_lat,
    )


def job(
    name: str = "job",
    *,
    series: Series | None = None,
    usr: float = 10.0,
    sys: float = 20.0,
    error: int = 0,
    errors: Mapping[str, int] | None = None,
    runtime_ns: int = SECOND_NS,
    **directions: Direction,
) -> JobMeasurement:
    """One job that ran for a second."""
    return JobMeasurement(
        name=name,
        jobs=1,
        directions=directions,
        usr_cpu_percent=usr,
        sys_cpu_percent=sys,
        context_switches=500,
        major_faults=0,
        minor_faults=1,
        runtime_ns=runtime_ns,
        error=error,
        errors=errors or {},
        series=series,
    )


def series(ios: Sequence[int], *, interval_ms: int = 1000, name: str = "read") -> Series:
    """A time series with whole intervals."""
    return Series(
        interval_ms,
        tuple(
            Interval((number + 1) * interval_ms, {name: count}, {name: count * 4096})
            for number, count in enumerate(ios)
        ),
    )


def measurement(
    *jobs: JobMeasurement, case_id: str = CASE_ID, repetition: int = 1, engine: str = "native"
) -> Measurement:
    """One repetition; without jobs, 1,000 writes a second."""
    return Measurement(
        case_id=case_id,
        repetition=repetition,
        started_ns=repetition * SECOND_NS,
        duration_ns=2 * SECOND_NS,
        engine=EngineFacts(engine, "0.1.0"),
        jobs=jobs or (job(write=direction(clat=latency([100, 200]))),),
    )


def repetitions(
    iops: Sequence[float], *, case_id: str = CASE_ID, engine: str = "native"
) -> tuple[Measurement, ...]:
    """One repetition for each value, which is both its ``write.iops`` and ``write.clat``."""
    return tuple(
        measurement(
            job(
                write=Direction(
                    1000, 4096, SECOND_NS, value, 4096.0, clat=Latency(9, value, value, value, 0.0)
                )
            ),
            case_id=case_id,
            repetition=number,
            engine=engine,
        )
        for number, value in enumerate(iops, start=1)
    )


def threshold(
    metric: str = "write.iops",
    comparison: Comparison = Comparison.GREATER,
    value: float = 100.0,
    *,
    relative: bool = False,
    level: Level = Level.FAIL,
    confidence: float | None = None,
) -> Threshold:
    """A limit; its text is as a person would have written it."""
    text = f"vs baseline {comparison} {value:+.0%}" if relative else f"{comparison} {value:g}"
    return Threshold(metric, Limit(comparison, value, relative, text), level, confidence)


def case(
    *thresholds: Threshold, id: str = CASE_ID, name: str = "oltp/bs=4k", **more: object
) -> Case:
    """A case of one random-write job."""
    return Case(
        id=id,
        name=name,
        workload=name.partition("/")[0],
        target=Target("scratch", TargetKind.DIRECTORY, "/tmp"),
        jobs=(JobSpec("job", {"rw": "randwrite", "bs": "4k"}),),
        parameters={"bs": "4k"},
        repetitions=Repetitions(3, 3),
        thresholds=thresholds,
        **more,  # type: ignore[arg-type]
    )


def plan(
    *cases: Case,
    min_samples: int = 5,
    on_missing: OnMissingBaseline = OnMissingBaseline.WARN,
    on_inconclusive: OnMissingBaseline = OnMissingBaseline.WARN,
    spec_name: str = "demo",
) -> Plan:
    """A plan of these cases."""
    return Plan(
        spec_name=spec_name,
        spec_file="demo.yaml",
        spec_sha256="ab" * 32,
        spec_text="version: 1\n",
        cases=cases,
        baseline=BaselineRule(min_samples=min_samples),
        on_missing_baseline=on_missing,
        on_inconclusive=on_inconclusive,
    )


def verdict(outcome: Outcome = Outcome.PASS) -> RunVerdict:
    """A verdict without details."""
    return RunVerdict(outcome, 0, f"{outcome.value}: all thresholds hold")


def judged(outcome: Outcome) -> ThresholdVerdict:
    """A limit that came to this."""
    limit = threshold(value=-0.05, relative=True)
    return ThresholdVerdict(CASE_ID, limit, outcome, "so it is", Unit.PER_SECOND, Better.HIGH)


def run(
    id: str = "run-1",
    *,
    started_ns: int = 1,
    the_plan: Plan | None = None,
    measurements: tuple[Measurement, ...] = (),
    machine_id: str = "machine-a",
    status: RunStatus = RunStatus.COMPLETE,
    outcome: RunVerdict | None = None,
) -> Run:
    """A run on one host."""
    return Run(
        id=id,
        plan=the_plan or plan(case()),
        host=Host("host-a", machine_id),
        revision=Revision("c0ffee", "Make it quick", "main"),
        started_ns=started_ns,
        finished_ns=started_ns + SECOND_NS,
        status=status,
        environment={"kernel.release": "6.1", "cpu.count": 2, "tuned": False, "load": 0.5},
        measurements=measurements,
        verdict=outcome,
    )
