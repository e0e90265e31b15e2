"""``iogate history import``: an export into a history; ``import fio``: results of fio."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

import click

from iogate.archive import FORMATS, Item, format_of, keep, open_format
from iogate.cli import options
from iogate.cli.history.import_fio import command as import_fio
from iogate.cli.history.shown import delivered, told
from iogate.cli.machine import machine
from iogate.cli.say import say
from iogate.cli.table import printable
from iogate.errors import RefusedError, UsageError
from iogate.files import bounded
from iogate.host.locks.measuring import is_measuring
from iogate.model.run import Run
from iogate.recovery.repair import rebuild
from iogate.recovery.salvage import is_run_folder
from iogate.store import Store, open_store


class _Files(click.Group):
    """A group that takes ``import FILE`` for ``import file FILE``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = ["file", *args]
        return super().parse_args(ctx, args)


@click.group("import", cls=_Files, short_help="Put in an export, or results of fio.")
def command() -> None:
    """Put into the history what was exported from one: iogate history import FILE; or what fio
    measured: iogate history import fio FILE."""


command.add_command(import_fio)


@command.command("file")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(list(FORMATS)),
    help="By default the one of each FILE's suffix, else jsonl.",
)
@options.STORE
def import_files(files: tuple[str, ...], *, format_name: str | None, store: str | None) -> int:
    """Put the runs and decisions of exports into a history.

    - is stdin, and a folder is that of a run: what it holds is put there.

    What is there already stays as it is, so an import may be repeated, and one that was cut
    off goes on where it was.
    """
    with ExitStack() as opened:
        kept: Store | None = None
        for file in files:
            with _items(file, format_name) as items:
                if kept is None:  # not before: what is no export makes no history
                    kept = opened.enter_context(closing(open_store(store)))
                    before = kept.sync()
                tally = keep(kept, items)
            say(f"{printable(file)}: {told(tally)}", err=True)
        return delivered(kept, before) if kept else 0


@contextmanager
def _items(file: str, format_name: str | None) -> Iterator[Iterator[Item]]:
    """What a file holds, of which the first is read, or a run folder: UsageError for one that is
    no export."""
    if Path(file).is_dir():
        yield iter([_of_folder(Path(file))])
        return
    chosen = open_format(format_name or format_of(file if file != "-" else ""))
    with _input(file) as source:
        items = chosen.read(source, file)
        yield chain(list(islice(items, 1)), items)


def _of_folder(root: Path) -> Run:
    """The run of a folder. UsageError for another folder, RefusedError while it is measured."""
    if not is_run_folder(root):
        raise UsageError(
            f"{root} is not a run folder: it holds no part of a run",
            remedy="name the folder of one run, or an export",
        )
    run = rebuild(root.resolve())
    if not run.verdict and is_measuring(machine(), run.id):
        raise RefusedError(
            f"run {run.id[:12]} is being measured", remedy="it comes into its history by itself"
        )
    return run


@contextmanager
def _input(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        source = os.fdopen(bounded.open_file(file), "rb")  # so that only its own errors are told
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "this is not a path"
        raise UsageError(
            f"cannot read {file}: {reason}", remedy="name the file itself, or give - and pipe it in"
        ) from None
    with source:
        yield source
