"""What stands around a run: the nights before it, and cases over several loads."""

from __future__ import annotations

import random

from iogate.model.measurement import Measurement
from iogate.model.run import Run
from iogate.model.trend import NightRef, SeriesState, SeriesTrend, Trend
from iogate.model.units import Better, Unit
from iogate_reports.data import Page, WorkloadData
from support.report_runs import DAY_NS, Pace, case, former, limit, measurement, plan, run, slowed

DEPTHS = (1, 4, 16, 64)


def trend_of(now: Run, metric: str = "write.iops", count: int = 120, step: float = 0.0) -> Trend:
    """A night a day up to the run and two after it; the last third is other by ``step``."""
    case_id = now.plan.cases[0].id
    refs = tuple(
        NightRef(f"r{n}", now.started_ns + (n - count + 1) * DAY_NS) for n in range(count + 2)
    )
    values = tuple(1000.0 * (1 + step * (n > count * 2 // 3)) + n % 5 for n in range(count + 2))
    one = SeriesTrend(
        case_id, "c", metric, Unit.PER_SECOND, Better.HIGH, now.host.name, now.host.machine_id,
        "env", tuple(range(count + 2)), values, 0, values[-1], values[-1], SeriesState.STEADY,
        lows=tuple(v - 3 for v in values), highs=tuple(v + 3 for v in values),
        counts=(3,) * len(values), confidence=0.75,
    )  # fmt: skip
    return Trend(now.plan.spec_name, 0, refs, (one,), ())


def loads() -> WorkloadData:
    """Two block sizes over four depths, 15 % slower than the baseline at 16k."""
    rng = random.Random(3)
    points = [(bs, depth) for bs in ("4k", "16k") for depth in DEPTHS]
    limits = (limit("write.clat.p99 < 4ms", 4e6), limit("write.clat.p99 vs baseline < +10%", 0.1))
    cases = [case(f"grid/bs={bs},iodepth={depth}", limits) for bs, depth in points]

    def measured(by: float) -> list[Measurement]:
        found = []
        for one, (bs, depth) in zip(cases, points, strict=True):
            pace = Pace(iops=4e3 * depth**0.7, p50_ns=1e5 * depth**0.3)
            levels = slowed({"j": {"write": pace}}, by * (bs == "16k"))
            found += [measurement(one, n, levels, rng, seconds=3) for n in (1, 2, 3)]
        return found

    now = run(plan(cases), measured(0.3), judged=False)
    old = former(now, measured(0.0))
    return Page(run(now.plan, now.measurements, baseline=(old,)), (old,)).workloads[0]
