"""``iogate history``: what is kept of earlier runs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import Any, TypeVar

import click

from iogate.cli.table import defused, duration, printable, table
from iogate.model.document import to_document
from iogate.model.measurement import Measurement
from iogate.model.run import Run
from iogate.store import open_store

SHORT_ID = 12
_LIST_HEAD = ("run", "started", "took", "spec", "cases", "host", "revision", "verdict")
_SHOW_HEAD = ("case", "metric", "median", "min", "max", "repetitions")
_COLOURS = {"pass": "green", "warn": "yellow", "fail": "red"}
Command = TypeVar("Command", bound=Callable[..., Any])


@click.group(invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """List and show the runs that are kept (alone: list)."""
    if context.invoked_subcommand is None:
        context.invoke(list_runs)


def _store_option(function: Command) -> Command:
    """--store, the same for every subcommand."""
    option = click.option(
        "--store", metavar="URL", help="The history; by default in the user's data folder."
    )
    return option(function)


@command.command("list")
@click.option("--spec", metavar="NAME", help="Only runs of this spec.")
@click.option("--host", metavar="HOST", help="Only runs on this host (name or machine id).")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    metavar="N",
    help="At most so many.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON on stdout.")
@_store_option
def list_runs(
    *, spec: str | None, host: str | None, limit: int, as_json: bool, store: str | None
) -> None:
    """List runs, newest first."""
    with closing(open_store(store)) as opened:
        found = opened.runs(spec=spec, host=host, limit=limit)
    if as_json:
        click.echo(json.dumps([_summary(run) for run in found], indent=1, allow_nan=False))
    elif not found:
        click.echo("no runs are kept here yet: measure with 'iogate run SPEC'", err=True)
    else:
        _print_table(_LIST_HEAD, [_list_row(run) for run in found], right=(2, 4))


@command.command("show")
@click.argument("run")
@click.option("--json", "as_json", is_flag=True, help="The whole run document on stdout.")
@_store_option
def show_run(run: str, *, as_json: bool, store: str | None) -> None:
    """Show what RUN measured. RUN is an id, or the start of one."""
    with closing(open_store(store)) as opened:
        found = opened.run(run)
    if as_json:
        click.echo(json.dumps(to_document(found), indent=1, allow_nan=False))
        return
    _print_facts(found)
    rows = [row for case in found.plan.cases for row in _case_rows(found, case.id, case.name)]
    if rows:
        click.echo()
        _print_table(_SHOW_HEAD, rows, right=(2, 3, 4, 5))
    _print_judgement(found)


def _print_facts(run: Run) -> None:
    facts = {
        "run": run.id,
        "spec": f"{run.plan.spec_name} ({run.plan.spec_file})",
        "host": f"{run.host.name} ({run.host.machine_id})",
        "revision": _revision(run) or "unknown",
        "started": f"{_started(run):%Y-%m-%d %H:%M:%S %Z}",
        "took": _took(run),
        "status": run.status.value,
        "folder": run.folder or "none",
    }
    for name, value in facts.items():
        click.echo(f"{name:<10}{printable(value)}")


def _print_judgement(run: Run) -> None:
    names = {case.id: case.name for case in run.plan.cases}
    click.echo()
    for failure in run.failures:
        name = names.get(failure.case_id, failure.case_id)
        click.echo(printable(f"repetition {failure.repetition} of {name}: {failure.reason}"))
    if run.verdict is None:
        click.echo("no verdict: the run did not end")
        return
    for verdict in run.verdict.thresholds:
        click.echo(f"{verdict.outcome.value:<18}{printable(verdict.reason)}")
    click.echo(defused(printable(run.verdict.sentence)))


def _case_rows(run: Run, case_id: str, name: str) -> Iterator[tuple[str, ...]]:
    from iogate.metrics import default_metrics, metric
    from iogate.model.units import format_value
    from iogate.stats.robust import median

    measurements: Sequence[Measurement] = run.measurements_of(case_id)
    for path in default_metrics(measurements):
        judged = metric(path)
        found = [judged.extract(measurement) for measurement in measurements]
        values = [value for value in found if value is not None and not math.isnan(value)]
        if values:
            numbers = (median(values), min(values), max(values))
            texts = (format_value(number, judged.unit) for number in numbers)
            yield (name, path, *texts, str(len(values)))


def _list_row(run: Run) -> tuple[str, ...]:
    return (
        run.id[:SHORT_ID],
        f"{_started(run):%Y-%m-%d %H:%M}",
        _took(run),
        run.plan.spec_name,
        str(len(run.plan.cases)),
        run.host.name,
        _revision(run),
        run.verdict.outcome.value if run.verdict else run.status.value,
    )


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
        "exit_code": run.verdict.exit_code if run.verdict else None,
        "sentence": run.verdict.sentence if run.verdict else None,
        "cases": len(run.plan.cases),
        "folder": run.folder,
    }


def _started(run: Run) -> datetime:
    """In the reader's own time zone."""
    return datetime.fromtimestamp(run.started_ns / 1e9, tz=UTC).astimezone()


def _took(run: Run) -> str:
    return duration((run.finished_ns - run.started_ns) / 1e9) if run.finished_ns else ""


def _revision(run: Run) -> str:
    revision = run.revision
    commit = revision.commit[:SHORT_ID] + ("+" if revision.commit and revision.dirty else "")
    return " ".join(part for part in (commit, revision.label) if part)


def _print_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int]
) -> None:
    """By rich on a terminal, plain text elsewhere."""
    if not sys.stdout.isatty():
        click.echo(defused(table(head, rows, right=right)))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(head):
        shown.add_column(name, justify="right" if number in right else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(Text(printable(cell), style=_COLOURS.get(cell, "")) for cell in row))
    Console().print(shown)
