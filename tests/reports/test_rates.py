"""Rates over time: each sample stands at its own time, however intervals end."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from iogate.model.histogram import Histogram
from iogate.model.measurement import Interval, Measurement, Series
from iogate.model.units import Unit
from iogate_reports.charts import heatmap, over_time
from iogate_reports.charts.rates import mean, quarters, rates
from iogate_reports.data import CaseData
from iogate_reports.series.zoom import MOST_POINTS, Trace, Zoom, payload
from support.report_runs import Pace, case, measurement
from support.unpacking import difference_levels, lines_of

CASE = case()


def ended(*jobs: Sequence[int], every: int = 100, ios: int = 10, number: int = 1) -> Measurement:
    """A repetition whose jobs have intervals that end so (ms); in each so many writes ended."""
    paces = {f"j{n}": {"write": Pace(iops=100)} for n in range(len(jobs))}
    whole = measurement(CASE, number, paces, random.Random(1), seconds=2)
    found = [
        replace(job, series=Series(every, tuple(written(end, ios) for end in ends)))
        for job, ends in zip(whole.jobs, jobs, strict=True)
    ]
    return replace(whole, jobs=tuple(found))


def written(end_ms: int, ios: int) -> Interval:
    slow = Histogram({100_000: ios})
    return Interval(end_ms, {"write": ios}, {"write": 4096 * ios}, {}, {"write": slow})


def spans(measured: Measurement) -> list[tuple[float, float, float]]:
    return [(round(r.start_s, 4), round(r.end_s, 4), r.iops) for r in rates(measured, "write")]


@pytest.mark.parametrize(
    "ends",
    [
        (100, 200, 301, 400),
        (103, 200, 303, 401),
        (99, 198, 300, 399),
        (140, 200, 345, 400),
    ],
)
def test_an_interval_that_ends_a_little_late_or_early_is_one_of_its_own(
    ends: tuple[int, ...],
) -> None:
    measured = ended(ends)
    starts = (0, *ends[:-1])
    expected = [(a / 1000, b / 1000, 10_000 / (b - a)) for a, b in zip(starts, ends, strict=True)]
    assert spans(measured) == [pytest.approx(each) for each in expected]
    assert heatmap.strip("1", measured, "write").slots == (1, 2, 3, 4)


def test_of_several_jobs_those_that_end_at_about_one_time_are_added() -> None:
    measured = ended((100, 201, 300), (101, 199, 302))
    assert [r.iops for r in rates(measured, "write")] == pytest.approx([198, 200, 198], abs=1)


def test_an_interval_that_ends_in_the_middle_of_the_next_is_joined_with_it() -> None:
    assert spans(ended((100, 260, 300, 400))) == [(0, 0.1, 100), (0.1, 0.3, 100), (0.3, 0.4, 100)]


def test_only_the_scrap_that_a_run_ends_with_is_left_out() -> None:
    assert [end for _, end, _ in spans(ended((100, 200, 249)))] == [0.1, 0.2]
    assert [end for _, end, _ in spans(ended((100, 200, 260)))] == [0.1, 0.2, 0.26]


def test_what_one_job_did_in_a_long_interval_is_spread_over_those_of_the_others() -> None:
    """The first job told nothing from 200 to 600 ms: no peak, and no time of its own."""
    other = tuple(range(100, 801, 100))
    measured = ended((100, 200, 600, 700, 800), other)
    found = [r.iops for r in rates(measured, "write")]
    assert found == pytest.approx([200, 200, 125, 125, 125, 125, 200, 200])


def test_a_long_interval_counts_for_its_length() -> None:
    """Ten I/Os in each of four intervals of 100 ms, and ten in one of 600 ms."""
    series = rates(ended((100, 200, 300, 400, 1000)), "write")
    values = [rate.iops for rate in series]
    assert mean(series, values) == pytest.approx(50)
    assert quarters(series, values) == pytest.approx((100, 10_000 / 600))


def stalled() -> list[Measurement]:
    """The second of three repetitions had a stall of 400 ms and told of it in one interval."""
    whole = tuple(range(100, 1101, 100))
    late = tuple(end for end in whole if not 300 < end < 800)
    return [ended(ends, number=n) for n, ends in enumerate((whole, late, whole), 1)]


def test_the_table_has_the_mean_over_time() -> None:
    figure = over_time.figures(CaseData(CASE, "case", tuple(stalled())))[0]
    assert [row[1] for row in figure.table.rows] == ["100 /s", "63.6 /s", "100 /s"]


def test_each_line_that_can_be_zoomed_has_its_values_at_its_own_times() -> None:
    figure = over_time.figures(CaseData(CASE, "case", tuple(stalled())))[0]
    assert figure.zoom is not None
    times, lines = lines_of(json.loads(payload([figure.zoom])))
    seen = {at: value for at, value in zip(times, lines[1], strict=True) if value is not None}
    assert seen == pytest.approx(
        {50: 100, 150: 100, 250: 100, 550: 20, 850: 100, 950: 100} | {1050: 100}
    )
    assert None not in lines[0]
    assert len(times) == len(set(times)) == 11


def test_samples_that_differ_by_little_have_one_time() -> None:
    measured = (ended((100, 200, 300)), ended((101, 203, 302), number=2))
    figure = over_time.figures(CaseData(CASE, "case", measured))[0]
    assert figure.zoom is not None
    assert len(figure.zoom.times_ms) == 3


def test_a_line_of_few_values_keeps_them_where_times_are_thinned() -> None:
    count = MOST_POINTS * 2
    turns = [
        Trace(str(n), "r0", [1.0 if i % 2 == n else None for i in range(count)]) for n in (0, 1)
    ]
    zoom = Zoom("rates", Unit.PER_SECOND, range(count), turns)
    _, lines = lines_of(json.loads(payload([zoom])))
    assert lines == [[1.0] * MOST_POINTS] * 2


def test_a_stall_takes_its_time_on_the_heatmap() -> None:
    """What ended after the stall is in the eighth column, as it is without one."""
    late = heatmap.strip("2", stalled()[1], "write")
    before = heatmap.Before(Histogram({900_000: 10}))
    rows = difference_levels(heatmap.draw("", "", [late], before))
    told = [any(row[place] for row in rows) for place in range(11)]
    assert told == [True] * 3 + [False] * 4 + [True] * 4


def test_a_repetition_that_a_chart_over_time_leaves_out_is_named() -> None:
    none, one, whole = ended(()), ended((100,), number=2), ended((100, 200, 300), number=3)
    data = CaseData(CASE, "case", (replace(none, repetition=1), one, whole))
    (latencies,), (ios, *_) = heatmap.figures(data), over_time.figures(data)
    few = "with too few intervals that have I/Os"
    assert f"Not drawn: 1 repetition {few} (1)." in latencies.note
    assert [row[0] for row in latencies.table.rows] == ["2", "3"], "one column is drawn, too"
    assert f"Not drawn: 2 repetitions {few} (1, 2)." in ios.note


def test_an_interval_of_ages_takes_no_room() -> None:
    data = CaseData(CASE, "case", (ended((100, 200, 10**15)),))
    assert len(over_time.figures(data)[0].svg) < 20_000
    assert len(heatmap.figures(data)[0].svg) < 20_000
