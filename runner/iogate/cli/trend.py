"""``iogate trend``: where the nights of a spec moved to a new level."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator

import click

from iogate.errors import Location, UsageError

_STDIN = "<stdin>"
_REMEDY = "write one JSON array of numbers a line, oldest first; null is a night without a value"


@click.group()
def command() -> None:
    """Find where nightly numbers moved to a new level."""


@command.command("detect")
def detect() -> None:
    """Find changes in numbers on stdin: one JSON array a line, oldest first.

    Writes, for each, one JSON array with the index (from 0) of the first point of each new
    level. null is a night without a value. Exits 2 at a line that is no such array.
    """
    from iogate.stats.changepoint import change_points

    for values in read_series(sys.stdin.buffer):
        sys.stdout.write(f"{json.dumps(change_points(values))}\n")
        sys.stdout.flush()


def read_series(lines: Iterable[bytes]) -> Iterator[list[float]]:
    """The series of each line, null as NaN. UsageError that names the line for a bad one."""
    for number, line in enumerate(lines, 1):
        try:
            values = json.loads(line)
        except (ValueError, RecursionError):
            raise _bad(number, 1, "this is no JSON array of numbers") from None
        if not isinstance(values, list):
            raise _bad(number, 1, "this is no JSON array of numbers")
        yield [_number(value, number, place) for place, value in enumerate(values)]


def _number(value: object, line: int, place: int) -> float:
    if value is None:
        return float("nan")
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            pass
    shown = json.dumps(value)
    shown = shown if len(shown) <= 40 else f"{shown[:40]}…"
    raise _bad(line, 1, f"item {place} of the array is {shown}, not a number")


def _bad(line: int, column: int, what: str) -> UsageError:
    return UsageError(what, remedy=_REMEDY, where=Location(_STDIN, line, column))
