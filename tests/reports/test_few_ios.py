"""Few I/Os: what a page says of a percentile is the same wherever it stands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iogate.model.histogram import Histogram
from iogate.model.measurement import Measurement
from iogate_reports import render_report, render_summary
from iogate_reports.charts import cdf, percentiles
from iogate_reports.charts.lanes import quantiles_ns
from iogate_reports.data import CaseData, Page
from iogate_reports.limit_rows import rows
from support import samples
from support.report_runs import case, latency, limit, plan, run

LIMITS = (limit("write.clat.p99.9 < 1s", 1e9), limit("write.clat.p50 < 1s", 1e9))


def measured(ios: int, number: int = 1) -> Measurement:
    bins = {100_000 + 3_000 * n: 1 for n in range(ios)}
    writes = samples.direction(clat=latency(Histogram(bins)))
    made = samples.measurement(samples.job(write=writes), case_id=case().id)
    return replace(made, repetition=number)


@pytest.mark.parametrize(
    ("ios", "told"),
    [(3, "p99.9 of 3 I/Os, none of which is beyond it"), (999, "none of which"), (1000, "")],
)
def test_a_limit_on_a_percentile_that_no_io_is_beyond_says_so(ios: int, told: str) -> None:
    now = run(plan([replace(case(), thresholds=LIMITS)]), [measured(ios, n) for n in (1, 2, 3)])
    notes = {row.metric: row.note for row in rows(Page(now))}
    assert ("none of which" in notes["write.clat.p99.9"]) is bool(told)
    assert told in notes["write.clat.p99.9"]
    assert "none of which" not in notes["write.clat.p50"]
    for text in (render_report(now), render_summary(now)):
        assert ("none of which is beyond it" in text) is bool(told)


@pytest.mark.parametrize("name", percentiles.LABELS)
def test_a_percentile_is_the_same_in_each_chart(name: str) -> None:
    """At the edge of a bucket a hair decides which of two the percentile is in."""
    share = percentiles.LABELS[name]
    below = round(share * 1_000_000)
    found = Histogram({17_664: below, 20_224: 1_000_000 - below})
    line = percentiles.curve(found, "x", "s0")
    assert line is not None
    at = {round(nines, 6): value for nines, value in line.points}
    places = {"p50": 0.30103, "p90": 1.0, "p99": 2.0, "p99.9": 3.0, "p99.99": 4.0, "p99.999": 5.0}
    assert at[places[name]] == quantiles_ns(found, (share,))[0]


def test_the_median_of_few_ios_is_the_same_in_both_tables() -> None:
    data = CaseData(case(), "case", (measured(4),))
    curves, shares = percentiles.figures(data)[0].table, cdf.figures(data)[0].table
    middle = next(row[1] for row in shares.rows if row[0] == "50 %")
    assert middle == f"≤ {curves.rows[0][1]}"
