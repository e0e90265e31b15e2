"""JUnit: what a CI system makes of a verdict."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

from iogate.model.run import Run
from iogate.model.verdict import Outcome, RunReason, RunVerdict
from iogate_reports import render_junit
from iogate_reports.data import Page
from iogate_reports.limit_rows import rows
from support.report_runs import failed_run

Regressed = tuple[Run, tuple[Run, ...]]


def suite_of(now: Run) -> ET.Element:
    suite = ET.fromstring(render_junit(now)).find("testsuite")
    assert suite is not None
    return suite


def test_a_test_case_a_threshold(regressed: Regressed) -> None:
    now = regressed[0]
    assert now.verdict is not None
    suite = suite_of(now)
    tests = suite.findall("testcase")
    assert len(tests) == len(now.verdict.thresholds) == int(suite.get("tests", ""))
    first, verdict = tests[0], now.verdict.thresholds[0]
    assert first.get("classname") == "xfs-gate.oltp-write"
    assert first.get("name") == "oltp-write/bs=4k,iodepth=32: write.clat.p99 < 2ms"
    assert first.get("file") == "specs/gate.yaml"
    assert first.get("line") == str(verdict.threshold.where and verdict.threshold.where.line)


def test_failures_carry_the_reason_and_the_numbers(regressed: Regressed) -> None:
    now = regressed[0]
    assert now.verdict is not None
    failed = [v for v in now.verdict.thresholds if v.outcome is Outcome.FAIL]
    suite = suite_of(now)
    found = suite.findall("testcase/failure")
    assert len(found) == len(failed) == int(suite.get("failures", ""))
    assert found[0].get("message") == failed[0].reason
    assert "n = 3" in (found[0].text or "")
    assert "specs/gate.yaml:" in (found[0].text or "")


def test_an_absolute_limit_has_the_baseline_that_the_page_shows(regressed: Regressed) -> None:
    (row,) = [
        row
        for row in rows(Page(regressed[0]))
        if row.limit == "< 2ms" and row.case == "oltp-write/bs=4k,iodepth=32"
    ]
    assert row.change is not None
    test = suite_of(regressed[0]).find(f"testcase[@name='{row.case}: {row.metric} {row.limit}']")
    assert test is not None
    assert f"baseline {row.baseline}, change +" in "".join(test.itertext())


def test_what_cannot_be_judged_is_skipped_and_says_why(first_run: Run) -> None:
    suite = suite_of(first_run)
    skipped = suite.findall("testcase/skipped")
    assert len(skipped) == int(suite.get("skipped", "")) > 0
    assert all((s.get("message") or "").startswith("missing-baseline: ") for s in skipped)


def test_a_run_without_limits_is_no_suite_of_passed_tests(first_run: Run) -> None:
    assert first_run.verdict is not None
    bare = RunVerdict(Outcome.PASS, 0, "").because(RunReason(Outcome.PASS, "no limits to judge"))
    suite = suite_of(replace(first_run, verdict=bare))
    (test,) = suite.findall("testcase")
    skipped = test.find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "not judged: no limits to judge"
    properties = {p.get("name"): p.get("value") for p in suite.iter("property")}
    assert properties["outcome"] == "not judged"


def test_a_warning_passes_and_is_told(regressed: Regressed) -> None:
    now = regressed[0]
    assert now.verdict is not None
    one = replace(now.verdict.thresholds[0], outcome=Outcome.WARN, reason="a little slow")
    warned = replace(now, verdict=replace(now.verdict, thresholds=(one,)))
    test = suite_of(warned).find("testcase")
    assert test is not None
    assert test.find("failure") is None
    assert "warning: a little slow" in (test.findtext("system-out") or "")


def test_a_broken_run_is_an_error_and_control_characters_go() -> None:
    now = failed_run("engine said \x1b[31mno\x00")
    suite = suite_of(now)
    errors = suite.findall("testcase/error")
    assert suite.get("errors") == "2"
    assert "no" in (errors[0].get("message") or "")
    assert "\x1b" not in render_junit(now)
    assert suite.find("testcase[@name='the run']/error") is not None
