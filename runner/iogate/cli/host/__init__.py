"""``iogate host``: what a host needs so that users who are not root measure on it.

To add one: a file in this folder with a click command named ``command``, and one line in
``SUBCOMMANDS``.
"""

from __future__ import annotations

import importlib

import click

SUBCOMMANDS = {
    "install": "iogate.cli.host.install",
    "show": "iogate.cli.host.show",
    "uninstall": "iogate.cli.host.uninstall",
    "helper": "iogate.cli.host.helper",
}


class LazyGroup(click.Group):
    """A group whose subcommands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in SUBCOMMANDS:
            return None
        command: click.Command = importlib.import_module(SUBCOMMANDS[cmd_name]).command
        return command


@click.group(cls=LazyGroup)
def command() -> None:
    """Let users who are not root measure devices on this host."""
