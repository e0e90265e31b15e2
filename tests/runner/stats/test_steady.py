"""When a rate is steady: by fio's rules, as fio itself computes them, and by SNIA's."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.stats.steady import (
    SteadyRule,
    is_snia_steady,
    parse_rule,
    snia_window,
    unsteadiness,
    window_of,
)


def of(rates: Sequence[float], rule: SteadyRule) -> float:
    """How unsteady a window is, with a sample a second."""
    return unsteadiness([(10.0 + n, rate) for n, rate in enumerate(rates)], rule)


def test_rules_are_read() -> None:
    assert parse_rule("iops_slope:0.3%") == SteadyRule("iops", slope=True, limit=0.3, relative=True)
    assert parse_rule("bw:100") == SteadyRule("bw", slope=False, limit=100, relative=False)
    for text in ("lat:3%", "iops", "iops_slope:x", ""):
        with pytest.raises(ValueError, match=r"rule|float"):
            parse_rule(text)


def test_a_line_has_its_slope_and_a_level_none() -> None:
    slope = parse_rule("iops_slope:1")
    assert of([100, 110, 120, 130], slope) == pytest.approx(10)
    assert of([130, 120, 110, 100], slope) == pytest.approx(10)
    assert of([7, 7, 7, 7], slope) == 0
    share = parse_rule("iops_slope:1%")
    assert of([100, 110, 120, 130], share) == pytest.approx(1000 / 115)
    deviation = parse_rule("iops:1%")
    assert of([90, 100, 100, 110], deviation) == pytest.approx(10)


@pytest.mark.parametrize("rates", [[], [5.0], [5.0, 5.0], [0.0, 0.0, 0.0, 0.0]])
def test_too_little_is_never_steady(rates: list[float]) -> None:
    assert of(rates, parse_rule("iops:99%")) == float("inf")


@given(st.lists(st.floats(1, 1e6), min_size=3, max_size=50), st.floats(1.5, 100))
def test_a_share_does_not_depend_on_the_unit(rates: list[float], scale: float) -> None:
    for text in ("iops:1%", "iops_slope:1%"):
        rule = parse_rule(text)
        once = of(rates, rule)
        again = of([rate * scale for rate in rates], rule)
        assert again == pytest.approx(once, rel=1e-6, abs=1e-6)


def test_the_slope_is_fios(tmp_path: Path) -> None:
    if not shutil.which("fio"):
        pytest.skip("fio is not installed")
    words = (
        "fio --name=x --ioengine=null --size=1g --rw=randread --bs=4k --rate_iops=500 "
        "--time_based --runtime=8 --ss=iops_slope:50% --ss_dur=4 --output-format=json"
    )
    done = subprocess.run(words.split(), cwd=tmp_path, capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout)["jobs"][0]["steadystate"]
    rates = [float(rate) for rate in theirs["data"]["iops"]]
    ours = of(rates, parse_rule("iops_slope:1"))
    assert ours == pytest.approx(abs(theirs["slope"]), rel=0.01, abs=0.01)


def test_a_window_as_computed_by_hand() -> None:
    """Mean 500 / 5 = 100; range 102 - 98 = 4. The slope is (-2·100 - 102 + 101 + 2·99) / 10
    = -3 / 10 a round, -1.2 over the four steps of the window: a line from 100.6 to 99.4."""
    found = snia_window([7, 100, 102, 98, 101, 99])
    assert found is not None
    assert (found.mean, found.low, found.high) == (100, 98, 102)
    assert found.first == pytest.approx(100.6)
    assert found.last == pytest.approx(99.4)
    assert found.range_percent == pytest.approx(4)
    assert found.slope_percent == pytest.approx(1.2)
    assert is_snia_steady(found)


@pytest.mark.parametrize(
    ("rounds", "steady"),
    [
        ([100, 100, 100, 100], False),  # four are no window
        ([100, 100, 100, 100, 100], True),
        ([95, 97.5, 100, 102.5, 105], True),  # the line rises by just 10 %
        ([95, 97, 100, 103, 105], False),  # and here by 10.4 %
        ([110, 90, 100, 90, 110], True),  # a range of just 20 %, and no slope
        ([111, 90, 100, 90, 110], False),
        ([300, 200, 100, 100, 100, 100, 100], True),  # what was before is no matter
        ([100, 100, 100, 100, 100, 50], False),
        ([0, 0, 0, 0, 0], False),
    ],
)
def test_when_five_rounds_are_a_steady_state(rounds: list[float], steady: bool) -> None:
    assert is_snia_steady(snia_window(rounds)) is steady


def line_by_normal_equations(rounds: Sequence[int]) -> tuple[Fraction, Fraction]:
    """First and last value of the least-squares line, exactly, the long way."""
    n = Fraction(len(rounds))
    x, y = [Fraction(k) for k in range(len(rounds))], [Fraction(rate) for rate in rounds]
    products = sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0))
    squares = sum((a * a for a in x), Fraction(0))
    slope = (n * products - sum(x) * sum(y)) / (n * squares - sum(x) ** 2)
    start = (sum(y) - slope * sum(x)) / n
    return start, start + slope * (n - 1)


@given(st.lists(st.integers(1, 10**7), min_size=5, max_size=40))
def test_the_line_is_that_of_the_normal_equations(rounds: list[int]) -> None:
    found = window_of(rounds)
    first, last = line_by_normal_equations(rounds)
    reach = 1e-9 * max(rounds) * len(rounds)
    assert found.first == pytest.approx(float(first), abs=reach)
    assert found.last == pytest.approx(float(last), abs=reach)
    newest = rounds[-5:]
    mean = Fraction(sum(newest), 5)
    first, last = line_by_normal_equations(newest)
    range_percent = (max(newest) - min(newest)) / mean * 100
    slope_percent = abs(last - first) / mean * 100
    near = abs(range_percent - 20) < Fraction(1, 10**6) or abs(slope_percent - 10) < Fraction(
        1, 10**6
    )
    expected = range_percent <= 20 and slope_percent <= 10
    assert near or is_snia_steady(snia_window(rounds)) is expected
