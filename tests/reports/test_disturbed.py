"""Repetitions that were disturbed: told of with their reasons, and kept out of every curve."""

from __future__ import annotations

from dataclasses import replace

from iogate.gate.judge import judge
from iogate.model.measurement import Disturbance
from iogate.model.run import CaseFailure, Run
from iogate_reports import render_comment, render_junit, render_report, render_summary, validity
from iogate_reports.charts import repetitions
from iogate_reports.data import Page
from support.html_tree import read_html

Regressed = tuple[Run, tuple[Run, ...]]
HOGS = Disturbance("cpu", 0.61, 0.1, "%", "other processes used 61 % of the engine's CPUs (<b>)")
FULL = Disturbance("saturation", 1.0, 0.95, "%", "the engine used all of its CPUs", counts=False)


def disturbed(run: Run, *numbers: int, by: Disturbance = HOGS) -> Run:
    """The run as it would have been told, with those repetitions of its first case disturbed."""
    case = run.plan.cases[0].id
    found = tuple(
        replace(m, disturbances=(by,)) if m.case_id == case and m.repetition in numbers else m
        for m in run.measurements
    )
    verdict = judge(run.plan, found, (), ())
    return replace(run, measurements=found, verdict=verdict)


def strip(run: Run) -> validity.Check:
    return next(check for check in validity.checks(run) if check.label == "other work")


def test_the_strip_says_which_and_why(regressed: Regressed) -> None:
    run = disturbed(regressed[0], 2)
    found = strip(run)
    assert found.key == "warn"
    assert found.text == f"1 of {len(run.measurements)} repetitions disturbed, and not judged"
    assert found.lines == (f"{HOGS.text} ({run.plan.cases[0].name}, repetition 2)",)
    page = read_html(render_report(run))
    assert HOGS.text in page.all("ul", "checks")[0].text, "as text, whatever is in it"


def test_what_does_not_count_is_told_only(regressed: Regressed) -> None:
    found = strip(disturbed(regressed[0], 2, by=FULL))
    assert found.key == "pass"
    assert found.lines[0].startswith("note only: the engine used all of its CPUs")


def test_a_run_that_nobody_watched_is_not_a_quiet_one(regressed: Regressed) -> None:
    old = tuple(replace(m, surroundings={}) for m in regressed[0].measurements)
    assert strip(replace(regressed[0], measurements=old)).key == "missing"


def test_checks_that_are_off_found_nothing_and_that_is_told(regressed: Regressed) -> None:
    now, n = regressed[0], len(regressed[0].measurements)

    def without(*off: str) -> validity.Check:
        plan = replace(now.plan, validity=replace(now.plan.validity, off=off))
        return strip(replace(now, plan=plan))

    assert strip(now).text.startswith(f"none of {n} repetitions disturbed; others used")
    some = without("cpu", "io")
    assert some.key == "missing"
    assert some.text.startswith(
        f"the spec turns off cpu, io; by the other checks none of {n} repetitions disturbed; others"
    )
    assert without("temperature").key == "pass"
    every = without("all")
    assert every.key == "missing"
    assert every.text.startswith("not judged: the spec turns all checks off; others used")


def test_curves_are_of_those_that_count_and_dots_show_the_others(regressed: Regressed) -> None:
    run = disturbed(regressed[0], 2)
    data = Page(run).cases[0]
    assert [m.repetition for m in data.disturbed] == [2]
    assert 2 not in [m.repetition for m in data.measurements]
    one = repetitions.samples(data)[0]
    assert [number for number, _ in one.disturbed] == [2]
    picture = repetitions.draw("t", "d", one)
    assert picture.count('class="dot spoiled"') == 1
    text = render_report(run)
    assert "repetition 2, disturbed" in text
    assert "and 1 disturbed" in text


def test_every_form_of_the_verdict_mentions_them(regressed: Regressed) -> None:
    run = disturbed(regressed[0], 2)
    for made in (render_summary(run), render_junit(run)):
        of = f"1 of {len(run.measurements)} repetitions, not judged: other processes used 61 %"
        assert of in made


def test_the_page_says_in_how_many_repetitions_the_disk_failed(regressed: Regressed) -> None:
    run, case = regressed[0], regressed[0].plan.cases[0]
    told = "a job ended with EIO <b>; its own disk failed, so it is measured again"
    failures = (
        *(CaseFailure(case.id, n, told, {"io": {"EIO": 1}}, again=True) for n in (4, 5)),
        CaseFailure(case.id, 6, "it crashed"),
    )
    strips = {check.label: check for check in validity.checks(replace(run, failures=failures))}
    found = strips["the disk"]
    assert (found.key, len(found.lines)) == ("warn", 2)
    assert found.text == "it failed in 2 repetitions, of which only the errors count"
    page = read_html(render_report(replace(run, failures=failures)))
    told_there = page.all("ul", "checks")[0].text
    assert found.text in told_there
    assert f"{told} ({case.name}, repetition 5)" in told_there
    assert "the disk" not in {check.label for check in validity.checks(run)}


def test_a_case_of_disturbed_repetitions_alone_says_so(regressed: Regressed) -> None:
    numbers = {m.repetition for m in regressed[0].measurements}
    run = disturbed(regressed[0], *numbers)
    page = render_report(run)
    told = (
        "Every repetition of this case was disturbed: their values are pale dots, and not judged."
    )
    assert told in page
    data = Page(run).cases[0]
    (one, *_) = repetitions.figures(data)
    assert one.svg.count("dot spoiled") == 1
    assert "dot s0" not in one.svg
    assert [row[0] for row in one.table.rows][: len(numbers)] == [
        f"repetition {n}, disturbed" for n in sorted(numbers)
    ]
    assert "All were disturbed: none is judged." in one.note


def test_what_they_may_hide_is_told_in_every_form(regressed: Regressed) -> None:
    run = disturbed(regressed[0], 2)
    assert run.verdict
    told = "2 disturbed repetitions were 46 % slower <b>; they are not judged"
    run = replace(run, verdict=replace(run.verdict, cautions=(told,)))
    assert strip(run).lines[0] == told
    assert told in read_html(render_report(run)).all("ul", "checks")[0].text
    for made in (render_summary(run), render_comment(run), render_junit(run)):
        assert "2 disturbed repetitions were 46 % slower" in made
        assert "<b>" not in made
