"""``iogate trend confirm``: the revisions around a suspect, block by block."""

from __future__ import annotations

import getpass
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import click

from iogate.bisect.confirm import check_out_both, conclusion, confirmation_of, confirmation_sides
from iogate.cli import options
from iogate.cli.comparison_options import drawn, run_comparison
from iogate.cli.held import check_across
from iogate.cli.machine import machine
from iogate.cli.progress import open_display
from iogate.cli.run import stoppable
from iogate.cli.say import say
from iogate.cli.table import printable
from iogate.cli.trend import plan_of
from iogate.errors import UsageError
from iogate.history.trends import LAST_NIGHTS, Question, find_alert
from iogate.model.run import Run
from iogate.model.trend import Alert
from iogate.run.before_builds import check_host_is_free
from iogate.run.request import Request
from iogate.spec import require_trust
from iogate.spec.arms import Sides
from iogate.store import open_store


@click.command("confirm", short_help="Compare the revisions before and after an alert.")
@options.SPEC
@click.argument("alert")
@click.argument("build", nargs=-1, metavar="[-- BUILD COMMAND…]")
@options.REPOSITORY
@options.metrics("The metrics, as given to iogate trend.")
@options.BRANCH
@options.last(LAST_NIGHTS)
@options.ALERTS_ACROSS
@options.overrides("Change a job option, as the nightly runs did.")
@options.ENV
@click.option(
    "--blocks", type=click.IntRange(5, 200), help="Maximum number of blocks; by default 28."
)
@click.option("--seed", type=int, help="Seed of the order of the arms; drawn by default.")
@options.engine()
@options.STORE
@options.output()
@options.timeout()
@options.WAIT
@options.TRUST
@options.UNCONFINED
@options.QUIET
@options.as_json("Print the verdict as JSON on stdout.")
def command(
    *, alert: str, build: tuple[str, ...], repository: Path, metrics: tuple[str, ...],
    branch: str | None, last: int, across: tuple[str, ...], blocks: int | None, seed: int | None,
    quiet: bool, as_json: bool, **asked: object,
) -> int:  # fmt: skip
    """Compare the last good with the first bad revision of ALERT, block by block.

    Each revision is put into a clone and built there by BUILD COMMAND (no shell; it finds the
    revision in $IOGATE_BUILD), which is called again before each run: it has to put in place
    what was built. Judged are the metrics that moved, each held to a quarter of its change.

    Exits 1 when the regression is seen: then the alert is open, not a suspect. Exits 0 when
    the revisions do not differ, 5 when inconclusive.
    """
    if not build:
        raise UsageError(
            "there is no build command", remedy="say how to put a revision in place, after --"
        )
    request = Request(sut=machine(), command=("iogate", *sys.argv[1:]), **asked)  # type: ignore[arg-type]
    question = Question(metrics=metrics, branch=branch, last=last, across=across)
    spec, kept_alert = _found(request, alert, question)
    with tempfile.TemporaryDirectory(prefix="iogate-confirm-") as folder:
        both = check_out_both(kept_alert, repository, Path(folder), build)
        arms = both[0].arm(), both[1].arm()
        request = replace(request, label=f"confirm {kept_alert.id}", revision=None)
        sides = confirmation_sides(request, kept_alert, arms, seed=drawn(seed), most_blocks=blocks)
        _check(request, sides)
        for each in both:
            each.make()

        def keep(run: Run) -> None:
            decision = confirmation_of(kept_alert, spec, run, getpass.getuser())
            if decision is not None:
                with closing(open_store(request.store)) as store:
                    store.add_decision(decision)

        return run_comparison(
            request, sides, quiet=quiet, as_json=as_json, keep=keep,
            and_then=lambda run: say(printable(conclusion(kept_alert, run))),
        )  # fmt: skip


def _check(request: Request, sides: Sides) -> None:
    """Errors for what the comparison would refuse after both builds."""
    require_trust(sides.plan, trusted=request.trusted)
    with closing(open_display(0, quiet=True)) as display, stoppable() as stop:
        check_host_is_free(request, sides.plan, display, stop, "confirm")


def _found(request: Request, name: str, question: Question) -> tuple[str, Alert]:
    """The alert, and the name of the spec that it is of."""
    with closing(open_store(request.store)) as store:
        check_across(store.runs(verdicts=False), question)
        plan, alert = find_alert(store, name, question, plan_of(request.spec, store))
    return plan.spec_name, alert
