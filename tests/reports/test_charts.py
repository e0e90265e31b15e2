"""Charts: every registered one keeps the contract, and small ones look as they did."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.model.histogram import Histogram
from iogate.model.measurement import Interval, Measurement, Series
from iogate.model.run import CaseFailure, Run
from iogate.model.units import Unit
from iogate_reports.charts import (
    CASE_CHARTS,
    WORKLOAD_CHARTS,
    cdf,
    glance,
    heatmap,
    interval_bar,
    over_time,
    percentiles,
    repetitions,
    ribbon,
    svg,
    sweep,
)
from iogate_reports.charts.base import CaseChart, Figure, WorkloadChart
from iogate_reports.charts.lanes import quantiles_ns
from iogate_reports.charts.matrix import Cell, Grid
from iogate_reports.charts.matrix import draw as draw_matrix
from iogate_reports.charts.png import data_uri, diverging_uri
from iogate_reports.charts.rates import rates as rates_of
from iogate_reports.charts.scale import Linear, cut, linear_around, log_around
from iogate_reports.data import CaseData, Page, WorkloadData
from iogate_reports.series.zoom import Trace, Zoom
from iogate_reports.series.zoom import payload as zoom_payload
from support import samples
from support.golden import golden
from support.report_runs import Pace, case, former, limit, measurement, plan, run
from support.run_pasts import trend_of
from support.unpacking import difference_levels


@pytest.fixture(scope="module")
def sweep_data() -> WorkloadData:
    """Reads, writes and a mix over three numbers of jobs."""
    rng = random.Random(9)
    chart = {"x": "numjobs", "y": "bw", "series": "rw,direction", "scale": "log-log"}
    cases, found = [], []
    for rw, directions in (("read", ["read"]), ("write", ["write"]), ("rw", ["read", "write"])):
        for jobs in (1, 8, 64):
            one = case(f"sweep/rw={rw},numjobs={jobs}", options={"rw": rw}, chart=chart)
            paces = {"j": {d: Pace(iops=3000.0 * jobs) for d in directions}}
            cases.append(one)
            found.append(measurement(one, 1, paces, rng, seconds=3))
    return Page(run(plan(cases), found)).workloads[0]


@pytest.mark.parametrize("chart", CASE_CHARTS.values(), ids=CASE_CHARTS)
def test_a_case_chart_keeps_the_contract(
    chart: CaseChart, regressed: tuple[object, object], stalled: CaseData, slower: Run
) -> None:
    page = Page(*regressed)  # type: ignore[arg-type]
    page = replace(page, trend=trend_of(page.run))
    cases = (*page.cases, *Page(slower).cases, stalled)
    drawn = [figure for one in cases for figure in chart(one)]
    assert drawn
    for figure in drawn:
        check_figure(figure)
    assert list(chart(CaseData(case(), "case-x"))) == [], "nothing measured, nothing drawn"


@pytest.mark.parametrize("name", WORKLOAD_CHARTS)
def test_a_workload_chart_keeps_the_contract(
    name: str, sweep_data: WorkloadData, grid: WorkloadData
) -> None:
    chart: WorkloadChart = WORKLOAD_CHARTS[name]
    drawn = [*chart(sweep_data), *chart(grid)]
    assert len(drawn) == 1, "one workload asks for a chart, the other varies its load"
    check_figure(drawn[0])
    bare = WorkloadData("w", (CaseData(case(), "case-x"),))
    assert list(chart(bare)) == []


def check_figure(figure: Figure) -> None:
    root = ET.fromstring(figure.svg)
    assert root.tag == "svg"
    assert root.get("role") == "img"
    assert root.find("title") is not None
    assert (root.findtext("desc") or "").strip()
    _, _, width, height = (float(v) for v in (root.get("viewBox") or "").split())
    for label in root.iter("text"):
        assert -1 <= float(label.get("x", "nan")) <= width + 1
        assert -1 <= float(label.get("y", "nan")) <= height + 1
    assert figure.title
    assert figure.table.rows
    for row in figure.table.rows:
        assert len(row) == len(figure.table.headers)


def test_percentiles_golden() -> None:
    body = Histogram({95_000: 500, 120_000: 380, 180_000: 100, 1_100_000: 15, 4_000_000: 5})
    now = percentiles.curve(body, "this run", "s0")
    slower = Histogram({v * 2: n for v, n in body.bins.items()})
    before = percentiles.curve(slower, "baseline", "base")
    assert now
    assert before
    golden("percentiles", percentiles.draw("Write latency", "two runs", [now, before], []))


@pytest.mark.parametrize(("times", "is_cut"), [(4.0, False), (1000.0, True)])
def test_the_axis_of_percentiles_goes_as_far_as_their_bands_and_at_most_a_decade_beyond(
    times: float, is_cut: bool
) -> None:
    line = percentiles.curve(Histogram({1000: 900, 5000: 100}), "x", "s0")
    assert line is not None
    (first, low), (last, _) = line.points[0], line.points[-1]
    band = ((first, low, low * 1.1), (last, low, low * 5 * times))
    drawn = percentiles.draw("Latency", "one run", [line], [], [(band, "s0")])
    (path,) = re.findall(r'd="([^"]*)" class="ribbon s0"', drawn)
    steps = [float(each) for each in re.findall(r"-?[\d.]+", path)[1::2]]
    heights = list(accumulate(steps))
    top = min(percentiles._FRAME.y_range)
    assert (min(heights) <= top + 0.1) is is_cut


def test_a_percentile_curve_ends_where_no_io_lies_beyond() -> None:
    found = percentiles.curve(Histogram({1000: 990, 5000: 10}), "x", "s0")
    assert found
    assert found.points[-1][0] == pytest.approx(3.0, abs=0.15)
    assert found.points[-1][0] <= 3.0
    assert percentiles.curve(Histogram({1000: 1}), "x", "s0") is None
    assert percentiles.curve(Histogram({}), "x", "s0") is None


def test_over_time_golden() -> None:
    lines = [
        [(float(t), 1000.0 + 50 * t) for t in range(1, 6)],
        [(float(t), 1200.0 - 40 * t) for t in range(1, 6)],
    ]
    golden(
        "over_time",
        over_time.draw("Read IOPS", "two", lines, over_time.IOPS, level=1100.0, bytes_each=4096.0),
    )


def test_repetitions_golden() -> None:
    one = repetitions.Samples(
        "read.iops",
        Unit.PER_SECOND,
        (101e3, 99e3, 104e3),
        (98e3, 97e3),
        (("> 95k", 95e3), ("> 1k", 1e3)),
    )
    golden("repetitions", repetitions.draw("read.iops", "three", one))


def test_of_a_long_baseline_the_newest_values_are_drawn_in_the_order_they_ran() -> None:
    one = case(thresholds=[limit("write.iops vs baseline > -3%", -0.03)])

    def values(first: int) -> tuple[Measurement, ...]:
        return samples.repetitions([first, first + 1, first + 2], case_id=one.id)

    now = run(plan([one]), values(100), judged=False)
    days = range(1, 16)
    before = [former(now, values(1000 * day), day) for day in days]
    data = Page(run(now.plan, now.measurements, baseline=before), before).cases[0]
    assert glance.draw(data).count("h0") == repetitions.SHOWN + len(now.measurements)
    (found,) = repetitions.samples(data)
    assert found.before == tuple(1000 * day + n for day in reversed(days) for n in range(3))
    (figure,) = repetitions.figures(data)
    dots = re.findall(r'd="([^"]*)" class="dot base"', figure.svg)[0]
    assert dots.count("h0") == repetitions.SHOWN
    heights = [float(y) for y in re.findall(r" ([\d.]+)h0", dots)]
    assert heights[0] < heights[-4] < heights[-1], "the values went down, run by run"
    assert heights[-3:] == pytest.approx([heights[-1]] * 3, abs=1), "the newest run is whole"
    assert ("baseline, median of 45", "8.00 k/s") in figure.table.rows
    assert figure.note == "baseline: the newest 40 of 45 are dots."


def test_a_repetition_keeps_its_number_when_one_before_it_failed() -> None:
    one = case(thresholds=[limit("write.iops > 1k", 1000.0)])
    paces = {"oltp-write": {"write": Pace(iops=2000)}}
    found = [measurement(one, n, paces, random.Random(n), seconds=4) for n in (1, 3, 4)]
    lost = CaseFailure(one.id, 2, "the engine is gone")
    data = Page(run(plan([one]), found, failures=(lost,))).cases[0]
    (values,) = repetitions.figures(data)
    assert [row[0] for row in values.table.rows[:3]] == [f"repetition {n}" for n in (1, 3, 4)]
    assert [label.text for label in ET.fromstring(values.svg).iter("text")][-4:-1] == list("134")
    rates = over_time.figures(data)[0]
    assert [row[0] for row in rates.table.rows] == list("134")
    assert rates.zoom is not None
    assert [trace.label for trace in rates.zoom.traces] == [f"repetition {n}" for n in (1, 3, 4)]
    assert rates.legend[1].label == "repetition 4, the last"


def test_many_repetitions_of_both_sides_are_cut_each_for_itself() -> None:
    values = [1.0, 2.0]
    own = [Trace(f"repetition {n}", "r0", values) for n in range(1, 21)]
    base = [Trace(f"baseline {n}", "base", values) for n in range(1, 21)]
    ends = (*range(1, 7), *range(15, 21))
    found = json.loads(zoom_payload([Zoom("rates", Unit.PER_SECOND, [500, 1500], [*own, *base])]))
    labels = [label for label, *_ in found["series"][0]["lines"]]
    assert labels == [f"{side} {n}" for side in ("repetition", "baseline") for n in ends]


def test_a_chart_that_shows_fewer_lines_when_zoomed_says_so() -> None:
    one = case()
    paces = {"oltp-write": {"write": Pace(iops=2000)}}
    found = tuple(measurement(one, n, paces, random.Random(n), seconds=2) for n in range(1, 14))
    notes = [over_time.figures(CaseData(one, "case", found[:n]))[0].note for n in (12, 13)]
    assert notes == ["", "Zoomed, the first and last 6 repetitions of each side have a line."]


def test_interval_bar_golden() -> None:
    bar = interval_bar.Bar(0.12, 0.08, 0.17, 0.10, "baseline")
    far = interval_bar.Bar(3.0, 2.0, 4.0, -0.03, "baseline")
    axis = Linear(-0.3, 0.3, 9, 159)
    picture = interval_bar.draw(bar, axis)
    golden("interval_bar", interval_bar.draw_head(axis) + picture)
    assert "far" not in picture
    assert 'class="far"' in interval_bar.draw(far, axis), "an arrowhead at the edge"


def test_matrix_golden() -> None:
    cells = {
        ("4k", "1"): Cell("▲ +12.0 %", "h-3"),
        ("4k", "8"): Cell("= 0.0 %"),
        ("16k", "1"): Cell("▼ −4.0 %", "h2"),
    }
    grid = Grid("bs", "iodepth", ("4k", "16k"), ("1", "8"), cells)
    golden("matrix", draw_matrix("grid", "bs down, iodepth across", grid))


def test_a_sweep_has_a_line_a_series_in_log_log(sweep_data: WorkloadData) -> None:
    found = sweep.lines(sweep_data)
    assert [one.label for one in found] == ["read", "write", "rw read", "rw write"]
    assert [p[0] for p in found[0].points] == ["1", "8", "64"]
    figure = sweep.figures(sweep_data)[0]
    assert figure.table.headers == ("numjobs", "read", "write", "rw read", "rw write")
    xs = [
        float(e.get("x", ""))
        for e in ET.fromstring(figure.svg).iter("text")
        if e.text in {"1", "8", "64"}
    ]
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1], abs=0.2), "equal factors, equal steps"


def test_fio_amounts_place_a_point() -> None:
    assert sweep.amount("4k") == 4096
    assert sweep.amount("1G") == 2**30
    assert sweep.amount("512KiB") == 2**19
    assert sweep.amount("none") is None


def test_rates_add_jobs_and_leave_a_scrap_of_an_interval_out() -> None:
    one = measurement(
        case(),
        1,
        {"a": {"read": Pace(iops=100)}, "b": {"read": Pace(iops=300)}},
        random.Random(1),
        seconds=4,
    )
    jobs = tuple(replace(job, series=with_scrap(job.series)) for job in one.jobs)
    one = replace(one, jobs=jobs)
    found = rates_of(one, "read")
    assert [rate.at_s for rate in found] == [0.5, 1.5, 2.5, 3.5]
    sums = [
        sum(job.series.intervals[i].ios["read"] for job in one.jobs if job.series) for i in range(4)
    ]
    assert [rate.iops for rate in found] == sums
    assert len(heatmap.strip("1", one, "read").columns) == 4
    assert rates_of(one, "write") == []


def test_syncs_have_no_line_over_time_as_no_engine_counts_them_by_interval() -> None:
    """And their percentiles are not of completion latency, which a sync has none of."""
    one = case()
    rng = random.Random(1)
    whole = measurement(one, 1, {"j": {"write": Pace(iops=1500)}}, rng, seconds=3)
    (job,) = whole.jobs
    sync = replace(samples.direction(), lat=job.directions["write"].clat, clat=None)
    both = replace(job, directions={**job.directions, "sync": sync})
    data = CaseData(one, "case", (replace(whole, jobs=(both,)),))
    drawn = [figure for chart in CASE_CHARTS.values() for figure in chart(data)]
    syncs = {figure.title: figure.svg for figure in drawn if figure.title.startswith("Sync")}
    assert syncs.keys() == {"Sync latency percentiles", "Sync latency distribution"}
    assert all("sync latency" in one and "completion" not in one for one in syncs.values())


def with_scrap(series: Series | None) -> Series:
    """The series with what a thread still did 20 ms after the last whole second."""
    assert series is not None
    scrap = Interval(4020, {"read": 1}, {"read": 4096}, {}, {"read": Histogram({10**9: 1})})
    return replace(series, intervals=(*series.intervals, scrap))


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=500))
def test_thinning_keeps_the_extremes(values: list[float]) -> None:
    points = [(float(i), v) for i, v in enumerate(values)]
    kept = over_time.thinned(points)
    assert len(kept) <= max(over_time.MAX_POINTS, 1)
    assert {min(values), max(values)} <= {v for _, v in kept}
    assert kept == sorted(kept)


@given(st.dictionaries(st.integers(1, 10**9), st.integers(1, 10**6), min_size=1, max_size=40))
def test_quantiles_agree_with_the_model(bins: dict[int, int]) -> None:
    found = Histogram(dict(sorted(bins.items())))
    shares = (0.0, 0.1, 0.5, 0.9, 0.99, 1.0)
    assert quantiles_ns(found, shares) == pytest.approx([found.quantile_ns(q) for q in shares])


@given(st.lists(st.floats(1e-3, 1e12), min_size=1, max_size=30), st.sampled_from(list(Unit)))
def test_axes_hold_their_values_and_their_ticks(values: list[float], unit: Unit) -> None:
    for scale in (linear_around(values, 200, 20, unit), log_around(values, 200, 20, unit)):
        assert scale is not None
        for value in values:
            assert 19.9 <= scale.at(value) <= 200.1
        ticks = scale.ticks()
        assert all(19 <= scale.at(v) <= 201 for v, _ in ticks)
        assert all(math.isfinite(v) for v, _ in ticks)


@pytest.mark.parametrize("values", [[107e6, 107.4e6], [24.2e3, 24.6e3], [0.0, 0.0], [5.0]])
def test_labels_of_a_narrow_axis_differ(values: Sequence[float]) -> None:
    labels = [label for _, label in linear_around(values, 200, 20, Unit.PER_SECOND).ticks()]
    assert len(set(labels)) == len(labels) >= 2


def test_bandwidth_ticks_are_round_in_binary_units() -> None:
    scale = linear_around([0.0, 450 * 2**20], 200, 20, Unit.BYTES_PER_SECOND)
    assert [label for _, label in scale.ticks()] == ["0", "200 MiB/s", "400 MiB/s"]


@given(st.lists(st.tuples(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4)), min_size=1, max_size=50))
def test_a_relative_trace_ends_where_it_should(points: list[tuple[float, float]]) -> None:
    path = svg.trace(points)
    x = y = 0.0
    for part in re.findall(r"[Ml][^Ml]*", path):
        dx, dy = (float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", part[1:]))
        x, y = (dx, dy) if part[0] == "M" else (x + dx, y + dy)
    assert (x, y) == pytest.approx(points[-1], abs=0.11)


def test_what_is_not_finite_is_no_coordinate() -> None:
    with pytest.raises(ValueError, match="not a coordinate"):
        svg.num(float("nan"))


def test_the_heatmap_is_a_real_png() -> None:
    uri = data_uri([[0, 15, 3], [7, 1, 0]], heatmap.BLUE)
    assert uri.startswith("data:image/png;base64,iVBORw0KGgo")


def test_the_axis_of_change_is_not_stretched_by_one_row() -> None:
    calm = [interval_bar.Bar(0.01, -0.01, 0.03, 0.05, "baseline") for _ in range(20)]
    wild = interval_bar.Bar(40.0, 30.0, 50.0, 0.05, "baseline")
    assert interval_bar.axis([*calm, wild]).high < 0.2


@pytest.mark.parametrize("value", [1e-9, 0.031, 0.146, 0.5, 7.0])
def test_the_axis_of_change_has_round_numbers(value: float) -> None:
    axis = interval_bar.axis([interval_bar.Bar(value, None, None, value, "baseline")])
    assert axis.high >= min(value, 1.0)
    told = f"{axis.high / 2 * 100:.6g}".rstrip("0").replace(".", "").lstrip("0")
    assert told in {"1", "15", "2", "25", "3", "4", "5", "6", "8"}


def test_a_limit_without_baseline_is_drawn_as_distance_from_itself() -> None:
    one = case(thresholds=[limit("write.iops > 1k", 1000.0)])
    found = measurement(one, 1, {"j": {"write": Pace(iops=1500)}}, random.Random(1), seconds=3)
    verdict = run(plan([one]), [found]).verdict
    assert verdict is not None
    bar = interval_bar.bar(verdict.thresholds[0])
    assert bar is not None
    assert bar.zero == "limit"
    assert bar.limit == 0.0
    assert bar.value == pytest.approx(0.5, abs=0.2)


def test_cdf_golden() -> None:
    found = Histogram({95_000: 500, 120_000: 380, 180_000: 100, 1_100_000: 15, 4_000_000: 5})
    one = cdf.distribution(found, "this run", "s0")
    assert one
    assert one.points[-1][1] == 1.0
    assert cdf.distribution(Histogram({}), "x", "s0") is None
    golden("cdf", cdf.draw("Read latency", "one", [one], (90_000, 2_000_000)))


def test_a_band_holds_its_curve_and_wants_three_repetitions() -> None:
    without = [[(1.0, 100.0 * k), (2.0, 200.0)] for k in (0.95, 1.0, 1.05)]
    middle = [(1.0, 103.0), (2.0, 200.0), (3.0, 300.0)]
    assert ribbon.band(middle, without[:2]) == ()
    (_, low, high), (_, sure, certain) = ribbon.band(middle, without)
    assert low < 95.0
    assert high > 111.0, "of three repetitions it is wider than they are apart"
    assert sure == pytest.approx(200.0) == certain


def test_the_difference_panel_is_orange_where_the_baseline_had_less() -> None:
    slow, fast = Histogram({400_000: 100}), Histogram({100_000: 100})
    now = heatmap.Strip("1", ([slow], [slow]), (1, 2), 2)
    levels = difference_levels(heatmap.draw("", "", [now], heatmap.Before(fast)))
    filled = [row for row in levels if any(row)]
    assert filled == [[7, 7], [-7, -7]], "slower I/Os stand above"


def test_the_difference_is_to_the_same_time_where_the_baseline_kept_it() -> None:
    """Both get slow in their second half: nothing differs, but to the mean of all time."""
    one = case()
    fast, slow = Pace(iops=500, p50_ns=1e5), Pace(iops=500, p50_ns=1e7)
    first, last = (
        measurement(one, 1, {"j": {"write": pace}}, random.Random(1), seconds=4)
        for pace in (fast, slow)
    )
    (job,), (later,) = first.jobs, last.jobs
    assert job.series
    assert later.series
    halves = (*job.series.intervals[:2], *later.series.intervals[2:])
    drifting = replace(first, jobs=(replace(job, series=replace(job.series, intervals=halves)),))
    bare = replace(drifting, jobs=(replace(job, series=None),))
    same, mean = (
        heatmap.figures(CaseData(one, "case", (drifting,), (before,)))[0]
        for before in (drifting, bare)
    )
    clear = diverging_uri([[0] * 4] * heatmap.ROWS, heatmap.BLUE, heatmap.ORANGE)
    assert clear in same.svg
    assert clear not in mean.svg
    assert "at the same time" in same.legend[1].label
    assert "in all of" in mean.legend[1].label


def test_where_the_baseline_had_no_io_at_the_time_nothing_is_told() -> None:
    columns = tuple([Histogram({100_000: 10})] for _ in range(3))
    now = heatmap.Strip("1", columns, (1, 2, 3), 3)
    before = heatmap.Before(Histogram({100_000: 10}), {1: columns[0], 3: [Histogram({900_000: 9})]})
    rows = difference_levels(heatmap.draw("", "", [now], before))
    assert [{row[place] for row in rows} for place in range(3)] == [{0}, {0}, {-7, 0, 7}]


def test_an_axis_that_is_cut_says_so(regressed: tuple[Run, tuple[Run, ...]]) -> None:
    dots = {f.title: f.note for f in repetitions.figures(Page(*regressed).cases[0])}
    assert "The axis does not begin at 0." in dots["write.iops by repetition"]
    assert cut([0.0, 9.0]) == cut([1.0, 90.0]) == cut([-1.0, 9.0]) == ""
