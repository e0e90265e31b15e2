"""Names come from pull requests: whatever they hold, they are text and stay in their place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iogate.errors import RunError
from iogate.model.comparison import Arm
from iogate.model.document import run_from_document, to_document
from iogate_reports import render_junit, render_report, render_summary
from iogate_reports.inline import script
from iogate_reports.text import anchor, clean, short
from iogate_reports.vendor import uplot
from support.compared_runs import compared
from support.hostile import EVIL, hostile_run
from support.html_tree import read_html
from support.run_pasts import trend_of

_ACTING = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.mark.parametrize("text", EVIL, ids=lambda text: ascii(text[:12]))
def test_hostile_text_stays_text(text: str) -> None:
    now = hostile_run(text)
    page = render_report(
        now,
        [replace(now, environment={"kernel.release": "x" + text})],
        job_files={now.plan.cases[0].id: text},
    )
    tree, drawn = read_html(page), uplot()
    assert not _ACTING.search(page)
    ours = {
        script("tables.js", "limits.js"),
        script("zoom.js", "rates.js"),
        drawn.script if drawn else "",
    }
    codes = [one for one in tree.all("script") if not one.attributes]
    assert {one.text for one in codes} <= ours, "each script is ours, byte for byte"
    for data in (one for one in tree.all("script") if one.attributes):
        assert data.attributes == {"type": "application/json", "id": "payload"}
        assert json.loads(data.text)["series"]
    assert {node.tag for node in tree.walk()} <= _TAGS
    for node in tree.walk():
        assert not any(name.startswith("on") for name in node.attributes)


def test_arms_with_hostile_names_and_a_hostile_history_stay_text() -> None:
    text = "".join(EVIL[:6])
    arms = (Arm(text, (text,), {text: text}, text, text), Arm("b" + text[:3000]))
    now = compared(0.1, arms=arms)
    (series,) = trend_of(now).series
    trend = replace(trend_of(now), series=(replace(series, case=text, host=text),), spec=text)
    page = render_report(now, trend=trend, broken=[text])
    tree = read_html(page)
    assert not _ACTING.search(page)
    assert {node.tag for node in tree.walk()} <= _TAGS | {"code", "tbody"}
    assert not any(name.startswith("on") for node in tree.walk() for name in node.attributes)
    assert "block by block" in page


@pytest.mark.parametrize("number", [-1e308, 1e308, "Infinity", "-Infinity", "NaN", -1.0, 10**300])
def test_numbers_that_no_run_has_make_pages_all_the_same(number: float | str) -> None:
    """A run folder may come from anywhere: each of its numbers in turn, of each kind once."""
    for run in (hostile_run("x"), compared(0.1)):
        document: Any = to_document(run)
        for holder, key in _numbers(document):
            kept, holder[key] = holder[key], number
            with suppress(RunError):  # a document that is none
                odd = run_from_document(document)
                read_html(render_report(odd))
                render_junit(odd)
                render_summary(odd)
            holder[key] = kept


def _numbers(document: Any) -> Iterator[tuple[Any, Any]]:
    """Where numbers of the verdict are: of those that differ in their place alone the first."""
    verdict, seen = document["verdict"], set()
    waiting: list[tuple[Any, tuple[str, ...]]] = [(verdict, ())]
    while waiting:
        holder, path = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        for key in keys:
            place = (*path, key if isinstance(key, str) else "")
            if isinstance(holder[key], dict | list):
                waiting.append((holder[key], place))
            elif isinstance(holder[key], float) and place not in seen:
                seen.add(place)
                yield holder, key


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(min_size=0, max_size=60))
def test_any_text_leaves_all_three_outputs_well_formed(text: str) -> None:
    now = hostile_run(text)
    read_html(render_report(now))
    ET.fromstring(render_junit(now))
    summary = render_summary(now)
    summary.encode()
    assert not _ACTING.search(summary)


def test_a_summary_neither_mentions_nor_links_nor_opens_an_element() -> None:
    found = render_summary(hostile_run("@everyone https://evil.example <script> | `x` *y* #12"))
    outside = re.sub(r"`+ .*? `+", "", found)
    assert "@everyone" not in outside
    assert "https://" not in outside
    assert "<script" not in outside
    assert not re.search(r"(?<!&)#12", outside)
    rows = [line for line in outside.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in rows} == {9}, "no cell breaks out of its column"


def test_long_names_are_cut_in_the_middle() -> None:
    name = "head-" + "x" * 4000 + "-tail"
    cut = short(name)
    assert len(cut) == 160
    assert cut.startswith("head-")
    assert cut.endswith("-tail")
    page = re.sub("<pre.*?</pre>", "", render_report(hostile_run(name)), flags=re.DOTALL)
    assert "x" * 1000 not in page, "only a job file is shown as it is"


def test_an_id_that_is_no_plain_word_becomes_a_number() -> None:
    assert anchor("case", "00ff-a_B", 3) == "case-00ff-a_B"
    assert anchor("case", '"><script>', 3) == "case-n3"


@given(st.text())
def test_cleaning_keeps_length_and_cleans_once(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned) == len(text)
    assert clean(cleaned) == cleaned
    cleaned.encode()


_TAGS = {
    "#document",
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "svg",
    "symbol",
    "path",
    "use",
    "desc",
    "text",
    "image",
    "circle",
    "rect",
    "a",
    "header",
    "p",
    "span",
    "nav",
    "ul",
    "li",
    "main",
    "section",
    "div",
    "strong",
    "bdi",
    "h1",
    "h2",
    "h3",
    "b",
    "i",
    "dl",
    "dt",
    "dd",
    "time",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "caption",
    "small",
    "wbr",
    "code",
    "pre",
    "details",
    "summary",
    "figure",
    "figcaption",
    "footer",
    "script",
}
