"""``iogate history`` of comparisons: what one arm measured is never mixed with the other's."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from iogate.cli.history import command
from iogate.model.comparison import Arm, Comparison
from iogate.model.run import Run
from iogate.store import open_store
from support import samples as s


def compared(name: str, old: Sequence[float], new: Sequence[float]) -> Run:
    """A comparison with a value a block of each arm."""
    plan = replace(s.plan(s.case()), comparison=Comparison(Arm("old"), Arm("new"), seed=1))
    measured = [
        replace(one, arm=arm, block=block, repetition=2 * block - 1 + number)
        for number, (arm, values) in enumerate((("old", old), ("new", new)))
        for block, one in enumerate(s.repetitions(values), 1)
    ]
    return s.run(name, the_plan=plan, measurements=tuple(measured))


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Two comparisons and a plain run."""
    path = str(tmp_path / "history.sqlite")
    with closing(open_store(path)) as store:
        store.begin_run(compared("one", [100, 101, 102], [200, 201, 202]))
        store.begin_run(compared("two", [110, 110, 110], [100.5, 201.02, 301]))
        store.begin_run(s.run("plain", measurements=s.repetitions([101, 101.01])))
    return path


def history(*words: str) -> str:
    result = CliRunner().invoke(command, words)
    assert result.exception is None, result.exception
    return result.stdout


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if "write.iops" in line]


def test_each_arm_has_a_row(url: str) -> None:
    text = history("show", "one", "--store", url)
    assert rows(text) == [
        ["oltp/bs=4k", "old", "write.iops", "101", "/s", "100", "/s", "102", "/s", "3"],
        ["oltp/bs=4k", "new", "write.iops", "201", "/s", "200", "/s", "202", "/s", "3"],
    ]
    assert " arm " in text
    plain = history("show", "plain", "--store", url)
    assert " arm " not in plain
    assert rows(plain)[0][:2] == ["oltp/bs=4k", "write.iops"]


def test_comparisons_are_compared_arm_by_arm(url: str) -> None:
    words = ("compare", "one", "two", "--metric", "write.iops", "--store", url)
    assert rows(history(*words)) == [
        ["oltp/bs=4k", "old", "write.iops", "101", "/s", "110", "/s", "+8.9", "%", "better"],
        ["oltp/bs=4k", "new", "write.iops", "201", "/s", "201", "/s", "+0.0", "%"],
    ]
    document = json.loads(history(*words, "--json"))
    assert [row["arm"] for row in document["metrics"]] == ["old", "new"]
    assert document["metrics"][1]["better"] is True  # with all digits it is


def test_a_run_is_compared_with_each_arm(url: str) -> None:
    words = ("compare", "plain", "one", "--metric", "write.iops", "--store", url)
    assert [row[1:5] + row[-1:] for row in rows(history(*words))] == [
        ["old", "write.iops", "101", "/s", "%"],
        ["new", "write.iops", "101", "/s", "better"],
    ]


def test_a_table_says_the_arm_of_each_value(url: str, tmp_path: Path) -> None:
    file = tmp_path / "history.csv"
    history("export", str(file), "--store", url)
    with file.open(newline="") as opened:
        found = [row for row in csv.DictReader(opened) if row["metric"] == "write.iops"]
    arms = {(row["run"], row["arm"]) for row in found}
    assert arms == {("one", "old"), ("one", "new"), ("two", "old"), ("two", "new"), ("plain", "")}
