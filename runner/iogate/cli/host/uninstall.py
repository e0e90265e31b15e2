"""``iogate host uninstall``: take the helper away."""

from __future__ import annotations

import click

from iogate.host.install import uninstall


@click.command()
def command() -> None:
    """Take away what 'iogate host install' has put on this host. To be run as root."""
    for path in uninstall():
        click.echo(f"removed {path}")
