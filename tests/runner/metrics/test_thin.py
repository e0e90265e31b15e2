"""Enough I/Os beyond a quantile, or too thin."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iogate.metrics.thin import ios_beyond, too_thin
from iogate.model.measurement import Measurement
from iogate.model.spec import DefinedMetric
from iogate.model.units import Better, Unit
from support import samples as s


def with_ios(read: int, write: int = 0) -> Measurement:
    def part(n: int):  # type: ignore[no-untyped-def]  # noqa: ANN202
        some = s.latency([100, 200])
        return s.direction(clat=replace(some, n=n), intended_lat=replace(some, n=n // 2))

    return s.measurement(s.job("a", read=part(read)), s.job("b", write=part(write or 1)))


@pytest.mark.parametrize(
    ("path", "beyond"),
    [
        ("read.clat.p99", 1000),
        ("read.clat.p50", 50_000),
        ("read.clat.p99.9", 100),
        ("read.clat.p1", 1000),
        ("all.clat.p99", 1500),
        ("jobs.a.read.clat.p99", 1000),
        ("jobs.b.read.clat.p99", 0),
        ("read.intended_lat.p99", 500),
        ("read.clat.mean", None),
        ("read.iops", None),
        ("read.iops.p99", None),
        ("read.tail", 1000),
        ("jobs.a.read.tail", 1000),
    ],
)
def test_ios_beyond_a_quantile(path: str, beyond: float | None) -> None:
    found = ios_beyond(path, with_ios(100_000, 50_000))
    assert found == (beyond if beyond is None else pytest.approx(beyond))


def test_the_median_run_counts_and_one_that_stalled_does_not() -> None:
    runs = with_ios(200_000), with_ios(90_000), with_ios(80_000)
    assert too_thin("read.clat.p99", runs) == pytest.approx(900)
    assert too_thin("read.clat.p99", [*runs, with_ios(100_000), with_ios(200_000)]) is None
    assert too_thin("read.clat.p90", runs) is None
    assert too_thin("read.iops", runs) is None
    assert too_thin("read.clat.p99", ()) is None


@pytest.mark.parametrize(
    ("expression", "beyond"),
    [
        ("read.clat.p99 / read.clat.p50", 1000),
        ("read.clat.p90 - `all.tail`", 1500),
        ("write.clat.p50 * 2 / read.iops", 25_000),
        ("read.iops / write.iops", None),
    ],
)
def test_of_a_metric_of_ones_own_the_thinnest_part_counts(
    expression: str, beyond: float | None
) -> None:
    own = (DefinedMetric("mine", expression, Unit.RATIO, Better.LOW),)
    found = ios_beyond("mine", with_ios(100_000, 50_000), own)
    assert found == (beyond if beyond is None else pytest.approx(beyond))
