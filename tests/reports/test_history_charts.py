"""What stands beside a run: its history in small and in large, and load against latency."""

from __future__ import annotations

import re
from dataclasses import replace

from iogate.model.histogram import Histogram
from iogate.model.run import Run
from iogate.model.trend import FactChange, Marker
from iogate.model.units import Unit
from iogate_reports import history, render_report
from iogate_reports.charts import heatmap, knee, matrix, percentiles, sweep
from iogate_reports.charts import ribbon as bands
from iogate_reports.charts.base import Figure
from iogate_reports.charts.pooled import Pooled
from iogate_reports.data import Page, WorkloadData
from iogate_reports.text import signed
from support.golden import golden
from support.html_tree import Node, read_html
from support.run_pasts import DEPTHS, trend_of


def test_a_row_has_the_90_days_up_to_the_run(regressed: tuple[Run, tuple[Run, ...]]) -> None:
    now, before = regressed
    found = history.lines_of(now, trend_of(now))
    (kept,) = found.values()
    assert len(kept.times) == 91, "90 days, and the run's own night"
    assert kept.times[-1] == now.started_ns // (60 * 10**9)
    assert len(kept.series.lows) == len(kept.times)
    page = read_html(render_report(now, before, trend=trend_of(now)))
    table = page.all("table", "results")[0]
    assert "90 days" in table.all("thead")[0].text
    shown = [row for row in table.all("tr") if row.all("svg", "spark")]
    assert len(shown) == 1
    assert "write.iops" in shown[0].text


def test_nights_before_an_accepted_change_stay_a_level_of_their_own(
    regressed: tuple[Run, tuple[Run, ...]],
) -> None:
    now, _ = regressed
    trend = trend_of(now, step=-0.2)

    def levels(start: int) -> list[tuple[int, int]]:
        one = replace(trend.series[0], start=start)
        (line,) = history.lines_of(now, replace(trend, series=(one,))).values()
        return [(segment.first, segment.last) for segment in line.segments]

    assert levels(81) == [(0, 51), (52, 90)], "the 29 oldest nights are not shown"
    assert levels(10) == [(0, 90)], "accepted longer ago than 90 days"


def test_without_a_history_there_is_no_column_for_it(
    regressed: tuple[Run, tuple[Run, ...]],
) -> None:
    now, before = regressed
    few = trend_of(now, count=2)
    for trend in (None, replace(few, nights=few.nights[:2], series=())):
        page = read_html(render_report(now, before, trend=trend))
        assert "90 days" not in page.all("table", "results")[0].text


def test_the_history_of_another_host_is_not_shown(regressed: tuple[Run, tuple[Run, ...]]) -> None:
    now, _ = regressed
    other = trend_of(now)
    moved = tuple(replace(one, machine_id="elsewhere") for one in other.series)
    assert history.lines_of(now, replace(other, series=moved)) == {}


def test_a_limit_that_failed_shows_its_nights_in_large(
    regressed: tuple[Run, tuple[Run, ...]],
) -> None:
    now, before = regressed
    page = read_html(render_report(now, before, trend=trend_of(now)))
    titles = [figure.all("figcaption")[0].text for figure in page.all("figure")]
    assert titles.count("write.iops by night, the last 90 days") == 1


def test_what_changed_on_the_host_stands_below_its_nights(
    regressed: tuple[Run, tuple[Run, ...]],
) -> None:
    now, before = regressed
    changes = (FactChange("kernel.release", "6.17", "6.18"),)
    markers = (Marker(now.host.name, now.host.machine_id, 100, changes),)
    trend = replace(trend_of(now), markers=markers)
    page = read_html(render_report(now, before, trend=trend))
    (figure,) = (one for one in page.all("figure") if "by night" in one.text)
    assert re.fullmatch(
        r"The host changed\. 1: 2025-11-01 kernel.release 6.17 → 6.18\."
        r" The axis does not begin at 0\.",
        figure.all("p", "note")[0].text,
    )


def test_load_against_latency_has_a_line_a_block_size(grid: WorkloadData) -> None:
    (figure,) = knee.figures(grid)
    assert [key.label for key in figure.legend] == ["bs=4k", "bs=16k", "baseline"]
    assert figure.table.headers[:4] == ("line", "iodepth", "I/Os a second", "p99")
    assert [row[1] for row in figure.table.rows[:4]] == [str(depth) for depth in DEPTHS]
    assert "The rate is the median of repetitions, the latency of all their I/Os" in figure.note
    (small, large) = knee.lines(grid, "write", "iodepth")
    assert [p.iops for p in small.points] == sorted(p.iops for p in small.points)
    assert all(now.p99_ns > old.p99_ns for now, old in zip(large.points, large.before, strict=True))


def test_a_workload_without_load_has_no_such_picture(grid: WorkloadData) -> None:
    few = WorkloadData("w", grid.cases[: knee.FEWEST - 1])
    assert knee.figures(few) == []
    (alone,) = knee.figures(WorkloadData("w", grid.cases[: knee.FEWEST]))
    assert "<desc>1 line over iodepth" in alone.svg
    old = replace(grid.cases[0], baseline_runs=9)
    (figure,) = knee.figures(WorkloadData("w", (old, *grid.cases[1:])))
    assert "Of the baseline’s 9 runs these are the newest 5." in figure.note


def test_a_matrix_shows_the_change_though_its_first_limit_is_absolute(grid: WorkloadData) -> None:
    (figure,) = matrix.figures(grid)
    assert "change against baseline" in figure.title
    assert "n = 3 vs 3 in each cell" in figure.note
    cells = {row[0]: row[1:] for row in figure.table.rows}
    assert all(text.startswith("▲ +") for text in cells["16k"])
    assert "tinted where the change is clear" in figure.note


def test_a_matrix_says_the_change_that_its_limits_say(
    regressed: tuple[Run, tuple[Run, ...]],
) -> None:
    workload = Page(*regressed).workloads[0]
    (figure,) = matrix.figures(workload)
    cells = {text.split(" ", 1)[1] for row in figure.table.rows for text in row[1:]}
    judged = [v for case in workload.cases for v in case.thresholds]
    changes = [v.change for v in judged if v.threshold.metric in figure.title and v.change]
    assert len(changes) == 4
    assert cells == {signed(change) for change in changes}


def test_a_matrix_without_a_baseline_speaks_of_no_change(grid: WorkloadData) -> None:
    alone = [replace(case, thresholds=case.thresholds[:1], observations=()) for case in grid.cases]
    (figure,) = matrix.figures(WorkloadData(grid.name, tuple(alone)))
    assert figure.title.endswith("write.clat.p99, median")
    assert figure.note == "n = 3 in each cell."


def picture(figures: list[Figure]) -> str:
    (figure,) = figures
    return figure.svg


def test_knee_golden() -> None:
    points = tuple(knee.Point(str(n), 1e4 * n**0.6, 1e5 * n**0.5) for n in (1, 4, 16))
    before = tuple(knee.Point(p.load, p.iops * 1.1, p.p99_ns * 0.8) for p in points)
    found = [knee.Line("bs=4k", "s0", points, before)]
    golden("knee", knee.draw("throughput against latency", "one line", found))


def test_sweep_golden() -> None:
    points = (("1", 1.0, 100e6), ("8", 8.0, 600e6), ("64", 64.0, 900e6))
    found = [sweep.Line("write", "s0", points), sweep.Line("read", "s1 alt", points[:2])]
    chart = {"x": "numjobs", "scale": "log-log"}
    golden("sweep", sweep.draw("bw by numjobs", "two", found, chart, Unit.BYTES_PER_SECOND))


def test_heatmap_golden() -> None:
    columns = tuple([Histogram({90_000 + 10_000 * n: 90, 800_000: 10})] for n in range(6))
    slots = tuple(range(1, 7))
    every = (columns, columns[::-1])
    strips = [heatmap.Strip(str(n), some, slots, 6) for n, some in enumerate(every, 1)]
    base = Histogram({90_000: 500, 1_600_000: 20})
    before = heatmap.Before(base)
    golden("heatmap", heatmap.draw("latency over time", "two", strips, before))


def test_ribbon_golden() -> None:
    bodies = [Histogram({95_000 + 5_000 * n: 500, 400_000: 80 + n, 2_000_000: 5}) for n in range(3)]
    side = Pooled(Histogram.merged(bodies), tuple(bodies))
    line = percentiles.curve(side.whole, "run", "s0")
    assert line
    curves = [percentiles.curve(one, "run", "s0") for one in side.without_each()]
    found = bands.band(line.points, [one.points for one in curves if one is not None])
    golden("ribbon", percentiles.draw("latency", "three", [line], [], [(found, "s0")]))


def test_a_page_with_history_is_whole(regressed: tuple[Run, tuple[Run, ...]]) -> None:
    now, before = regressed
    page: Node = read_html(render_report(now, before, trend=trend_of(now, step=-0.2)))
    ids = [n.attributes["id"] for n in page.walk() if "id" in n.attributes]
    assert len(ids) == len(set(ids))
