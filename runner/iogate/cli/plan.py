"""``iogate plan``: what a number of blocks can see on this host."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing

import click

from iogate.cli import options
from iogate.cli.machine import machine
from iogate.cli.prospect_table import prospect_table, thin_lines
from iogate.cli.say import say
from iogate.cli.table import counted, duration
from iogate.cli.warnings import warn_of
from iogate.exits import DONE
from iogate.history.noise import newest_canary
from iogate.history.planning import BLOCKS, LEAST_FREE, block_seconds, free, prospects
from iogate.host.facts import this_host
from iogate.model.comparison import ARMS
from iogate.model.plan import Plan
from iogate.model.run import Run
from iogate.run.request import Request, make_request_plan
from iogate.spec import load_spec
from iogate.spec.arms import canary_ids
from iogate.stats.boundary import Rules
from iogate.store import open_kept

_WINDOW = 20


@click.command()
@options.SPEC
@options.overrides()
@options.ENV
@options.CASES
@options.TAGS
@click.option(
    "--blocks",
    "blocks",
    type=click.IntRange(5, 200),
    multiple=True,
    help="Number of blocks; may be repeated. By default 6, 10, 20 and the maximum of the spec.",
)
@options.STORE
def command(*, blocks: Sequence[int], **asked: object) -> int:  # fmt: skip
    """Say which changes a comparison of SPEC can see, and how long it takes.

    The noise is this host's own: from its newest canary (see `iogate canary`), else from the
    repetitions of its newest run with four, else from those of its newest runs together. A
    change counts as seen when four of five comparisons that end after that many blocks fail
    because of it.
    """
    request = Request(sut=machine(), **asked)  # type: ignore[arg-type]
    plan = make_request_plan(request)
    warn_of(plan.cases, request.spec)
    runs = _runs(request, plan)
    rule = load_spec(request.spec).compare
    most = max(rule.blocks, *blocks, 0)
    blocks = blocks or sorted({*(n for n in BLOCKS if n < most), most})
    expected = prospects(plan, runs, blocks, Rules(most_blocks=most, sees=rule.sees))
    if not expected:
        say("no limit vs baseline: there is nothing to compare")
        return DONE
    say(prospect_table(expected, blocks))
    say()
    for line in thin_lines(expected):
        say(line)
    seconds = block_seconds(plan, runs, per_boot=rule.per_boot)
    for n in blocks:
        took = "as long as its I/O takes" if seconds is None else f"about {duration(n * seconds)}"
        boots = f", and {ARMS * (n + 1)} boots" if rule.boots else ""
        say(f"{n} blocks: {took}{boots}")
    say(f"a comparison ends when its limits are decided, after {most} blocks at the latest")
    if rule.boots:
        say(_of_boots(rule.per_boot))
    unknown = [each for each in expected if each.noise is None]
    if unknown:
        fewest = min(free(plan, each.case, each.threshold, runs) for each in unknown)
        say(f"\n{_lacking(len(runs), fewest)}")
    return DONE


def _of_boots(per_boot: int) -> str:
    """What the noise of a canary, which boots nothing, says of boots."""
    of_boot = f"; the mean of {per_boot} in a boot has less" if per_boot > 1 else ""
    return f"the noise is that of repetitions{of_boot}, and what boots differ by is not in it"


def _lacking(runs: int, known: int) -> str:
    """What to do where the noise is not known."""
    text = "without noise there is no plan: run `iogate canary` with this spec first"
    if not runs:
        return text
    return (
        f"{text}\n({counted(runs, 'run')} of the history can be used, with"
        f" {counted(known, 'repetition')} beyond the first of each; noise needs {LEAST_FREE}:"
        " four of one run, or two of each of three)"
    )


def _runs(request: Request, plan: Plan) -> Sequence[Run]:
    """Canaries and accepted runs of this host."""
    ids = [name for case in plan.cases for name in (*case.ids, *canary_ids(case))]
    machine_id = this_host(machine()).machine_id
    with closing(open_kept(request.store)) as store:
        accepted = store.baseline(
            ids, machine_id=machine_id, before_ns=time.time_ns(), window=_WINDOW
        )
        return [*newest_canary(store, plan, machine_id), *accepted]
