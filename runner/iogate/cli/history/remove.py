"""``iogate history remove``: take runs out of the history."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import datetime

import click

from iogate.cli import options
from iogate.cli.history.shown import SHORT_ID, nothing_kept, print_runs
from iogate.cli.history.space import give_back
from iogate.cli.machine import machine
from iogate.cli.say import say
from iogate.cli.table import counted
from iogate.errors import RefusedError, UsageError
from iogate.history.killed import as_it_is
from iogate.host.facts import this_host
from iogate.model.run import Run, RunStatus
from iogate.store import Store, open_kept


@click.command("remove", short_help="Take whole runs out.")
@click.argument("named", nargs=-1, metavar="[RUN]…")
@click.option("--spec", metavar="NAME", help="All runs of this spec.")
@click.option("--host", metavar="HOST", help="All runs on this host (name or machine id).")
@click.option(
    "--before",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="All runs that started before this day.",
)
@click.option("--yes", is_flag=True, help="Remove them; without it they are only listed.")
@options.STORE
def command(
    *,
    named: tuple[str, ...],
    spec: str | None,
    host: str | None,
    before: datetime | None,
    yes: bool,
    store: str | None,
) -> None:
    """Take runs out of the history, such as an import under a wrong name: each RUN (an id, or the
    start of one), or all that are of --spec, on --host and from --before.

    Without --yes nothing is removed, and what would go is listed. What is removed is in no trend
    and no baseline any more, and does not come back: 'iogate history export' makes a backup.
    Run folders stay, and so does what was decided on alerts.
    """
    selected = spec is not None or host is not None or before is not None
    if bool(named) == selected:
        raise UsageError(
            "it is not said which runs" if not named else "runs are named, and selected, too",
            remedy="name them by id, or select them by --spec, --host and --before",
        )
    with closing(open_kept(store)) as opened:
        runs = (
            [opened.run(run_id) for run_id in dict.fromkeys(named)]
            if named
            else _selected(opened, spec, host, before)
        )
        machine_id = this_host(machine()).machine_id
        runs = [as_it_is(run, machine(), machine_id) for run in runs]
        _refuse_measured(runs, machine_id)
        if not runs:
            say(nothing_kept(spec, host, before), err=True)
        elif yes:
            count = opened.remove_runs([run.id for run in runs])
            give_back(opened, store)
            say(f"{counted(count, 'run')} removed")
        else:
            print_runs(runs)
            say(f"{counted(len(runs), 'run')} would go: remove with --yes", err=True)


def _selected(
    store: Store, spec: str | None, host: str | None, before: datetime | None
) -> list[Run]:
    runs = store.runs(spec=spec, host=host)
    if before is None:
        return list(runs)
    day_ns = int(before.astimezone().timestamp()) * 10**9
    return [run for run in runs if run.started_ns < day_ns]


def _refuse_measured(runs: Sequence[Run], machine_id: str) -> None:
    for run in runs:
        if run.host.machine_id == machine_id and run.status is RunStatus.RUNNING:
            raise RefusedError(
                f"run {run.id[:SHORT_ID]} is being measured: nothing was removed",
                remedy="let it end, or stop it, and ask again",
            )
