"""A limit between two cases of one run, wherever limits are shown."""

from __future__ import annotations

import html
from dataclasses import replace

from iogate.cli.outcome import verdict_table
from iogate.gate.judge import judge
from iogate.model.run import Run
from iogate.model.spec import Comparison, Limit, Threshold
from iogate_reports import render_comment, render_junit, render_report, render_summary
from iogate_reports.charts.repetitions import samples
from iogate_reports.data import Page
from support import samples as s

EXT4, XFS = "0" * 16, "1" * 16
TEXT = "vs case target=ext4 > -5%"


def run() -> Run:
    limit = Limit(Comparison.GREATER, -0.05, relative=True, text=TEXT, case={"target": "ext4"})
    cases = [
        replace(s.case(id=EXT4, name="oltp/target=ext4"), parameters={"target": "ext4"}),
        replace(
            s.case(Threshold("write.iops", limit), id=XFS, name="oltp/target=xfs"),
            parameters={"target": "xfs"},
        ),
    ]
    plan = s.plan(*cases)
    steady = [1000.0, 1001.0, 999.0, 1000.0, 1002.0]
    measured = (
        *s.repetitions(steady, case_id=EXT4),
        *s.repetitions([value * 0.8 for value in steady], case_id=XFS),
    )
    made = s.run("run-1", the_plan=plan, measurements=measured)
    return replace(made, verdict=judge(plan, measured, (), ()))


def test_its_row_says_what_it_was_compared_with() -> None:
    for told in (render_summary(run()), render_comment(run()), render_report(run())):
        text = html.unescape(told)
        assert TEXT in text
        assert "−20.0 %" in text
    junit = html.unescape(render_junit(run()))
    assert f"oltp/target=xfs: write.iops {TEXT}" in junit
    assert "-20.0 % from the 1.00 k/s of oltp/target=ext4" in junit
    row = next(line for line in verdict_table(run()).splitlines() if TEXT in line)
    assert row.split() == [
        "oltp/target=xfs", "write.iops", "800", "/s", *TEXT.split(), "-20.0", "%", "fail",
    ]  # fmt: skip


def test_the_other_case_is_no_baseline_of_its_charts() -> None:
    """Its dots would stand among the case's own, as earlier runs do."""
    (drawn,) = samples(Page(run()).cases[1])
    assert (len(drawn.now), drawn.before) == (5, ())
    assert [text for text, _ in drawn.limits] == [TEXT]
