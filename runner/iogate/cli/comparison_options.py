"""Options that the commands which measure in blocks share, and how they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from iogate.cli import options
from iogate.cli.outcome import conclude
from iogate.cli.progress import open_display
from iogate.cli.run import stoppable
from iogate.cli.warnings import warn_of
from iogate.model.run import Run
from iogate.run.comparison import execute_comparison
from iogate.run.request import Request
from iogate.spec.arms import Sides

_OPTIONS = (
    options.SPEC,
    options.overrides("Change a job option, in both arms."),
    options.ENV,
    options.CASES,
    options.TAGS,
    options.engine(),
    options.STORE,
    options.output(),
    click.option(
        "--seed",
        type=int,
        default=0,
        show_default=True,
        help="Decides which arm runs first in each block.",
    ),
    options.timeout(),
    options.TRUST,
    options.UNCONFINED,
    options.PRECONDITION,
    options.WAIT,
    options.REVISION,
    options.LABEL,
    options.QUIET,
    options.as_json("The verdict as JSON on stdout."),
)


def comparison_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """All of them, in the order that help shows."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def run_comparison(
    request: Request,
    sides: Sides,
    *,
    quiet: bool,
    as_json: bool,
    keep: Callable[[Run], None] = lambda _run: None,
    and_then: Callable[[Run], None] = lambda _run: None,
) -> int:
    """Measure, judge, report; the exit code. ``keep`` does something with what was found, and
    ``and_then`` adds to what people read."""
    comparison = sides.plan.comparison
    assert comparison is not None
    warn_of((*sides.base, *sides.candidate), request.spec)
    most = 2 * comparison.most_blocks * len(sides.plan.cases)
    display = open_display(
        most,
        quiet=quiet or as_json,
        name=lambda repetition: str(comparison.place_of(repetition)),
        at_most=comparison.sequential,
        again=sides.plan.validity.again,
    )
    try:
        with stoppable() as stop:
            finished = execute_comparison(request, sides, display, stop, display.announce)
    finally:
        display.close()
    keep(finished.run)
    code = conclude(finished, request.store, as_json=as_json, quiet=quiet)
    if not as_json and not quiet:
        and_then(finished.run)
    return code
