"""The percentiles of all repetitions together: their intervals, and which changes are clear."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.gate.history import RUNS_NEEDED
from iogate.model.histogram import Histogram
from iogate.model.measurement import Measurement
from iogate.model.run import Run
from iogate_reports import render_report
from iogate_reports.charts import percentiles, pooled, ribbon
from iogate_reports.data import CaseData
from support import samples
from support.html_tree import read_html
from support.report_runs import case, latency


@given(
    st.lists(st.dictionaries(st.integers(100, 10**9), st.integers(1, 50), min_size=1), min_size=3)
)
def test_no_value_lies_outside_its_band(counts: list[dict[int, int]]) -> None:
    parts = tuple(Histogram(dict(sorted(each.items()))) for each in counts)
    side = pooled.Pooled(Histogram.merged(parts), parts)
    line = percentiles.curve(side.whole, "", "")
    others = [percentiles.curve(each, "", "") for each in side.without_each()]
    assert line
    found = ribbon.band(line.points, [each.points if each else () for each in others])
    known = dict(line.points)
    assert all(
        low <= known[at] * (1 + 1e-9) and known[at] <= high * (1 + 1e-9) for at, low, high in found
    )


def test_the_band_of_a_mean_is_students() -> None:
    """Of what is a mean, leaving out one at a time gives the textbook's error."""
    values = [5.0, 5.2, 4.9, 5.4]
    total = sum(values)
    left = [math.exp((total - value) / 3) for value in values]
    assert pooled.error(left) == pytest.approx(statistics.stdev(values) / 2)


def measured(histograms: Sequence[Histogram]) -> tuple[Measurement, ...]:
    return tuple(
        samples.measurement(
            samples.job(read=samples.direction(clat=latency(each))),
            case_id=samples.CASE_ID,
            repetition=n,
        )
        for n, each in enumerate(histograms, start=1)
    )


def change_of_p50(now: Sequence[Histogram], before: Sequence[Histogram]) -> str:
    one = case("one")
    (figure,) = percentiles.figures(CaseData(one, "a", measured(now), measured(before)))
    row = next(row for row in figure.table.rows if row[0] == "p50")
    return row[figure.table.headers.index("change")]


def around(level: float, count: int, spread: float, seed: int = 1) -> list[Histogram]:
    """Repetitions whose level differs."""
    rng = random.Random(seed)
    levels = [round(level * math.exp(rng.gauss(0, spread))) for _ in range(count)]
    return [Histogram({each: 900, each * 20: 100}) for each in levels]


def test_a_change_within_the_noise_of_repetitions_is_unclear() -> None:
    assert change_of_p50(around(50_000, 3, 0.1), around(52_000, 15, 0.1, 2)).endswith("unclear")
    assert change_of_p50(around(60_000, 3, 0.01), around(50_000, 15, 0.01, 2)).endswith("worse")


def test_a_change_that_runs_of_the_baseline_had_is_unclear() -> None:
    """Repetitions that agree in each run say nothing of how runs differ."""
    before = [*around(50_000, 12, 0.001), *around(61_000, 3, 0.001, 2)]
    assert change_of_p50(around(60_900, 3, 0.001, 3), before).endswith("unclear")


def test_one_repetition_makes_no_percentile_clear() -> None:
    assert change_of_p50(around(90_000, 1, 0), around(50_000, 3, 0.01)).endswith("unclear")


def test_a_chart_says_how_much_of_the_baseline_it_shows(
    regressed: tuple[Run, tuple[Run, ...]],
) -> None:
    """Limits are judged by all of it: the same metric has another baseline there."""
    now, before = regressed
    page = read_html(render_report(now, before))
    told = "Of the baseline’s 20 runs these are the newest 5."
    assert "60" in page.all("table", "limits")[0].text
    titles = [f.all("figcaption")[0].text for f in page.all("figure") if told in f.text]
    for name in (
        "latency percentiles",
        "latency distribution",
        "IOPS over time",
        "latency over time",
    ):
        assert any(title.endswith(name) for title in titles), name
    assert "a limit takes each repetition’s own percentile" in page.text
    assert told not in read_html(render_report(now, before[:5])).text


def test_the_newest_runs_are_those_that_have_the_case(
    regressed: tuple[Run, tuple[Run, ...]],
) -> None:
    """Others of the baseline may have measured other cases alone."""
    now, before = regressed
    lacking = tuple(replace(each, measurements=()) for each in before[:6])
    page = read_html(render_report(now, (*lacking, *before[6:])))
    assert f"Of the baseline’s {len(before) - 6} runs these are the newest 5." in page.text
    few = read_html(render_report(now, (*lacking, *before[6:9])))
    assert "Of the baseline’s" not in few.text
    assert few.text.count("latency percentiles") == page.text.count("latency percentiles")


def test_the_guide_says_what_each_is_compared_with(regressed: tuple[Run, tuple[Run, ...]]) -> None:
    guide = read_html(render_report(*regressed)).text
    assert f"values to be judged, and {RUNS_NEEDED} runs before it can fail" in guide
    assert "of a percentile of a whole latency curve in any case" in guide
    assert "curves and percentiles show the newest 5 of the runs" in guide
