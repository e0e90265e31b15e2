"""``iogate history export``: everything that a history holds, as one file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from iogate.archive import FORMATS, format_of, open_format, read_history
from iogate.cli import options
from iogate.cli.history.shown import nothing_kept
from iogate.errors import UsageError
from iogate.files.whole_file import whole_file, writing
from iogate.store import Store, open_kept

_STDOUT = "-"


@click.command("export")
@click.argument("file", default=_STDOUT)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(list(FORMATS)),
    help="By default the one of FILE's suffix, else jsonl.",
)
@click.option("--spec", metavar="NAME", help="Only runs of this spec, and no decisions.")
@click.option("--host", metavar="HOST", help="Only runs on this host, and no decisions.")
@options.STORE
def command(
    file: str, *, format_name: str | None, spec: str | None, host: str | None, store: str | None
) -> None:
    """Write every run and decision to FILE, or to stdout.

    Nothing is lost: 'iogate history import' puts it back into any store. jsonl is a document
    a line; csv and parquet are a table of every kept metric that holds the documents too.
    """
    chosen = open_format(format_name or format_of(file if file != _STDOUT else ""))
    with closing(open_kept(store)) as opened:
        run_ids = _chosen(opened, spec, host)
        with _output(file) as out:
            chosen.write(read_history(opened, run_ids=run_ids), out)


def _chosen(store: Store, spec: str | None, host: str | None) -> set[str] | None:
    """None for all. UsageError for a name that no run has: an export of nothing is no backup."""
    if spec is None and host is None:
        return None
    run_ids = {run.id for run in store.runs(spec=spec, host=host, verdicts=False)}
    if not run_ids:
        what, _, remedy = nothing_kept(spec, host).partition("; ")
        raise UsageError(f"{what}: nothing was exported", remedy=remedy)
    return run_ids


@contextmanager
def _output(file: str) -> Iterator[BinaryIO]:
    """A file that is there whole or not at all; stdout as it is."""
    if file == _STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(file)
    with writing(path), whole_file(path) as out:
        yield out
