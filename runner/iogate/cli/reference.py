"""The reference page of the command line, made from the commands and the exit codes."""

from __future__ import annotations

from collections.abc import Iterator

import click

from iogate.cli import COMMANDS
from iogate.cli.entry import GROUP
from iogate.errors import ExitCode

_HEAD = """\
# Commands

<!-- made by scripts/generate.py from the commands in runner/iogate/cli -->

`iogate --machine MACHINE COMMAND …` works on another machine, [by ssh](hosts.md#a-host-by-ssh).
"""
_EXITS = """\
## Exit codes

| code | means |
|---|---|
"""


def markdown() -> str:
    """The whole page: each command's own help, then the exit codes."""
    exits = "".join(f"| {int(code)} | {code.meaning} |\n" for code in ExitCode)
    return "\n".join([_HEAD, *map(_section, COMMANDS), _EXITS + exits])


def _section(name: str) -> str:
    parent = click.Context(GROUP, info_name="iogate", terminal_width=90, max_content_width=90)
    command = GROUP.get_command(parent, name)
    assert command is not None, f"{name} is in COMMANDS"
    helps = "\n".join(_helps(command, name, parent))
    return f"## iogate {name}\n\n{COMMANDS[name]}\n\n{helps}"


def _helps(command: click.Command, name: str, parent: click.Context) -> Iterator[str]:
    """The help of a command, then that of each of its subcommands."""
    context = click.Context(command, info_name=name, parent=parent)
    yield f"```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            subcommand = command.get_command(context, below)
            assert subcommand is not None, f"{name} lists {below}"
            yield from _helps(subcommand, below, context)
