"""``iogate history``: what is kept of earlier runs. One file a subcommand.

To add one: a file in this folder with a click command named ``command``, and one line in
``SUBCOMMANDS``.
"""

from __future__ import annotations

import importlib

import click

SUBCOMMANDS = {
    "list": "iogate.cli.history.listing",
    "show": "iogate.cli.history.show",
    "compare": "iogate.cli.history.compare",
    "export": "iogate.cli.history.export",
    "import": "iogate.cli.history.importing",
    "remove": "iogate.cli.history.remove",
    "prune": "iogate.cli.history.prune",
    "verify": "iogate.cli.history.verify",
    "sync": "iogate.cli.history.sync",
}


class LazyGroup(click.Group):
    """A group whose subcommands are imported when they are called. Options without one are
    those of ``list``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in SUBCOMMANDS:
            return None
        command: click.Command = importlib.import_module(SUBCOMMANDS[cmd_name]).command
        return command


@click.group(cls=LazyGroup)
def command() -> None:
    """List and show the runs that are kept (without a COMMAND: list, with its options)."""
