"""A pool in the documents that a run leaves: a row of its own, with its members."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from iogate.cli.actions import annotation_lines
from iogate.cli.outcome import verdict_table
from iogate.gate.judge import judge
from iogate.model.pool import Pool, PoolMember, pool_id
from iogate.model.run import Run
from iogate.model.spec import Comparison, Limit, Threshold
from iogate.model.units import Better
from iogate_reports import render_junit, render_report, render_summary
from support.compared_runs import compared


@pytest.fixture(scope="module")
def run() -> Run:
    """A candidate that is 5 % slower, in a metric of throughput and one of latency."""
    made = compared(0.05)
    (case,) = made.plan.cases
    members = (
        PoolMember(case.id, "write.iops", Better.HIGH),
        PoolMember(case.id, "write.clat.mean", Better.LOW),
    )
    limit = Limit(Comparison.LESS, 0.01, relative=True, text="vs baseline < +1%")
    threshold = replace(case.thresholds[0], metric="pooled", limit=limit)
    pool = Pool(pool_id(members), "oltp-write <&>", threshold, members, case.workload)
    plan = replace(made.plan, pools=(pool,))
    return replace(made, plan=plan, verdict=judge(plan, made.measurements, (), ()))


def test_the_table_has_a_row_for_it(run: Run) -> None:
    (line,) = [each for each in verdict_table(run).splitlines() if " pooled " in each]
    assert line.startswith("oltp-write <&>")
    assert "vs baseline < +1%" in line
    assert line.endswith("fail")


def test_junit_has_a_test_case_with_its_members(run: Run) -> None:
    tests = ET.fromstring(render_junit(run)).findall(".//testcase")
    (test,) = [each for each in tests if "pooled" in str(each.get("name"))]
    assert test.get("name") == "oltp-write <&>: pooled vs baseline < +1%"
    assert str(test.get("classname")).endswith(f".{run.plan.cases[0].workload}")
    failure = test.find("failure")
    assert failure is not None
    assert f"write.iops of {run.plan.cases[0].name}: -" in str(failure.text)
    assert f"write.clat.mean of {run.plan.cases[0].name}: +" in str(failure.text)


def test_the_summary_names_those_that_moved_most(run: Run) -> None:
    (line,) = [each for each in render_summary(run).splitlines() if "| pooled |" in each]
    assert "of 2 members these got worse the most" in line


def test_the_report_lists_its_members_and_links_to_the_row(run: Run) -> None:
    assert run.verdict is not None
    page = render_report(run)
    pooled: Threshold = run.plan.pools[0].threshold
    assert run.verdict.thresholds[-1].threshold == pooled
    assert f'id="{run.plan.pools[0].id[:8]}.pooled"' in page
    blocks = run.verdict.thresholds[-1].judged_blocks
    assert f"2 members, the worst first, in the {blocks} blocks of the pool" in page
    assert "oltp-write &lt;&amp;&gt;" in page
    assert "<&>" not in page


def test_the_headline_calls_it_a_change(run: Run) -> None:
    assert run.verdict is not None
    alone = replace(run.verdict, thresholds=run.verdict.thresholds[-1:], sentence_parts=None)
    page = render_report(replace(run, verdict=alone))
    assert "The pooled change of oltp-write &lt;&amp;&gt; is" in page


def test_a_workflow_is_told_its_name(run: Run) -> None:
    assert any("title=oltp-write <&>%3A pooled" in line for line in annotation_lines(run))
