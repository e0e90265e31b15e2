"""``iogate trend detect`` as a script sees it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from iogate.cli.trend import command
from iogate.errors import UsageError
from iogate.stats.changepoint import change_points

STEP = [7.0, 7.1] * 15 + [9.0, 9.1] * 15


def detect(text: str | bytes) -> Result:
    return CliRunner().invoke(command, ["detect"], input=text)


def answers(result: Result) -> list[list[int]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_each_line_has_its_answer() -> None:
    result = detect(f"{json.dumps(STEP)}\n[]\n[1, 2, 3]\n{json.dumps(STEP)}")
    assert result.exit_code == 0
    assert answers(result) == [[30], [], [], [30]]
    assert answers(result)[0] == change_points(STEP)


def test_null_is_a_night_without_a_value() -> None:
    gappy = [None, *STEP[:10], None, *STEP[10:]]
    assert answers(detect(json.dumps(gappy))) == [[32]]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "no JSON array"),
        ("[1, 2", "no JSON array"),
        ("7", "no JSON array"),
        ('{"a": 1}', "no JSON array"),
        ("[" * 100_000, "no JSON array"),
        ("[1, true]", "item 1 of the array is true"),
        ('["7"]', 'item 0 of the array is "7"'),
        ("[[1]]", "item 0"),
        (f"[1, 1{'0' * 400}]", "no JSON array of numbers: it holds an integer of more than 300"),
        ("[10,NaN,10]", "NaN is no number of JSON"),
        ("[10.0,Infinity]", "Infinity is no number of JSON"),
        ("[-Infinity]", "-Infinity is no number of JSON"),
        ("[10,1e400,10]", "item 1 of the array is larger than any number"),
        ("[10.0,-1e400]", "item 1 of the array is larger than any number"),
    ],
)
def test_a_bad_line_is_named(line: str, said: str) -> None:
    result = detect(f"[1, 2]\n{line}\n[3]\n")
    assert isinstance(result.exception, UsageError)
    assert str(result.exception.where) == "<stdin>:2:1"
    assert said in result.exception.what
    assert "one JSON array of numbers a line" in result.exception.remedy
    assert answers(result) == [[]]


def test_what_is_not_text_is_a_bad_line() -> None:
    assert isinstance(detect(b"\xff\xfe[\n").exception, UsageError)


def test_nothing_in_is_nothing_out() -> None:
    result = detect("")
    assert (result.exit_code, result.stdout) == (0, "")
