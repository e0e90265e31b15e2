"""The list of runs says of each what decided it, and of a comparison what was compared."""

from __future__ import annotations

from dataclasses import replace

from iogate.model.run import Run
from iogate.model.verdict import Outcome, RunVerdict
from iogate_reports import render_comment, render_report, render_summary
from iogate_reports.runs import render_runs
from iogate_reports.summary import MARKS
from support.html_tree import read_html
from support.report_runs import failed_run


def test_no_output_is_green_where_nothing_is_vouched_for(
    regressed: tuple[Run, tuple[Run, ...]],
) -> None:
    run = regressed[0]
    assert run.verdict is not None
    unknown = replace(run.verdict.thresholds[0], outcome=Outcome.INCONCLUSIVE)
    held = replace(run.verdict.thresholds[1], outcome=Outcome.PASS)
    for limits, word in (((), "not judged"), ((unknown,), "not judged"), ((held,), "pass")):
        verdict = RunVerdict(Outcome.PASS, 0, "", limits)
        check_word(replace(run, verdict=verdict), word, "pass" if word == "pass" else "missing")
    both = RunVerdict(Outcome.PASS, 0, "", (unknown, held))
    check_word(replace(run, verdict=both), "partly judged", "missing")


def check_word(run: Run, word: str, style: str) -> None:
    """The page, the list, the summary and the comment call the run so."""
    (band,) = (n for n in read_html(render_report(run, ())).all("div") if "band" in n.classes)
    assert band.classes[-1] == f"b-{style}"
    assert word in band.text
    assert f"b-{style}" in render_runs([run])
    mark = MARKS[style]
    for text in (render_summary(run), render_comment(run)):
        assert f"{mark} {run.plan.spec_name}: {word}" in text


def test_a_row_says_what_decided(regressed: tuple[Run, tuple[Run, ...]], slower: Run) -> None:
    runs = [regressed[0], slower, failed_run("the engine is gone")]
    rows = [row.text for row in read_html(render_runs(runs)).all("tr")[1:]]
    assert "write.iops of oltp-write/bs=4k,iodepth=32 is " in rows[0]
    assert "against" not in rows[0]
    assert "deep against spec" in rows[1]
    assert "the engine is gone" in rows[2]
