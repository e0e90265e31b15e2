"""A run with many cases, and its baseline: what the diff report is measured with."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from iogate.model.measurement import Measurement
from iogate.model.plan import Case
from iogate.model.run import Run
from iogate.model.spec import Level
from support.report_runs import Pace, case, former, limit, measurement, plan, run, slowed

LIMITS = (
    limit("write.clat.p99 < 4ms", 4e6, line=31),
    limit("write.clat.p99 vs baseline < +10%", 0.10, line=32),
    limit("write.iops vs baseline > -3%", -0.03, line=33),
    limit("write.clat.p99.9 vs baseline < +25%", 0.25, level=Level.WARN, line=35),
)
POOL = 9
"""Repetitions that are really drawn at random for each level; cases take turns with them."""


def many_cases(count: int, *, failing: int = 6, seconds: int = 30) -> tuple[Run, tuple[Run, ...]]:
    """A run of ``count`` cases with three repetitions each, of which ``failing`` are 20 %
    worse than the three runs of the baseline."""
    rng = random.Random(7)
    levels = {"job": {"write": Pace()}}
    pools = [_pool(slowed(levels, by), rng, seconds) for by in (0.0, 0.2)]
    cases = [_case(index) for index in range(count)]
    worse = {round(index * count / failing) for index in range(failing)} if failing else set()
    now = run(plan(cases), _measure(cases, pools, worse, 0), judged=False)
    old = tuple(former(now, _measure(cases, pools, set(), day), days=day) for day in (1, 2, 3))
    return run(now.plan, now.measurements, baseline=old), old


def _case(index: int) -> Case:
    sizes, depths = ("4k", "8k", "16k", "64k", "1m"), (1, 2, 4, 8, 16, 32, 64, 128)
    size, depth = sizes[index % 5], depths[index // 5 % 8]
    name = f"oltp-{index // 40}/bs={size},iodepth={depth}"
    return case(name, LIMITS, options={"bs": size, "iodepth": str(depth)})


def _pool(
    levels: dict[str, dict[str, Pace]], rng: random.Random, seconds: int
) -> list[Measurement]:
    pool = []
    for number in range(POOL):
        noisy = slowed(levels, rng.gauss(0, 0.004))
        pool.append(measurement(case(), number, noisy, rng, seconds=seconds))
    return pool


def _measure(
    cases: Sequence[Case], pools: Sequence[list[Measurement]], worse: set[int], day: int
) -> list[Measurement]:
    return [
        replace(
            pools[index in worse][(index * 3 + day + number * 2) % POOL],
            case_id=measured_case.id,
            repetition=number + 1,
            raw_file=f"raw/{measured_case.id}-{number + 1}.json",
        )
        for index, measured_case in enumerate(cases)
        for number in range(3)
    ]
