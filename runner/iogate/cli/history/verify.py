"""``iogate history verify``: is everything there, and readable?"""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from iogate.cli import options
from iogate.cli.history.shown import told
from iogate.cli.machine import machine
from iogate.cli.say import say
from iogate.cli.table import counted, printable
from iogate.errors import StoreError
from iogate.exits import DONE
from iogate.files.run_folder import DEFAULT_PARENT
from iogate.recovery.repair import Findings, Repaired, repair, verify


@click.command("verify")
@click.option(
    "--repair", "wanted", is_flag=True, help="Put a damaged history aside and rebuild it."
)
@click.option(
    "--folders",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    multiple=True,
    metavar="DIR",
    help="Add all run folders of this directory; by default only those of this history, in"
    f" ./{DEFAULT_PARENT} and where the history says.",
)
@options.STORE
def command(*, wanted: bool, folders: tuple[Path, ...], store: str | None) -> int:
    """Read everything in the history; exit 4 when something is damaged.

    With --repair a damaged SQLite file is kept under another name, and a new one is made of
    what can be read of it and of its run folders: exit 4 when that is not all that it names, and
    3 while a run measures on this host. A sound one is left alone, and so is a file that never
    was a SQLite database.
    """
    findings = verify(store)
    for text in (*findings.damage, *findings.newer):
        say(printable(text), err=True)
    if not findings.damage:
        say(_sound(findings))
        return DONE
    if not wanted:
        option = f" --store {shlex.quote(store)}" if store else ""
        raise StoreError(
            f"the history is damaged; {counted(findings.runs, 'run')} can be read",
            remedy="put it aside and make it anew from what can be read and from the run"
            f" folders: iogate history verify --repair{option}",
        )
    done = repair(store, folders, machine())
    _show(done)
    if done.lost:
        raise StoreError(
            f"{counted(len(done.lost), 'part')} of the damaged history could not be read, nor found"
            " in a run folder",
            remedy="an export that has them brings them back: iogate history import FILE",
        )
    return DONE


def _sound(findings: Findings) -> str:
    text = f"sound: {counted(findings.runs, 'run')} read"
    more = len(findings.newer)
    return f"{text}; {counted(more, 'run')} only a newer iogate can read" if more else text


def _show(done: Repaired) -> None:
    say(printable(f"the damaged history is kept as {done.aside}"))
    say(f"from what could be read of it: {told(done.from_history)}")
    say(f"from run folders: {told(done.from_folders)}")
    for (folder, spec), count in sorted(done.folders.added.items()):
        say(printable(f"  {folder}: {counted(count, 'run')} of {spec}"))
    for text in (*done.unreadable, *done.lost):
        say(printable(text), err=True)
    for folder, count in sorted(done.folders.passed.items()):
        left = f"{folder}: {counted(count, 'run folder')} left out: not known to be of this history"
        say(printable(f"{left}; to add all that is there: --folders"), err=True)
