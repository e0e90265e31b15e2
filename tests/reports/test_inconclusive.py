"""What a report says of a limit that is neither kept nor broken, as far as its numbers tell."""

from __future__ import annotations

from iogate.model.measurement import Measurement
from iogate_reports import render_report
from support import samples
from support.html_tree import Node, read_html
from support.report_runs import case, former, limit, plan, run


def inconclusive(repetitions: int) -> Node:
    """The page of a run that is far past its limit, against a baseline of three runs."""
    one = case(thresholds=[limit("write.iops vs baseline > -3%", -0.03)])

    def values(level: float) -> tuple[Measurement, ...]:
        some = [level * (1 + n / 1000) for n in range(repetitions)]
        return samples.repetitions(some, case_id=one.id)

    now = run(plan([one]), values(8000.0), judged=False)
    before = [former(now, values(10000.0 + 10 * n), n) for n in (1, 2, 3)]
    return read_html(render_report(run(now.plan, now.measurements, baseline=before), before))


def test_what_is_inconclusive_says_its_change_first_and_once() -> None:
    page = inconclusive(3)
    (headline,) = page.all("h1")
    assert ": −20.2 % ▼ worse, and its limit is > -3%" in headline.text
    lead = page.all("p", "lead")[0].text
    assert "10.0 k/s → 8.01 k/s, 95 % CI −" in lead
    assert "Beyond the limit, but this is a young baseline" in lead
    (why,) = page.all("tr", "why")
    assert why.text.strip().startswith("Beyond the limit, but this is a young baseline")
    assert "%" not in why.text, "the row has the numbers"


def test_one_repetition_makes_no_change_clear() -> None:
    page = inconclusive(1)
    (row,) = page.all("tbody")[0].all("tr", "b-inconclusive")
    assert "−20.2 % ▼ unclear" in row.text
    assert "pairs" not in row.text
    assert page.all("h1")[0].text.endswith("is inconclusive")
    (why,) = page.all("tr", "why")
    assert why.text.strip().startswith("One repetition says nothing about its own noise; set")
