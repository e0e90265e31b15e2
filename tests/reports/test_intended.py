"""Latency from the issue and from when I/Os were due: drawn, and told in words."""

from __future__ import annotations

from dataclasses import replace

from iogate.model.measurement import Measurement
from iogate_reports import render_report
from iogate_reports.charts import intended
from iogate_reports.charts.waits import waits
from iogate_reports.data import CaseData
from support import samples
from support.html_tree import read_html
from support.report_runs import plan, run

from .conftest import paced


def told(data: CaseData) -> list[str]:
    return [one.told() for one in waits(data.measurements)]


def test_a_stall_is_told_with_both_numbers(stalled: CaseData) -> None:
    (text,) = told(stalled)
    assert text.startswith("A stall was hidden from clat: p99 of reads is 201 µs from their")
    assert "but 1.01 s from when they were due" in text


def test_both_curves_are_drawn_and_in_the_table(stalled: CaseData) -> None:
    (figure,) = intended.figures(stalled)
    assert [key.label for key in figure.legend] == ["from when it was due", "from its issue (clat)"]
    rows = {row[0]: row[1:] for row in figure.table.rows}
    assert list(rows) == ["p50", "p90", "p99", "p99.9", "p99.99"]
    assert rows["p50"] == ("200 µs", "200 µs", "1.0×")
    assert rows["p99"][0] == "201 µs"
    assert rows["p99"][1].endswith(" s")


def test_a_job_that_does_less_than_its_rate_is_no_stall() -> None:
    late = {(1 << 29) + (1 << 22) * n: 80 for n in range(125)}
    (text,) = told(paced({199_680: 10_000}, late))
    assert text.startswith("The job fell behind its rate: half of the reads ended at least ")


def test_a_stall_on_a_machine_that_is_slow_to_wake_up_is_one() -> None:
    """Half of the I/Os are late by 20 ms, and a few by a second."""
    late = {20_185_088: 8_000} | {(1 << 29) + (1 << 22) * n: 16 for n in range(125)}
    (text,) = told(paced({199_680: 10_000}, late))
    assert text.startswith("A stall was hidden from clat: p99")


def test_waking_up_late_is_no_stall() -> None:
    """Many times as long, but below a millisecond."""
    assert told(paced({9_984: 10_000}, {9_984: 9_000, 602_112: 1_000})) == [""]


def test_a_few_late_ones_are_no_percentile() -> None:
    assert told(paced({199_680: 300}, {199_680: 298, 897_581_056: 2})) == [""]


def test_a_stall_that_clat_saw_is_not_hidden() -> None:
    """As at a great depth without a rate that is too high: both know."""
    seen = {199_680: 9_000, 897_581_056: 1_000}
    assert told(paced(seen, seen)) == [""]


def test_jobs_without_a_rate_have_none_of_it(stalled: CaseData) -> None:
    """Of a case with both kinds of jobs, the same I/Os are compared."""
    (only,) = stalled.measurements
    free = samples.job("free", read=samples.direction(clat=samples.latency([5, 6])))
    both: Measurement = replace(only, jobs=(*only.jobs, free))
    assert list(waits([both])) == list(waits([only]))
    assert intended.figures(replace(stalled, measurements=(samples.measurement(free),))) == []


def test_the_page_says_it_above_the_figures(stalled: CaseData) -> None:
    page = read_html(render_report(run(plan([stalled.case]), stalled.measurements), []))
    (text,) = page.all("p", "hidden-wait")
    assert text.text.startswith("A stall was hidden from clat")
    titles = [one.all("figcaption")[0].text for one in page.all("figure")]
    assert "Read latency, as due and as issued" in titles
