"""When a rate is steady, by fio's rules and as fio itself computes them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.stats.steady import SteadyRule, parse_rule, unsteadiness


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
