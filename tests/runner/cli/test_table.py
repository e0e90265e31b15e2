"""Tables in a terminal: as wide as characters are there, and no wider than it where they can."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from iogate.cli.outcome import verdict_table
from iogate.cli.table import columns_of, table
from iogate.gate.judge import judge
from support import samples as s

LONG = "oltp-" + "very-long-name-" * 15 + "/bs=4k,numjobs=16"


def test_columns_stay_below_each_other_whatever_the_script() -> None:
    rows = [("写入-ランダム", "1"), ("plain", "2"), ("🚀🚀", "3"), ("e\u0301te\u0301", "4")]
    lines = table(("case", "n"), rows).splitlines()
    assert {columns_of(line[: line.rindex(" ")]) for line in lines} == {14}
    assert columns_of("写a🚀e\u0301") == 6


def test_a_long_name_is_cut_in_the_middle_to_the_width() -> None:
    for name in (LONG, "写入" * 100 + "末"):
        lines = table(("case", "metric"), [(name, "write.iops"), ("b", "x")], width=80).splitlines()
        assert columns_of(lines[1]) in (79, 80)
        assert lines[1].startswith(name[:10])
        assert "…" in lines[1]
        before, _, _ = lines[1].partition("  write.iops")
        assert before.rstrip().endswith(name[-8:])
    assert LONG in table(("case",), [(LONG,)])


def test_where_all_goes_in_nothing_is_cut() -> None:
    assert table(("case", "n"), [("short", "1")], width=80) == table(
        ("case", "n"), [("short", "1")]
    )


def test_the_table_of_limits_goes_into_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = s.plan(replace(s.case(s.threshold()), name=LONG))
    verdict = judge(plan, s.repetitions([200.0, 201.0, 202.0]), (), ())
    run = replace(s.run(the_plan=plan), verdict=verdict)
    assert LONG in verdict_table(run), "a log has whole names"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "100")
    assert max(map(columns_of, verdict_table(run).splitlines())) <= 100


def test_no_cell_is_of_any_length_where_there_is_no_terminal() -> None:
    lines = table(("case", "n"), [("a" * 60_000, "写" * 60_000), ("b", "1")]).splitlines()
    assert all(columns_of(line) <= 2 * 300 + 2 for line in lines)
    assert lines[1].startswith("aaa")
    assert "…" in lines[1]


def test_sentences_are_not_cut() -> None:
    told = "restored: " + "a-long-path/" * 40
    assert table(("check", "found"), [("settings", told)], sentences=True).endswith(told)
