"""``iogate plan``: what a number of blocks can see on this host."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import click

from iogate.cli.table import duration, printable, table
from iogate.host.facts import this_host
from iogate.model.plan import Plan
from iogate.model.run import Run
from iogate.model.units import format_change
from iogate.pipeline import Request, make_request_plan
from iogate.planning import Prospect, block_seconds, prospects
from iogate.spec.arms import canary_id
from iogate.store import Store, open_store
from iogate.sut import open_sut

_WINDOW = 20
_LOOK_BACK = 200


@click.command()
@click.argument("spec", type=click.Path(path_type=Path))
@click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="[WORKLOAD.]KEY=VALUE",
    help="Change a job option, of one workload or of all.",
)
@click.option("--case", "cases", multiple=True, metavar="GLOB", help="Only cases of this name.")
@click.option("--tag", "tags", multiple=True, help="Only workloads with this tag.")
@click.option(
    "--blocks",
    "blocks",
    type=click.IntRange(5, 200),
    multiple=True,
    default=(6, 10, 20, 28),
    show_default=True,
    help="How many blocks; may be repeated.",
)
@click.option("--store", metavar="URL", help="The history; by default in the user's data folder.")
def command(*, blocks: Sequence[int], **asked: object) -> int:  # fmt: skip
    """Say which changes a comparison of SPEC can see, and how long it takes.

    The noise is this host's own: from its newest canary (see `iogate canary`), else from the
    repetitions of its newest run. A change counts as seen when four of five comparisons that
    end after so many blocks fail because of it.
    """
    request = Request(**asked)  # type: ignore[arg-type]
    plan = make_request_plan(request)
    runs = _runs(request, plan)
    found = prospects(plan, runs, blocks, most_blocks=max(28, *blocks))
    if not found:
        click.echo("no limit vs baseline: there is nothing to compare")
        return 0
    click.echo(_table(found, blocks))
    click.echo()
    seconds = block_seconds(plan, runs)
    for n in blocks:
        took = "as long as its I/O takes" if seconds is None else f"about {duration(n * seconds)}"
        click.echo(f"{n} blocks: {took}")
    if any(each.noise is None for each in found):
        click.echo("\nwithout noise there is no plan: run `iogate canary` with this spec first")
    return 0


def _runs(request: Request, plan: Plan) -> Sequence[Run]:
    """Canaries and accepted runs of this host."""
    ids = [name for case in plan.cases for name in (case.id, canary_id(case), *case.aka)]
    machine_id = this_host(open_sut()).machine_id
    with closing(open_store(request.store)) as store:
        accepted = store.baseline(
            ids, machine_id=machine_id, before_ns=time.time_ns(), window=_WINDOW
        )
        return [*_newest_canary(store, set(ids), machine_id), *accepted]


def _newest_canary(store: Store, ids: set[str], machine_id: str) -> Sequence[Run]:
    """A canary is never a baseline, so it is looked for by itself."""
    for run in store.runs(host=machine_id, limit=_LOOK_BACK):
        comparison = run.plan.comparison
        if comparison and comparison.canary and any(case.id in ids for case in run.plan.cases):
            return [store.run(run.id)]
    return []


def _table(found: Sequence[Prospect], blocks: Sequence[int]) -> str:
    head = ("case", "metric", "limit", "noise", *(f"{n} blocks see" for n in blocks), "limit needs")
    return table(head, [_row(each) for each in found], right=tuple(range(3, 5 + len(blocks))))


def _row(each: Prospect) -> tuple[str, ...]:
    noise = each.noise
    return (
        printable(each.case.name),
        printable(each.threshold.metric),
        printable(each.threshold.limit.text),
        f"{noise.sd:.1%} ({noise.runs} runs, {noise.source})" if noise else "unknown",
        *(format_change(change) for change in each.visible),
        _needs(each),
    )


def _needs(each: Prospect) -> str:
    if each.noise is None:
        return "–"
    return f"{each.blocks_for_limit} blocks" if each.blocks_for_limit else "over 999 blocks"
