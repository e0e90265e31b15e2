"""The test behind a relative change, and its standard error."""

from __future__ import annotations

import math
import statistics

import pytest

from iogate.stats.compare import plain_test, relative_change


def test_one_more_run_is_held_against_those_before_by_students_prediction() -> None:
    test = plain_test([10.0], [[1.0], [2.0], [3.0], [4.0]])
    assert test is not None
    assert (test.log, test.df) == (7.5, 3)
    assert test.error == pytest.approx(statistics.stdev([1, 2, 3, 4]) * math.sqrt(1.25))


def test_below_four_runs_there_is_no_prediction() -> None:
    assert plain_test([10.0], [[1.0], [2.0], [3.0]]) is None
    assert relative_change([10.0, 11.0], [[1.0]] * 3, confidence=0.95).test.df == 1  # type: ignore[union-attr]


def test_the_interval_of_a_prediction_is_students() -> None:
    runs = [[math.exp(value)] for value in (1.0, 1.1, 1.2, 1.3)]
    change = relative_change([math.exp(2.0)] * 2, runs, confidence=0.95)
    reach = 3.182446 * statistics.stdev([1.0, 1.1, 1.2, 1.3]) * math.sqrt(1.25)  # t of 3 at 97.5 %
    assert change.estimate == pytest.approx(math.expm1(0.85))
    assert change.low == pytest.approx(math.expm1(0.85 - reach), rel=1e-5)
    assert change.high == pytest.approx(math.expm1(0.85 + reach), rel=1e-5)


def error_of(candidate: list[float], *runs: list[float]) -> float:
    exponents = ([math.exp(value) for value in group] for group in (candidate, *runs))
    change = relative_change(next(exponents), list(exponents), confidence=0.95)
    assert change.test is not None
    return change.test.error


def test_few_runs_differ_at_least_as_their_repetitions_do() -> None:
    same = [1.0, 1.1, 1.2]
    within = statistics.variance(same)
    assert error_of(same, same) == pytest.approx(math.sqrt(within * (1 / 3 + 1 / 3 + 2)))
    assert error_of(same, same, same) == pytest.approx(
        math.sqrt(within * (1 / 3 + 1 / 6 + 1.5)),
    )


def test_two_runs_that_differ_more_than_that_count_as_they_do() -> None:
    run, other = [1.0, 1.1, 1.2], [2.0, 2.1, 2.2]
    within, between = statistics.variance(run), statistics.variance([1.1, 2.1])
    expected = math.sqrt(within * (1 / 3 + 1 / 6) + between * 1.5)
    assert error_of(run, run, other) == pytest.approx(expected)


def test_equal_values_leave_a_least_error() -> None:
    assert error_of([1.0, 1.0], [1.0, 1.0]) == 1e-9


def test_worse_is_more_or_less_as_the_sign_says() -> None:
    test = plain_test([10.0], [[1.0], [2.0], [3.0], [4.0]])
    assert test is not None
    assert test.worse_than(1) < 0.01
    assert test.worse_than(1) + test.worse_than(-1) == pytest.approx(1)
