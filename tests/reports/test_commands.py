"""What a report tells its reader to type next."""

from __future__ import annotations

from dataclasses import replace

from iogate.model.run import Run
from iogate_reports import render_report
from iogate_reports.commands import commands
from support.html_tree import read_html

Regressed = tuple[Run, tuple[Run, ...]]


def test_a_regression_says_how_to_find_what_brought_it(regressed: Regressed) -> None:
    now, before = regressed
    good, bad = before[0].revision.commit[:12], now.revision.commit[:12]
    told = dict(commands(now, before))
    assert told["What came in"] == f"git log --oneline {good}..{bad}"
    search = f"iogate bisect specs/xfs-gate.yaml --good {good} --bad {bad} -- BUILD COMMAND"
    assert told["Find which it was"] == search
    shown = [one.text for one in read_html(render_report(now, before)).all("div", "command")]
    assert any(search in text for text in shown)


def test_no_search_is_offered_where_none_would_find_anything(regressed: Regressed) -> None:
    now, before = regressed
    same = tuple(replace(old, revision=now.revision) for old in before)
    dirty = replace(now, revision=replace(now.revision, dirty=True))
    odd = replace(now, revision=replace(now.revision, commit="--upload-pack=x"))
    for run_of, past in ((now, ()), (now, same), (dirty, before), (odd, before)):
        assert [label for label, _ in commands(run_of, past)] == ["Measure again"]
