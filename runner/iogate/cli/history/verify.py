"""``iogate history verify``: is everything there, and readable?"""

from __future__ import annotations

from pathlib import Path

import click

from iogate.cli.history.importing import told
from iogate.cli.history.shown import store_option
from iogate.cli.table import counted, defused, printable
from iogate.errors import StoreError
from iogate.folder import DEFAULT_PARENT
from iogate.repair import Findings, Repaired, repair, verify


@click.command("verify")
@click.option("--repair", "wanted", is_flag=True, help="Put a damaged history aside, make it anew.")
@click.option(
    "--folders",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="DIR",
    help=f"Run folders are in here; else in ./{DEFAULT_PARENT} and where the history says.",
)
@store_option
def command(*, wanted: bool, folders: tuple[Path, ...], store: str | None) -> int:
    """Read everything in the history; exit 4 when something is damaged.

    With --repair a damaged SQLite file is kept under another name, and a new one is made of
    what can be read of it and of the run folders. A sound one is left alone.
    """
    findings = verify(store)
    for text in (*findings.damage, *findings.newer):
        click.echo(defused(printable(text)), err=True)
    if not findings.damage:
        click.echo(_sound(findings))
        return 0
    if not wanted:
        raise StoreError(
            f"the history is damaged; {counted(findings.runs, 'run')} can be read",
            remedy="put it aside and make it anew from what can be read and from the run"
            " folders: iogate history verify --repair",
        )
    _show(repair(store, folders or (Path(DEFAULT_PARENT),)))
    return 0


def _sound(findings: Findings) -> str:
    text = f"sound: {counted(findings.runs, 'run')} read"
    more = len(findings.newer)
    return f"{text}; {counted(more, 'run')} only a newer iogate can read" if more else text


def _show(done: Repaired) -> None:
    click.echo(defused(printable(f"the damaged history is kept as {done.aside}")))
    click.echo(f"from what could be read of it: {told(done.from_history)}")
    click.echo(f"from run folders: {told(done.from_folders)}")
    for text in done.unreadable:
        click.echo(defused(printable(text)), err=True)
