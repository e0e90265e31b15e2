"""``iogate trend``: where the nights of a spec moved to a new level."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from iogate.cli import options
from iogate.cli.machine import machine
from iogate.cli.say import say, say_exactly, say_json
from iogate.cli.table import printable
from iogate.errors import Location, RefusedError, UsageError
from iogate.files.bounded import parse_json

if TYPE_CHECKING:
    from iogate.history.trends import Question
    from iogate.model.plan import Plan
    from iogate.model.run import Run
    from iogate.store import Store

_STDIN = "<stdin>"
_REMEDY = "write one JSON array of numbers a line, oldest first; null is a night without a value"
_LAST = 300


class DefaultGroup(click.Group):
    """A group that takes ``trend SPEC`` for ``trend show SPEC``. What measures is imported when
    it is called."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.list_commands(ctx), "-h", "--help"):
            args = ["show", *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted((*super().list_commands(ctx), "confirm"))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name == "confirm":
            from iogate.cli.trend_confirm import command as confirm

            return confirm
        return super().get_command(ctx, name)


@click.group(cls=DefaultGroup)
def command() -> None:
    """Show where the nights of a spec moved to a new level: iogate trend SPEC.

    Its options, such as --gate, --host and --json, are those of iogate trend show.
    """


@command.command("show", short_help="What iogate trend SPEC does, and its options.")
@options.SPEC
@options.ENV
@options.metrics()
@options.CASES
@options.HOST
@options.BRANCH
@options.last(_LAST)
@options.ACROSS
@options.STORE
@click.option("--gate", is_flag=True, help="Exit 1 while a confirmed regression is open.")
@options.as_json("The whole trend document on stdout.")
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

    SPEC is a file, or the name of a spec in the history, such as that of imported results.
    Followed are the metrics that have a limit; where a case has none, its IOPS and p99.
    """
    from iogate import exits
    from iogate.cli.held import check_across, check_asked, check_patterns
    from iogate.cli.trend_view import narrowed, text_of, valueless
    from iogate.history.trends import Question, find_trend
    from iogate.model.document import to_document
    from iogate.model.silence import silence_of
    from iogate.store import open_kept

    with closing(open_kept(store)) as opened:
        question = Question(**asked)  # type: ignore[arg-type]
        across = question.across
        plan, runs = plan_and_runs(spec, opened) if across else (plan_of(spec, opened), ())
        _check_cases(spec, plan, cases)
        if across:
            check_across(runs, question)
        whole = find_trend(opened, plan, question)
        if not whole.nights:
            check_asked(opened.runs(spec=plan.spec_name, verdicts=False), question)
        if gate and not whole.series:
            raise _nothing_to_gate(plan.spec_name, store, bool(whole.nights))
    check_patterns({series.metric for series in whole.series}, question.metrics)
    for name in valueless(whole, question.metrics, plan.metrics):
        say(f"iogate: {name} has no value in any night", err=True)
    if gate and (told := silence_of(whole, whole.made_ns)):
        say(f"iogate: {printable(plan.spec_name)}: {told}", err=True)
    trend = narrowed(whole, cases)
    if as_json:
        say_json(json.dumps(to_document(trend), ensure_ascii=False, allow_nan=False))
    else:
        file = plan.spec_file if plan.spec_text else "SPEC"
        say_exactly(text_of(trend, file, _words(question)))  # it is safe, and has colours
    is_open = any(a.turn == "regression" and a.state == "open" for a in trend.alerts)
    return exits.of_open(regression=gate and is_open)


def _words(question: Question) -> list[str]:
    """The options that decide which alerts there are, as they were given."""
    words = [word for fact in question.across for word in ("--across", fact)]
    words += ["--branch", question.branch] if question.branch is not None else []
    return words + (["--last", str(question.last)] if question.last != _LAST else [])


def _nothing_to_gate(spec: str, store: str | None, some: bool) -> RefusedError:
    """A gate over nothing would be green for good. There are ``some`` nights, without a value."""
    from iogate.store import sqlite_path

    night = "night with a value" if some else "night"
    where = sqlite_path(store) or "this history"
    return RefusedError(
        f"no {night} of {printable(spec)} is kept in {where}, so that --gate would let everything"
        " through",
        remedy="measure with 'iogate run SPEC', or name the history with --store",
    )


def _check_cases(spec: Path, plan: Plan, cases: tuple[str, ...]) -> None:
    """UsageError where --case leaves nothing."""
    if not cases:
        return
    from iogate.run.request import Request, nothing_selected, selected

    request = Request(spec=spec, sut=machine(), cases=cases)
    if not any(selected(case, request) for case in plan.cases):
        raise nothing_selected(request, plan)


def plan_of(spec: Path, store: Store) -> Plan:
    """That of the file; where there is none, what the history holds of a spec of that name."""
    return _given(spec) or _held(spec, store.runs(spec=str(spec), verdicts=False), store)


def plan_and_runs(spec: Path, store: Store) -> tuple[Plan, Sequence[Run]]:
    """The same, and its runs, newest first and without verdicts."""
    given = _given(spec)
    runs = store.runs(spec=given.spec_name if given else str(spec), verdicts=False)
    return given or _held(spec, runs, store), runs


def _given(spec: Path) -> Plan | None:
    from iogate.spec import load_spec, make_plan

    return make_plan(load_spec(spec)) if os.path.lexists(spec) and not spec.is_dir() else None


def _held(spec: Path, runs: Sequence[Run], store: Store) -> Plan:
    """``runs`` are those of a spec of that name."""
    from iogate.cli.held import nothing_held
    from iogate.history.plans import kept_plans

    name = str(spec)
    held = kept_plans(runs)
    if name not in held:
        known = kept_plans(store.runs(verdicts=False))
        raise nothing_held(f"no night of a spec {name}, and there is no file {name}", known)
    return held[name]


@command.command("detect", short_help="Find changes in numbers on stdin.")
def detect() -> None:
    """Find changes in numbers on stdin: one JSON array a line, oldest first.

    Writes, for each, one JSON array with the index (from 0) of the first point of each new
    level. null is a night without a value; NaN, and a number that none holds, such as 1e400,
    are no numbers. Exits 2 at a line that is no such array.
    """
    from iogate.stats.hopping import level_changes

    for values in read_series(sys.stdin.buffer):
        sys.stdout.write(f"{json.dumps(level_changes(values))}\n")
        sys.stdout.flush()


def read_series(lines: Iterable[bytes]) -> Iterator[list[float]]:
    """The series of each line, null as NaN. UsageError that names the line for a bad one."""
    for number, line in enumerate(lines, 1):
        try:
            values = parse_json(line)
        except ValueError as error:
            why = "" if isinstance(error, json.JSONDecodeError | UnicodeError) else f": {error}"
            raise _bad(number, 1, f"this is no JSON array of numbers{why}") from None
        if not isinstance(values, list):
            raise _bad(number, 1, "this is no JSON array of numbers")
        if set(map(type, values)) == {float} and all(map(math.isfinite, values)):
            yield values
        else:
            yield [_number(value, number, place) for place, value in enumerate(values)]


def _number(value: object, line: int, place: int) -> float:
    if value is None:
        return math.nan
    if isinstance(value, int | float) and not isinstance(value, bool):
        with suppress(OverflowError):
            if math.isfinite(number := float(value)):
                return number
        raise _bad(line, 1, f"item {place} of the array is larger than any number that is kept")
    shown = json.dumps(value)
    shown = shown if len(shown) <= 40 else f"{shown[:40]}…"
    raise _bad(line, 1, f"item {place} of the array is {shown}, not a number")


def _bad(line: int, column: int, what: str) -> UsageError:
    return UsageError(what, remedy=_REMEDY, where=Location(_STDIN, line, column))
