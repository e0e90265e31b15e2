"""How a watch goes through the status lines of an engine."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from iogate.engine.base import Progress, Rates
from iogate.jobs.steady_times import timeout_of
from iogate.run.steady_watch import SteadyWatch


def watched(options: dict[str, str], rates: Iterable[float], *, step_s: float = 1) -> SteadyWatch:
    """A watch after status lines of these rates, one each ``step_s``."""
    watch = SteadyWatch(options)
    for n, rate in enumerate(rates, 1):
        now = Progress("running", round(n * step_s * 1000), 0, {"write": Rates(rate, rate * 4096)})
        watch.look(now)
    return watch


def minutes(*rates: float) -> list[float]:
    """Sixty status lines of each rate."""
    return [rate for rate in rates for _ in range(60)]


def test_five_rounds_of_a_minute_decide() -> None:
    options = {"steadystate": "snia"}
    early = watched(options, minutes(900, 300, 100, 102, 98, 101))
    assert not early.steady
    assert "of 20 %" in early.text
    watch = watched(options, minutes(900, 300, 100, 102, 98, 101, 99))
    assert watch.steady
    found = watch.found()
    assert found is not None
    assert (found.rule, found.of, found.round_s, found.window) == ("snia", "iops", 60, 5)
    assert found.rounds == pytest.approx((900, 300, 100, 102, 98, 101, 99))
    assert found.mean == pytest.approx(100)
    assert found.band == pytest.approx((90, 110))
    assert found.line == pytest.approx((100.6, 99.4))
    assert found.found == "iops range 4 % of 20 %, slope 1.2 % of 10 % in 7 rounds"


def test_a_round_is_a_mean_over_time_however_often_the_engine_tells() -> None:
    options = {"steadystate": "snia", "steadystate_check_interval": "4s"}
    found = watched(options, [50, 150] * 20, step_s=0.5).found()
    assert found is not None
    assert found.rounds == pytest.approx((100,) * 5)


def test_what_is_left_out_at_the_start_is_in_no_round() -> None:
    options = {
        "steadystate": "snia",
        "steadystate_check_interval": "2s",
        "steadystate_ramp_time": "10s",
    }
    found = watched(options, [9999] * 9 + [100] * 20).found()
    assert found is not None
    assert found.rounds == pytest.approx((100,) * 5)


def test_fios_rules_look_at_each_second() -> None:
    options = {"steadystate": "iops:10%", "steadystate_duration": "5s"}
    watch = watched(options, [500, 400, 300, 200, 101, 99, 100, 102, 98, 100])
    assert watch.steady
    found = watch.found()
    assert found is not None
    assert (found.round_s, found.window) == (1, 6)
    assert found.band == pytest.approx((90, 110))
    slope = watched({**options, "steadystate": "bw_slope:1%"}, [100] * 20).found()
    assert slope is not None
    assert (slope.of, slope.band, slope.mean) == ("bw", (), 409600)


def test_a_long_way_is_kept_in_fewer_points() -> None:
    found = watched({"steadystate": "iops:0.001%"}, [100 + n % 7 for n in range(3000)]).found()
    assert found is not None
    assert len(found.rounds) <= 600
    assert found.round_s == 5
    assert found.window == 61 // 5


def test_how_long_it_may_take() -> None:
    assert timeout_of({"steadystate": "iops:1%"}) == "1h"
    assert timeout_of({"steadystate": "snia"}) == "1505s"
    assert timeout_of({"steadystate": "snia", "steadystate_check_interval": "2s"}) == "55s"
    assert timeout_of({"steadystate": "snia", "runtime": "4h"}) == "4h"


@pytest.mark.parametrize("rule", ["iops:90%", "bw_slope:90%", "snia"])
def test_what_cannot_be_judged_is_told_in_words(rule: str) -> None:
    options = {"steadystate": rule, "steadystate_check_interval": "1s"}
    assert watched(options, [100, 100]).text.startswith("round 2 of at least ")
    still = watched(options, [0] * 9)
    assert not still.steady
    assert still.text == "nothing was written in the rounds that were judged"


def test_a_window_of_three_rounds_is_enough_although_status_lines_are_late() -> None:
    options = {"steadystate": "iops:90%", "steadystate_duration": "3s"}
    assert watched(options, [100] * 4, step_s=1.02).steady
