"""A report of very many cases: the worst are shown, the others counted."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from iogate.model.run import Run
from iogate_reports import cases_in_full, render_report
from support.html_tree import read_html
from support.report_runs import Pace, case, former, limit, measurement, plan, run


@pytest.fixture(scope="module")
def many() -> tuple[Run, tuple[Run, ...]]:
    """Thirty cases, the 21st of them worse than its baseline."""
    one = case(thresholds=[limit("write.iops vs baseline > -3%", -0.03)])
    rng = random.Random(8)
    pool = [
        [measurement(one, n, {"j": {"write": Pace(iops=pace)}}, rng, seconds=6) for n in (1, 2, 3)]
        for pace in (5000, 3000)
    ]
    cases = [case(f"w/bs={n}k", one.thresholds) for n in range(1, 31)]
    slow = cases[20].id
    found = [replace(m, case_id=c.id) for c in cases for m in pool[c.id == slow]]
    now = run(plan(cases), found, judged=False)
    old = former(now, [replace(m, case_id=c.id) for c in cases for m in pool[0]])
    return run(now.plan, found, baseline=(old,)), (old,)


def test_of_many_cases_the_worst_are_shown_in_full_and_all_at_a_glance(
    many: tuple[Run, tuple[Run, ...]],
) -> None:
    now, before = many
    cases = read_html(render_report(now, before)).all("details", "case")
    assert len(cases) == 30
    full = {one.all("h3")[0].text for one in cases if one.all("figure")}
    assert len(full) == cases_in_full.MOST
    assert "w/bs=21k" in full
    for one in cases:
        if one.all("h3")[0].text not in full:
            picture = one.all("svg", "glance")[0]
            assert re.search(r"\d k/s", picture.all("desc")[0].text)
            assert "write.clat.p50" in one.all("pre")[0].text


def test_ten_thousand_cases_are_counted_and_the_worst_are_shown(
    many: tuple[Run, tuple[Run, ...]],
) -> None:
    now, _ = many
    first = now.plan.cases[20]
    cases = [replace(first, id=f"{n:016x}", name=f"w/bs={n}k") for n in range(10_000)]
    assert now.verdict is not None
    bad, good = (
        next(v for v in now.verdict.thresholds if v.case_id == now.plan.cases[at].id)
        for at in (20, 0)
    )
    judged = [replace(bad if n == 9000 else good, case_id=c.id) for n, c in enumerate(cases)]
    verdict = replace(now.verdict, thresholds=tuple(judged), observations=())
    huge = replace(
        now, plan=replace(now.plan, cases=tuple(cases)), measurements=(), verdict=verdict
    )
    text = render_report(huge)
    page = read_html(text)
    assert len(text) < 3_000_000
    assert page.all("table", "results")[0].all("th")[8].all("a")[0].text == "w/bs=9000k"
    assert any(one.all("h3")[0].text == "w/bs=9000k" for one in page.all("details", "case"))
    said = " ".join(page.all("body")[0].text.split())
    assert "9600 more cases" in said
    assert "8000 more limits" in said
