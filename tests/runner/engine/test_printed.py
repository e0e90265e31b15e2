"""Numbers found by patterns, whatever the text and whatever the pattern."""

from __future__ import annotations

import pytest

from iogate.engine import printed
from iogate.engine.printed import LINE_CHARACTERS, find_printed
from iogate.errors import EngineError

DBENCH = """\
   2      1834    54.06 MB/sec  execute   1 sec  latency 17.211 ms
Throughput 51.5 MB/sec (sync dirs)  2 clients  2 procs  max_latency=20.4 ms
Throughput 52.5 MB/sec  2 clients  2 procs  max_latency=1.2e1 ms, then 13 ms
"""


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        (r"Throughput ([0-9.]+) MB/sec", 52.5),
        (r"max_latency=([0-9.e+]+) ms", 12.0),
        (r"([0-9.]+) ms", 13.0),
        (r"^\s+2\s+(\d+)", 1834.0),
        (r"procs|(\d+) clients", 2.0),
    ],
)
def test_the_last_match_of_the_last_line_that_has_one(pattern: str, value: float) -> None:
    assert find_printed(DBENCH, {"m": pattern}) == {"m": value}


def test_what_is_nowhere_is_left_out() -> None:
    assert find_printed(DBENCH, {"a": "nothing ([0-9])", "b": "(13) ms"}) == {"b": 13.0}
    assert find_printed(DBENCH, {}) == {}


def test_nothing_matches_over_the_end_of_a_line() -> None:
    assert find_printed("Throughput\n5", {"m": r"Throughput\s([0-9])"}) == {}


@pytest.mark.parametrize("text", ["n=x", "n=1,5", "n=nan", "n=1e999", "n=1_000", "n=", "n=٣"])
def test_what_is_no_number_is_an_error(text: str) -> None:
    with pytest.raises(EngineError, match=r"m: its pattern found '.*', which is no number"):
        find_printed(text, {"m": "n=(.*)"})


def test_a_pattern_that_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printed, "_SECONDS", 1)
    with pytest.raises(EngineError, match="the patterns of the metrics were not found within 1 s"):
        find_printed("a" * 60 + "!", {"m": "(a+)+$"})


def test_of_a_long_line_the_beginning_is_looked_at() -> None:
    line = "x" * (LINE_CHARACTERS - 3) + "n=7"
    assert find_printed(line, {"m": "n=([0-9])"}) == {"m": 7.0}
    assert find_printed(f"x{line}", {"m": "n=([0-9])"}) == {}


def test_a_whole_mib_of_lines_is_soon_looked_through() -> None:
    text = "value 1 of 2\n" * 80_000 + "value 3 of 2\n"
    assert find_printed(text, {"m": r"value ([0-9]+) of"}) == {"m": 3.0}


def test_undecodable_bytes_do_no_harm() -> None:
    assert find_printed("\ud800\x00 n=4\x85", {"m": "n=([0-9])"}) == {"m": 4.0}
