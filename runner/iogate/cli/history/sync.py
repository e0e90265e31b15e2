"""``iogate history sync``: bring to the server what waits on the local disk."""

from __future__ import annotations

from contextlib import closing

import click

from iogate import exits
from iogate.cli import options
from iogate.cli.say import say
from iogate.cli.table import counted, printable
from iogate.store import open_kept


@click.command("sync")
@click.option("--retry-refused", is_flag=True, help="Also retry what the server refused before.")
@options.STORE
def command(*, retry_refused: bool, store: str | None) -> int:
    """Send what waits on the local disk to the server. Every run does so, too.

    Exits 0 when everything has arrived, 4 when something still waits or was refused for good.
    """
    with closing(open_kept(store)) as opened:
        delivery = opened.sync(retry_refused=retry_refused)
    say(f"delivered {counted(delivery.delivered, 'item')}")
    for note in delivery.notes:
        say(f"iogate: {printable(note)}", err=True)
    return int(exits.of_parts(delivery.notes))
