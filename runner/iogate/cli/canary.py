"""``iogate canary``: a spec against itself."""

from __future__ import annotations

import sys

import click

from iogate.cli.comparison_options import comparison_options, drawn, run_comparison
from iogate.cli.machine import machine
from iogate.cli.prospect_table import prospect_table
from iogate.cli.say import say
from iogate.history.planning import prospects
from iogate.host.validity.limits import usual, write_host_limits
from iogate.model.comparison import LEAST_BLOCKS, MOST_BLOCKS
from iogate.model.run import Run, RunStatus
from iogate.run.comparison import make_canary
from iogate.run.request import Request
from iogate.stats.boundary import Rules


@click.command()
@comparison_options
@click.option(
    "--blocks",
    type=click.IntRange(LEAST_BLOCKS, 200),
    default=10,
    show_default=True,
    help="Number of blocks, of two runs each.",
)
def command(
    *, blocks: int, seed: int | None, quiet: bool, as_json: bool, **asked: object
) -> int:  # fmt: skip
    """Compare SPEC with itself: whatever differs is noise.

    The noise is kept in the history, where `iogate plan` finds it. A limit that fails here
    would fail without any change. How much of the CPUs and the disk other processes use here
    becomes what a repetition on this host may be disturbed by.
    """
    request = Request(sut=machine(), command=("iogate", *sys.argv[1:]), **asked)  # type: ignore[arg-type]
    sides = make_canary(request, seed=drawn(seed), blocks=blocks)
    return run_comparison(
        request, sides, quiet=quiet, as_json=as_json, keep=_keep_limits, and_then=_show_noise
    )


def _keep_limits(run: Run) -> None:
    """What was usual on this host is from now on what is allowed there."""
    limits = usual([m.surroundings for m in run.measurements])
    if run.status is RunStatus.COMPLETE and limits:
        write_host_limits(machine(), limits, run.id)


def _show_noise(run: Run) -> None:
    """What the canary is for, beside its verdict."""
    comparison = run.plan.comparison
    assert comparison is not None
    expected = prospects(
        run.plan, [run], (MOST_BLOCKS,), Rules(most_blocks=MOST_BLOCKS, sees=comparison.sees)
    )
    if any(each.noise for each in expected):
        say(f"\n{prospect_table(expected, (MOST_BLOCKS,))}")
