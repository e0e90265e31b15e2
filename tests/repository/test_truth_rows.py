"""Rows of the table of truth: what holds, and what does not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def measure() -> Iterator[ModuleType]:
    """The module, from a folder that is no package of ours."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import truth.measure

        yield truth.measure
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.mark.parametrize(
    ("truth_us", "measured_us", "holds"),
    [
        (100.0, 105.0, True),  # 5 us
        (100.0, 105.1, False),
        (100.0, 94.9, False),
        (1000.0, 1020.0, True),  # 2 %
        (1000.0, 1020.1, False),
        (1000.0, 979.9, False),
    ],
)
def test_times_agree_within_two_percent_or_five_microseconds(
    measure: ModuleType, truth_us: float, measured_us: float, holds: bool
) -> None:
    row = measure.close("x", truth_us, measured_us)
    assert row.holds is holds
    assert ("**does not hold**" in row.markdown()) is not holds


def test_counts_are_equal_or_wrong(measure: ModuleType) -> None:
    assert measure.equal("x", 4000, 4000).holds
    assert not measure.equal("x", 4000, 3999).holds
    assert measure.near("x", 200, 203.9, "/s").holds
    assert not measure.near("x", 200, 204.1, "/s").holds


def test_a_row_without_a_goal_says_neither(measure: ModuleType) -> None:
    row = measure.close("x", 100.0, 200.0, goal=False)
    assert row.holds
    told = row.markdown()
    assert "hold" not in told
    assert told.endswith("| – | – |")


def test_fio_stands_beside_it_with_its_own_difference(measure: ModuleType) -> None:
    row = measure.close("x", 100.0, 104.0).with_fio(measure.close("x", 300.0, 290.0))
    assert "| +4.0 µs (+4.00%) | -10.0 µs (-3.33%) |" in row.markdown()


@pytest.mark.parametrize(("percent", "value"), [(50, 2), (99, 4), (100, 4), (0.1, 1), (25, 1)])
def test_percentiles_of_sorted_values(measure: ModuleType, percent: float, value: int) -> None:
    assert measure.percentile([1, 2, 3, 4], percent) == value
