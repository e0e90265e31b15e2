"""What a report says of a limit that is neither kept nor broken, as far as its numbers tell."""

from __future__ import annotations

from iogate.gate.history import RUNS_NEEDED
from iogate.model.measurement import Measurement
from iogate.model.verdict import Interval, Outcome
from iogate_reports import render_report
from iogate_reports.labels import OUTCOMES, interval_text
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


def test_the_page_names_the_test_that_a_change_past_its_limit_did_not_pass() -> None:
    """The whole interval is past the limit: neither noise about it nor more repetitions are
    what it is about."""
    one = case(thresholds=[limit("write.iops vs baseline > -3%", -0.03)])

    def values(level: float) -> tuple[Measurement, ...]:
        return samples.repetitions([level, level + 1, level + 2], case_id=one.id)

    now = run(plan([one]), values(8600.0), judged=False)
    levels = [10000 + 100 * (n % 5 - 2) for n in range(19)] + [9000]
    before = [former(now, values(level), n) for n, level in enumerate(levels, start=1)]
    page = read_html(render_report(run(now.plan, now.measurements, baseline=before), before))
    (headline,) = page.all("h1")
    assert "noise" not in headline.text
    assert "▼ worse, and its limit is > -3%" in headline.text
    (why,) = page.all("tr", "why")
    assert "as far out as the furthest of earlier runs" in why.text
    assert "and a fail needs 1.52 times; run iogate ab" in why.text
    words = " ".join(each.text for each in page.all("dl", "words"))
    assert "no earlier run was nearly as far out" in words
    assert f"only where the baseline has {RUNS_NEEDED} runs" in words


def test_the_ends_of_a_wide_interval_can_be_read() -> None:
    assert interval_text(Interval(-0.948, 1170.13, 0.95)) == "95 % CI −94.8 % … 1,171×"
    assert interval_text(Interval(-0.01, 0.05, 0.95)) == "95 % CI −1.0 … +5.0 %"
    assert interval_text(Interval(4.0, 9.5, 0.95)) == "95 % CI 5.0× … 10×"


def test_one_repetition_makes_no_change_clear() -> None:
    page = inconclusive(1)
    (row,) = page.all("tbody")[0].all("tr", "b-inconclusive")
    assert "−20.2 % ▼ unclear" in row.text
    assert "pairs" not in row.text
    assert page.all("h1")[0].text.endswith("is inconclusive")
    (why,) = page.all("tr", "why")
    assert why.text.strip().startswith("One repetition says nothing about its own noise; set")


def test_the_words_name_as_many_runs_as_a_limit_needs() -> None:
    page = inconclusive(3).text
    assert f"and {RUNS_NEEDED} runs before it can fail" in page
    assert f"the baseline has {RUNS_NEEDED} runs" in str(OUTCOMES[Outcome.INCONCLUSIVE])
