"""``iogate run``: measure, store, judge and report."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import click

from iogate.cli import options
from iogate.cli.machine import machine
from iogate.cli.outcome import conclude
from iogate.cli.progress import open_display
from iogate.cli.say import say
from iogate.cli.table import counted, duration, printable, size, table
from iogate.cli.warnings import warn_of, warn_of_undecidable, warn_of_young
from iogate.engine.base import Stop
from iogate.exits import DONE
from iogate.jobs import estimate
from iogate.model.plan import Plan
from iogate.model.spec import Target, TargetKind
from iogate.run.checks import check_run, precondition_prospects
from iogate.run.measure import most_repetitions, repetitions_of
from iogate.run.pipeline import execute
from iogate.run.request import Request, make_request_plan
from iogate.run.targets import uses_of
from iogate.spec import needs_trust
from iogate.sut.booting import is_booting


@click.command()
@options.SPEC
@options.overrides()
@options.ENV
@options.CASES
@options.TAGS
@options.engine()
@options.STORE
@options.NO_STORE
@options.output()
@click.option(
    "--repetitions", type=click.IntRange(1), help="Number of repetitions, overriding the spec."
)
@options.FAIL_FAST
@options.TRUST
@options.UNCONFINED
@options.PRECONDITION
@options.timeout("Abort a repetition after this long; by default from its runtime and size.")
@options.WAIT
@options.REVISION
@options.LABEL
@click.option(
    "--dry-run",
    is_flag=True,
    help="Check everything and say what would be done, but do nothing.",
)
@options.QUIET
@options.as_json("Print the verdict as JSON on stdout.")
def command(*, dry_run: bool, quiet: bool, as_json: bool, **asked: object) -> int:
    """Measure what SPEC describes, store it, judge it, and write the report.

    Exits 0 when every limit holds, 1 when one failed, 2 when the spec or the call is
    wrong, 3 when refused for safety, 4 when the run itself failed, 5 when inconclusive and
    the spec says that this blocks.
    """
    request = Request(sut=machine(), command=("iogate", *sys.argv[1:]), **asked)  # type: ignore[arg-type]
    plan = make_request_plan(request)
    warn_of(plan.cases, request.spec)
    warn_of_undecidable(plan.cases, request.spec)
    warn_of_young(plan, request.spec)
    if dry_run:
        say(describe(plan))
        check_run(request, plan)
        for text in precondition_prospects(request, plan):
            say(printable(text))
        return DONE
    least, most = (sum(1 for _ in each) for each in (repetitions_of(plan), most_repetitions(plan)))
    again = plan.validity.again
    display = open_display(most, quiet=quiet or as_json, at_most=least < most, again=again)
    try:
        with stoppable() as stop:
            finished = execute(request, plan, display, stop)
    finally:
        display.close()
    return conclude(finished, request.store, as_json=as_json, quiet=quiet)


_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stoppable() -> Iterator[Stop]:
    """A Stop that Ctrl-C, SIGTERM or SIGHUP sets. A second one ends everything at once, and so
    does the first while a virtual machine boots. A SIGHUP that is ignored, as after nohup, stays
    so."""
    stop = Stop()
    deaf = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    heard = [each for each in _STOPPING if each is not signal.SIGHUP or not deaf]

    def handle(_number: int, _frame: FrameType | None) -> None:
        at_once = stop.requested or is_booting()
        stop.requested = True
        if at_once:
            raise KeyboardInterrupt
        message = b"\niogate: stopping; what was measured is kept (again: end now)\n"
        with suppress(OSError):  # the terminal may be what has gone
            os.write(sys.stderr.fileno(), message)

    before = {number: signal.signal(number, handle) for number in heard}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def describe(plan: Plan) -> str:
    """The plan for people: cases, how long they take, what is written and destroyed."""
    rows = [
        (case.name, case.id, case.target.name, str(case.repetitions.min), _time(plan_s))
        for case in plan.cases
        for plan_s in (estimate.seconds(case),)
    ]
    return "\n".join(
        [
            printable(f"spec {plan.spec_name} ({plan.spec_file})"),
            "",
            table(("case", "id", "target", "repetitions", "each"), rows, right=(3, 4)),
            "",
            _counts(plan),
            *_touches(plan),
            "nothing was measured or written (--dry-run)",
        ]
    )


def _counts(plan: Plan) -> str:
    cases, repetitions = len(plan.cases), sum(1 for _ in repetitions_of(plan))
    counts = (counted(cases, "case"), counted(cases, "job file"))
    return ", ".join((*counts, counted(repetitions, "repetition"), _total_time(plan)))


def _touches(plan: Plan) -> Iterator[str]:
    if settings := [key for key in needs_trust(plan) if key.startswith("environment.")]:
        yield f"sets {printable(', '.join(settings))}, and puts it back"
    if plan.precondition:
        yield (
            "OVERWRITES the devices with destroy: that are used, as a precondition, where what an "
            "earlier run did no longer holds"
        )
    for use in uses_of(plan):
        target = use.target
        path = printable(target.path)
        if target.kind is TargetKind.DEVICE:
            what = "OVERWRITES the device" if use.writes else "reads the device"
            yield f"target {target.name}: {what} {path}"
        elif target.kind is TargetKind.FILE:
            what = "writes and keeps" if use.writes else "reads, and lays out if missing,"
            yield f"target {target.name}: {what} the file {path}, {size(use.bytes_needed)}"
        elif target.is_made:
            yield f"target {target.name}: MAKES {_made(target)}"
        else:
            yield (
                f"target {target.name}: writes {size(use.bytes_needed)} in a folder of its own "
                f"in {path}, and removes it"
            )


def _made(target: Target) -> str:
    """What is made of which devices, and what that loses."""
    paths = [printable(each.path) for each in target.made_on]
    if target.array:
        parts = len(paths) - len(target.roles)
        joined = " and ".join(paths[:parts])
        paths = [f"an array, {target.array}, of {joined}", *paths[parts:]]
    loses = f"and loses what is on {'them' if target.beside else 'it'}"
    if not target.fs_type:
        return f"{paths[0]}, {loses}"
    on = (", and on " if target.array else " and ").join(paths)
    return f"a filesystem, {target.fs_type}, on {on}, {loses}"


def _time(seconds: float | None) -> str:
    return "until done" if seconds is None else duration(seconds)


def _total_time(plan: Plan) -> str:
    each = [(estimate.seconds(case), case.repetitions.min) for case in plan.cases]
    known = sum(seconds * times for seconds, times in each if seconds is not None)
    open_ended = sum(times for seconds, times in each if seconds is None)
    text = f"about {duration(known)} and the time to lay out files"
    if not open_ended:
        return text
    return f"{text}, and as long as I/O takes in {counted(open_ended, 'repetition')}"
