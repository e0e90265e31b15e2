"""``iogate history list``: the runs, newest first."""

from __future__ import annotations

import json
from contextlib import closing

import click

from iogate.cli import options
from iogate.cli.history.shown import nothing_kept, print_runs
from iogate.cli.say import say, say_json
from iogate.cli.seen import seen
from iogate.model.run import Run
from iogate.store import open_kept


@click.command("list")
@click.option("--spec", metavar="NAME", help="Only runs of this spec.")
@click.option("--host", metavar="HOST", help="Only runs on this host (name or machine id).")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    metavar="N",
    help="List at most N runs.",
)
@options.as_json()
@options.STORE
def command(
    *, spec: str | None, host: str | None, limit: int, as_json: bool, store: str | None
) -> None:
    """List runs, newest first."""
    with closing(open_kept(store)) as opened:
        runs = seen(opened.runs(spec=spec, host=host, limit=limit))
    if as_json:
        say_json(json.dumps([_summary(run) for run in runs], indent=1, allow_nan=False))
    elif not runs:
        say(nothing_kept(spec, host), err=True)
    else:
        print_runs(runs)


def _summary(run: Run) -> dict[str, object]:
    """A run on a few lines of JSON, for scripts."""
    return {
        "run": run.id,
        "spec": run.plan.spec_name,
        "host": run.host.name,
        "machine_id": run.host.machine_id,
        "commit": run.revision.commit,
        "branch": run.revision.branch,
        "label": run.revision.label,
        "started_ns": run.started_ns,
        "finished_ns": run.finished_ns,
        "status": run.status.value,
        "outcome": run.verdict.outcome.value if run.verdict else None,
        "word": run.verdict.word if run.verdict else None,
        "exit_code": run.verdict.exit_code if run.verdict else None,
        "sentence": run.verdict.sentence if run.verdict else None,
        "cases": len(run.plan.cases),
        "folder": run.folder,
    }
