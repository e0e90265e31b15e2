"""``iogate trend``: where the nights of a spec moved to a new level."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import click

from iogate.errors import ExitCode, Location, UsageError

_STDIN = "<stdin>"
_REMEDY = "write one JSON array of numbers a line, oldest first; null is a night without a value"
_LAST = 300


class DefaultGroup(click.Group):
    """A group that takes ``trend SPEC`` for ``trend show SPEC``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = ["show", *args]
        return super().parse_args(ctx, args)


@click.group(cls=DefaultGroup)
def command() -> None:
    """Show where the nights of a spec moved to a new level: iogate trend SPEC."""


@command.command("show")
@click.argument("spec", type=click.Path(path_type=Path))
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="PATH",
    help="This metric too; a pattern (*.clat.*) means any that was kept.",
)
@click.option("--case", "cases", multiple=True, metavar="GLOB", help="Only cases of this name.")
@click.option("--host", metavar="HOST", help="Only this host (name or machine id).")
@click.option("--branch", metavar="GLOB", help="Only runs of this branch.")
@click.option(
    "--last",
    type=click.IntRange(1),
    default=_LAST,
    show_default=True,
    metavar="N",
    help="So many runs of each host.",
)
@click.option(
    "--across",
    multiple=True,
    metavar="FACT",
    help="A fact of the environment (kernel.*) whose change begins no new series.",
)
@click.option("--store", metavar="URL", help="The history; by default in the user's data folder.")
@click.option("--gate", is_flag=True, help="Exit 1 while a confirmed regression is open.")
@click.option("--json", "as_json", is_flag=True, help="The whole trend document on stdout.")
def show(  # each is an option
    *,
    spec: Path,
    cases: tuple[str, ...],
    store: str | None,
    gate: bool,
    as_json: bool,
    **asked: object,
) -> int:
    """Show the level of each case and metric of SPEC, night by night, and its alerts.

    Followed are the metrics that have a limit; where a case has none, its IOPS and p99.
    """
    from iogate.cli.trend_view import narrowed, text_of
    from iogate.model.document import to_document
    from iogate.spec import expand_spec, load_spec
    from iogate.store import open_store
    from iogate.trending import Question, find_trend

    plan = expand_spec(load_spec(spec))
    with closing(open_store(store)) as opened:
        whole = find_trend(opened, plan, Question(**asked))  # type: ignore[arg-type]
    trend = narrowed(whole, cases)
    if as_json:
        click.echo(json.dumps(to_document(trend), ensure_ascii=False, allow_nan=False))
    else:
        click.echo(text_of(trend))
    is_open = any(a.turn == "regression" and a.state == "open" for a in trend.alerts)
    return ExitCode.FAIL if gate and is_open else ExitCode.PASS


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
