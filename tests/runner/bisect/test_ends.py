"""What tells two ends apart, and on which side of them a revision is."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.bisect.ends import Key, Side, find_ends, may_differ
from iogate.metrics import metric

IOPS, P99 = Key("c", "write.iops"), Key("c", "write.clat.p99")
METRICS = [(key, metric(key.metric)) for key in (IOPS, P99)]
GOOD, BAD = [1000.0, 1010, 990, 1005, 995], [800.0, 810, 790, 805, 795]


def test_the_metric_that_shows_it_best_is_taken() -> None:
    wide, clear = [10.0, 12, 9, 11, 10], [20.0, 26, 16, 22, 18]
    ends = find_ends(METRICS, {IOPS: GOOD, P99: wide}, {IOPS: BAD, P99: clear})
    assert ends is not None
    assert ends.key == IOPS
    assert (ends.good, ends.bad) == (1000, 800)
    assert 800 < ends.middle < 1000


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (GOOD, GOOD),
        (BAD, GOOD),  # it became better
        (GOOD, [1000.0, 800, 990, 805, 1005]),
        ([7.0] * 5, [7.0] * 5),
        ([], BAD),
        (GOOD, []),
    ],
)
def test_ends_that_do_not_differ_for_the_worse_are_none(
    good: list[float], bad: list[float]
) -> None:
    assert find_ends(METRICS, {IOPS: good}, {IOPS: bad}) is None


def test_a_lower_latency_is_the_good_side() -> None:
    ends = find_ends(METRICS, {P99: BAD}, {P99: GOOD})
    assert ends is not None
    assert ends.side([700, 810, 790]) is Side.GOOD
    assert ends.side([1100, 1000, 999]) is Side.BAD


def test_three_more_on_one_side_decide() -> None:
    ends = find_ends(METRICS, {IOPS: GOOD}, {IOPS: BAD})
    assert ends is not None
    assert ends.side([]) is Side.UNCLEAR
    assert ends.side([1000, 1000]) is Side.UNCLEAR
    assert ends.side([1000, 1000, 1000]) is Side.GOOD
    assert ends.side([1000, 1000, 800, 1000]) is Side.UNCLEAR
    assert ends.side([800, 1000, 800, 800, 800]) is Side.BAD
    assert ends.side([ends.middle] * 9) is Side.UNCLEAR


def test_negative_and_zero_levels_have_a_middle() -> None:
    ends = find_ends([(IOPS, metric("errors"))], {IOPS: [0.0] * 5}, {IOPS: [4.0] * 5})
    assert ends is not None
    assert ends.middle == 2


@given(st.lists(st.floats(1, 1e6), min_size=5, max_size=9), st.floats(1.5, 10), st.randoms())
def test_a_repetition_of_an_end_is_on_its_side(
    good: list[float], factor: float, random: random.Random
) -> None:
    top = max(good)
    bad = [top * factor * (1 + random.random()) for _ in range(5)]
    ends = find_ends([(P99, metric("write.clat.p99"))], {P99: good}, {P99: bad})
    if ends is None:  # the good end is too wide
        return
    assert ends.side([ends.good] * 3) is Side.GOOD
    assert ends.side([ends.bad] * 3) is Side.BAD


def test_more_repetitions_are_worth_it_only_where_something_is_worse() -> None:
    near = [1000.0, 800, 990, 805, 797]
    assert find_ends(METRICS, {IOPS: GOOD}, {IOPS: near}) is None
    assert may_differ(METRICS, {IOPS: GOOD}, {IOPS: near})
    assert not may_differ(METRICS, {IOPS: GOOD}, {IOPS: GOOD})
    assert not may_differ(METRICS, {IOPS: BAD}, {IOPS: GOOD})
    assert may_differ(METRICS, {P99: BAD}, {P99: GOOD})
    assert not may_differ(METRICS, {}, {IOPS: BAD})


def test_one_wrong_repetition_in_ten_is_forgiven() -> None:
    good, bad = [*GOOD, *GOOD], [*BAD, *BAD[:4], 1001.0]
    assert find_ends(METRICS, {IOPS: good[:5]}, {IOPS: bad[5:]}) is None
    ends = find_ends(METRICS, {IOPS: good}, {IOPS: bad})
    assert ends is not None
    assert ends.bad < 810 < ends.middle < 990 < ends.good
