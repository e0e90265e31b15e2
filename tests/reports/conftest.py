"""Runs that the report tests share; made once, because a run is much arithmetic."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from iogate.model.histogram import Histogram
from iogate.model.measurement import Measurement
from iogate.model.plan import Case
from iogate.model.run import Run
from iogate.model.spec import Level
from iogate_reports.data import CaseData, WorkloadData
from support import samples
from support.browsers import chromium
from support.compared_runs import compared
from support.demo import make_demo
from support.report_runs import (
    ENVIRONMENT,
    Pace,
    case,
    former,
    latency,
    limit,
    measurement,
    plan,
    run,
    slowed,
)
from support.run_pasts import loads

Paces = Mapping[str, Mapping[str, Pace]]
LIMITS = (
    limit("write.clat.p99 < 2ms", 2e6, line=31),
    limit("write.clat.p99 vs baseline < +10%", 0.10, line=32),
    limit("write.iops vs baseline > -3%", -0.03, line=33),
    limit("write.clat.p99.9 vs baseline < +25%", 0.25, level=Level.WARN, line=35),
)
BASE: Paces = {"oltp-write": {"write": Pace()}}
MIXED: Paces = {"mixed": {"read": Pace(iops=21e3, p50_ns=95e3), "write": Pace(iops=9e3)}}
SERVER: Paces = {
    "bgwriter": {"write": Pace(iops=900, p50_ns=2.1e6, block=8192)},
    "query A": {"read": Pace(iops=14e3, p50_ns=130e3)},
    "query B": {"read": Pace(iops=11e3, p50_ns=410e3)},
}
CASES = (
    case("oltp-write/bs=4k,iodepth=32", LIMITS, description="Writes as an OLTP log makes them."),
    case("oltp-write/bs=16k,iodepth=32", LIMITS, options={"bs": "16k"}),
    case("oltp-write/bs=4k,iodepth=1", LIMITS),
    case("oltp-write/bs=16k,iodepth=1", LIMITS),
    case("mixed", [], jobs=("mixed",), options={"rw": "randrw"}),
    case("server", [], jobs=tuple(SERVER)),
)
PACES = (BASE, slowed(BASE, 0.4), slowed(BASE, -0.5), slowed(BASE, -0.45), MIXED, SERVER)


def measure(
    paces: Sequence[Paces] = PACES,
    *,
    repetitions: int = 3,
    worse: float = 0.0,
    seed: int = 1,
    cases: Sequence[Case] = CASES,
    seconds: int = 12,
) -> list[Measurement]:
    """Repetitions of the cases; the first case is ``worse`` by a fraction."""
    rng = random.Random(seed)
    return [
        measurement(
            one,
            number + 1,
            slowed(pace, worse * (index == 0) + rng.gauss(0, 0.004)),
            rng,
            seconds=seconds,
        )
        for index, (one, pace) in enumerate(zip(cases, paces, strict=True))
        for number in range(repetitions)
    ]


def make_run(*, worse: float = 0.0, baselines: int = 3) -> tuple[Run, tuple[Run, ...]]:
    """A run and its baseline; kernel and scheduler differ between them."""
    now = run(plan(CASES), measure(worse=worse, seed=2), judged=False)
    before = {**ENVIRONMENT, "kernel.release": "6.17.8", "target.scratch.scheduler": "mq-deadline"}
    old = tuple(
        former(now, measure(seed=10 + day), days=day, environment=before)
        for day in range(1, baselines + 1)
    )
    return run(now.plan, now.measurements, baseline=old), old


@pytest.fixture(scope="session")
def regressed() -> tuple[Run, tuple[Run, ...]]:
    """The first case is 20 % worse than its baseline."""
    return make_run(worse=0.2, baselines=20)


@pytest.fixture(scope="session")
def stalled() -> CaseData:
    """A job with a rate: 10,000 reads were due, and a stall kept back a tenth of them."""
    return paced(
        {199_680: 9_900, 401_408: 98, 897_581_056: 2},
        {199_680: 8_900, 401_408: 100} | {(1 << 29) + (1 << 22) * n: 8 for n in range(125)},
    )


def paced(issued: Mapping[int, int], due: Mapping[int, int]) -> CaseData:
    """A case of one job with a rate: its clat, and its latency from when I/Os were due."""
    one = case("paced", jobs=("paced",), options={"rw": "randread", "rate_iops": "200"})
    reads = samples.direction(clat=latency(Histogram(issued)), intended_lat=latency(Histogram(due)))
    measured = samples.measurement(samples.job("paced", read=reads), case_id=one.id)
    return CaseData(one, "case-paced", (measured,))


@pytest.fixture(scope="session")
def slower() -> Run:
    """A comparison whose candidate is 12 % slower."""
    return compared(0.12)


@pytest.fixture(scope="session")
def grid() -> WorkloadData:
    """Two block sizes over four loads, and their baseline."""
    return loads()


@pytest.fixture(scope="session")
def first_run() -> Run:
    """A run without anything earlier to compare with."""
    return make_run(baselines=0)[0]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Of a module and no longer: while it is there, no other loop of events can run."""
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder with the pages of the demo's year, and what making them printed."""
    folder = tmp_path_factory.mktemp("demo") / "pages"
    done = make_demo(folder)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout
