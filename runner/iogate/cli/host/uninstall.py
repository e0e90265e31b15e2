"""``iogate host uninstall``: take the helper away."""

from __future__ import annotations

import click

from iogate.cli.machine import own_machine
from iogate.cli.say import say
from iogate.host.install import uninstall
from iogate.host.locks.host_lock import host_lock


@click.command()
def command() -> None:
    """Take away what 'iogate host install' has put on this host. To be run as root.

    What a killed run has left changed is put back first.
    """
    with host_lock(own_machine(), "uninstall"):
        gone = uninstall()
    for path in gone:
        say(f"removed {path}")
