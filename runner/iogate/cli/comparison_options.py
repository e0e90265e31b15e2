"""Options that the commands which measure in blocks share, and how they run."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import click

from iogate.cli import options
from iogate.cli.outcome import conclude
from iogate.cli.progress import open_display
from iogate.cli.run import stoppable
from iogate.cli.warnings import warn_of, warn_of_beside, warn_of_few_blocks, warn_of_idle_arms
from iogate.model.run import Run
from iogate.run.comparison import execute_comparison
from iogate.run.more import More
from iogate.run.request import Request
from iogate.spec.arms import Sides

_OPTIONS = (
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
        help="Seed of the order of the arms in each pair of blocks; drawn by default.",
    ),
    options.timeout(),
    options.TRUST,
    options.UNCONFINED,
    options.PRECONDITION,
    options.WAIT,
    options.REVISION,
    options.LABEL,
    options.QUIET,
    options.as_json("Print the verdict as JSON on stdout."),
)


def drawn(seed: int | None) -> int:
    """The seed that was asked for, or one of its own for each comparison: an order that is
    unlucky for a case is not so again."""
    return secrets.randbelow(2**31) if seed is None else seed


def comparison_options(
    function: Callable[..., Any], spec: options.Decorator = options.SPEC
) -> Callable[..., Any]:
    """All of them, in the order that help shows; ``spec`` is the argument before them."""
    for option in reversed((spec, *_OPTIONS)):
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
    more: More | None = None,
) -> int:
    """Measure, judge, report; the exit code. ``keep`` does something with what was found, and
    ``and_then`` adds to what people read; ``more`` is the kept comparison that goes on."""
    comparison = sides.plan.comparison
    assert comparison is not None
    warn_of((*sides.base, *sides.candidate), request.spec)
    warn_of_idle_arms(sides, request.spec)
    warn_of_few_blocks(sides.plan, request.spec)
    warn_of_beside(sides.base, request.spec)
    measured = comparison.parts[-1].last_block if comparison.parts else 0
    blocks_left = max(comparison.most_blocks - measured, 0)
    most = comparison.each_block * blocks_left * len(sides.plan.cases)
    display = open_display(
        most,
        quiet=quiet or as_json,
        name=lambda repetition: str(comparison.place_of(repetition)),
        at_most=comparison.sequential,
        again=sides.plan.validity.again,
        per_boot=comparison.per_boot,
    )
    try:
        with stoppable() as stop:
            before = more.taken_over if more else _as_it_is
            finished = execute_comparison(
                request, sides, display, stop, display.announce, begun_with=before
            )
    finally:
        display.close()
    keep(finished.run)
    code = conclude(finished, request.store, as_json=as_json, quiet=quiet)
    if not as_json and not quiet:
        and_then(finished.run)
    return code


def _as_it_is(run: Run) -> Run:
    return run
