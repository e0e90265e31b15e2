"""Pictures of the trend site: what they say of a series, and that they stay as they are.

IOGATE_UPDATE_GOLDEN=1 writes the golden pictures again; look at them before committing.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from iogate.model.trend import SeriesTrend
from iogate_reports.charts import glance, nights, spark
from iogate_reports.data import Page
from iogate_reports.site.fleet import draw, members
from iogate_reports.trend_lines import Line
from support.golden import golden
from support.years import Story, year

STORY = Story(120, ((40, 0.12, 1),), (80, 1), 100, 20)


@pytest.fixture(scope="module")
def moved() -> Line:
    """A regression and its recovery, a new firmware, and a night that broke."""
    return next(line for line in year(2, story=STORY).lines if len(line.moves) == 2)


def minutes(line: Line) -> list[int]:
    return [line.times[line.place(n)] for n in range(line.series.nights[-1] + 1)]


def test_spark_golden(moved: Line) -> None:
    golden("spark", spark.draw(moved))


def test_nights_golden(moved: Line) -> None:
    limited = replace(moved, limits=(("read.iops > 79k", 79_000.0),))
    golden("nights", nights.draw("iops", "a year", limited, minutes(moved)))


def test_strip_golden() -> None:
    hosts = [f"lab-{n}" for n in range(5)]
    story = Story(30, (), (99, 9), 99, 7)
    found = members(year(1, hosts=hosts, odd_host="lab-3", story=story).lines[::2])
    assert found[0].stands_out
    golden("strip", draw(found[0], 0.12, "worse"))


def test_glance_golden(regressed: tuple) -> None:  # type: ignore[type-arg]
    run, baseline = regressed
    golden("glance", glance.draw(Page(run, baseline).cases[0]))


def test_a_sparkline_marks_what_got_worse_and_what_got_better(moved: Line) -> None:
    picture = spark.draw(moved)
    worse, better = (
        int(re.findall(f'class="{kind}" d="M(\\d+)', picture)[0]) for kind in ("worse", "better")
    )
    span = spark.WIDTH - 4
    assert worse == pytest.approx(2 + span * 40 / 119, abs=4)
    assert better == pytest.approx(2 + span * 80 / 119, abs=4)


def test_the_band_of_a_night_is_between_its_ends(moved: Line) -> None:
    picture = nights.draw("iops", "a year", moved, minutes(moved))
    areas = re.findall(r'class="sure"', picture)
    assert len(areas) == 1
    path = re.findall(r'd="([^"]*)" class="sure"', picture)[0]
    # Cut at the broken night, the regression and the recovery: nothing leads over a step.
    assert path.count("M") == path.count("z") == 4
    assert nights.band_text(moved.series) == "interval of that median (75 %, n = 3)"


def test_one_wild_repetition_does_not_flatten_the_others(moved: Line) -> None:
    highs = list(moved.series.highs)
    highs[50] *= 1000
    wild = replace(moved, series=replace(moved.series, highs=tuple(highs)))
    assert wild.ends[1] < max(moved.series.highs) * 1.01


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("value", [0.0, 5.0, 1e-300, 1e300])
def test_few_and_equal_values_are_drawn(moved: Line, count: int, value: float) -> None:
    one = few(moved.series, count, value)
    line = replace(moved, series=one, times=moved.times[:count], moves=(), markers=())
    for picture in (spark.draw(line), nights.draw("x", "y", line, minutes(line))):
        assert "nan" not in picture
        assert "inf" not in picture
    assert all(map(math.isfinite, line.ends))


@pytest.mark.parametrize(
    ("minutes_later", "marks"), [((), 1), ((7,), 0), ((24 * 60,), 0)], ids=["one", "two", "days"]
)
def test_a_young_series_has_a_date_and_the_first_night_a_dot(
    moved: Line, minutes_later: tuple[int, ...], marks: int
) -> None:
    times = (moved.times[0], *(moved.times[0] + later for later in minutes_later))
    one = few(moved.series, len(times), 5.0)
    line = replace(moved, series=one, times=times, moves=(), markers=())
    picture = nights.draw("x", "y", line, minutes(line))
    assert picture.count('class="dot s0"') == marks
    assert re.search(r">\d\d [A-Z][a-z]{2}( \d{4})?<", picture)


def few(one: SeriesTrend, count: int, value: float) -> SeriesTrend:
    values = (value,) * count
    return replace(
        one, nights=one.nights[:count], values=values, lows=values, highs=values,
        counts=(2,) * count, level=value, last=value, recoveries=(),
    )  # fmt: skip
