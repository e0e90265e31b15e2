"""How a device became steady, as a page shows it."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from iogate.engine.base import Progress, Rates
from iogate.model.run import Run
from iogate.model.steady import DevicePrecondition, SteadyState
from iogate.run.steady_watch import SteadyWatch
from iogate_reports import render_report
from iogate_reports.charts import RUN_CHARTS, steady
from iogate_reports.charts.base import RunChart
from support.browsers import Visit, keep_picture, needs_chromium
from support.golden import golden
from support.html_tree import read_html
from support.report_runs import START_NS, Pace, case, measurement, plan, run

from .test_charts import check_figure

HAND = SteadyState(
    rule="snia",
    of="iops",
    round_s=60.0,
    rounds=(240e3, 180e3, 122e3, 100e3, 102e3, 98e3, 101e3, 99e3),
    window=5,
    found="iops range 4 % of 20 %, slope 1.2 % of 10 % in 8 rounds",
    mean=100e3,
    band=(90e3, 110e3),
    line=(100.6e3, 99.4e3),
)


def watched(rates: Sequence[float], **options: str) -> SteadyState:
    """What a watch makes of a rate a second."""
    watch = SteadyWatch({f"steadystate{key}": value for key, value in options.items()})
    for n, rate in enumerate(rates, 1):
        watch.look(Progress("running", n * 1000, 0, {"write": Rates(rate, rate * 4096)}))
    found = watch.found()
    assert found is not None
    return found


def fresh_drive(seconds: int) -> list[float]:
    """A drive that is fast while it has erased blocks, and then falls to its level."""
    rng = random.Random(5)
    return [rng.gauss(95e3 + 150e3 / (1 + math.exp((n - 200) / 25)), 2500) for n in range(seconds)]


def with_states(*states: SteadyState | None, done: bool = True) -> Run:
    one = case()
    found = [measurement(one, 1, {"oltp-write": {"write": Pace()}}, random.Random(1), seconds=2)]
    text = (
        "done by this run: no earlier precondition of it is remembered"
        if done
        else "the precondition still holds"
    )
    reached = tuple(
        DevicePrecondition(
            "raw", f"/dev/nvme{n}n1", text, done, START_NS, "20251120T22", 1_920_383_410_176, state
        )
        for n, state in enumerate(states)
    )
    return replace(run(plan([one]), found), preconditions=reached)


@pytest.mark.parametrize("chart", RUN_CHARTS.values(), ids=RUN_CHARTS)
def test_a_run_chart_keeps_the_contract(chart: RunChart) -> None:
    by_fio = watched(fresh_drive(600), **{"": "iops_slope:0.1%", "_duration": "120s"})
    by_snia = watched(fresh_drive(1200), **{"": "snia"})
    drawn = chart(with_states(HAND, by_fio, by_snia))
    assert len(drawn) == 3
    for figure in drawn:
        check_figure(figure)
    assert list(chart(with_states(None))) == []
    assert list(chart(with_states())) == []


def test_steady_golden() -> None:
    golden("steady", steady.draw("Write IOPS of /dev/nvme0n1", HAND.found, HAND))


def test_the_picture_says_in_words_what_it_shows() -> None:
    (figure,) = steady.figures(with_states(HAND))
    assert figure.title == "Write IOPS of /dev/nvme0n1 until it was steady"
    assert "8 rounds of 60 s; iops range 4 % of 20 %, slope 1.2 % of 10 %" in figure.svg
    rows = {row[0]: row[1] for row in figure.table.rows}
    assert rows["mean of the window"] == "100 k/s"
    assert rows["allowed about it"] == "90 k/s to 110 k/s"
    assert rows["line through it"] == "101 k/s to 99.4 k/s"
    assert rows["round 8"] == "99 k/s"
    assert "what the rule allows about its mean" in [key.label for key in figure.legend]


def test_very_many_rounds_are_a_line_and_a_short_table() -> None:
    found = watched(fresh_drive(600), **{"": "bw:15%", "_duration": "120s"})
    (figure,) = steady.figures(with_states(found))
    assert figure.title.startswith("Write bandwidth of")
    assert 'class="dot s0"' not in figure.svg
    assert len(figure.table.rows) <= steady.FEW + 4
    assert figure.table.rows[-1][0].startswith("rounds 1 to ")


@pytest.mark.parametrize(
    "broken",
    [
        {"rounds": ()},
        {"rounds": (1.0,)},
        {"rounds": (math.nan, 1.0, 2.0)},
        {"mean": math.inf},
        {"window": 0},
        {"window": 99},
        {"rounds": (1e300, 1e300, 1.0)},
    ],
)
def test_a_document_that_makes_no_sense_is_not_drawn(broken: dict[str, object]) -> None:
    assert steady.figures(with_states(replace(HAND, **broken))) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "odd", [{"band": (9.0, 1.0)}, {"band": (1.0,)}, {"line": (1.0, 2.0, 3.0)}, {"of": "<b>"}]
)
def test_odd_parts_are_left_out(odd: dict[str, object]) -> None:
    (figure,) = steady.figures(with_states(replace(HAND, **odd)))  # type: ignore[arg-type]
    check_figure(figure)
    assert "<b>" not in figure.svg


def test_the_page_says_what_was_done_and_what_held() -> None:
    page = render_report(with_states(HAND, None))
    assert "done by this run: no earlier precondition of it is remembered" in page
    assert "not asked for" in page
    assert page.count("until it was steady</figcaption>") == 1
    assert "still holds" in render_report(with_states(HAND, done=False))
    assert 'id="precondition"' not in render_report(with_states())
    read_html(page)


@needs_chromium
def test_no_line_of_the_legend_wraps_on_a_screen(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(render_report(with_states(HAND)), "utf-8")
    page = Visit(browser, tmp_path / "page.html").page
    figure = page.locator("figure:has(rect.window)").first
    for width in (900, 1200, 1280, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        lines = figure.locator(".legend li").evaluate_all("all => all.map(li => li.offsetHeight)")
        assert len(lines) == 5
        assert len(set(lines)) == 1, width
    keep_picture(page, "steady-1600-light")
    page.context.close()
