"""The list of runs says of each what decided it, and of a comparison what was compared."""

from __future__ import annotations

from iogate.model.run import Run
from iogate_reports.runs import render_runs
from support.html_tree import read_html
from support.report_runs import failed_run


def test_a_row_says_what_decided(regressed: tuple[Run, tuple[Run, ...]], slower: Run) -> None:
    runs = [regressed[0], slower, failed_run("the engine is gone")]
    rows = [row.text for row in read_html(render_runs(runs)).all("tr")[1:]]
    assert "write.iops of oltp-write/bs=4k,iodepth=32 is " in rows[0]
    assert "against" not in rows[0]
    assert "deep against spec" in rows[1]
    assert "the engine is gone" in rows[2]
