"""The command line: one file a command, imported only when it is called.

To add a command: a file in this folder with a click command named ``command``, and one
line in ``COMMANDS``.
"""

from __future__ import annotations

import importlib
import sys

import click

import iogate
from iogate.errors import ExitCode, IogateError, SpecError

COMMANDS = {
    "init": "Write a commented spec to start from.",
    "validate": "Check specs without running anything.",
    "compile": "Print the job files that a spec compiles to.",
    "run": "Measure, store, judge and report.",
    "report": "Render the report of a run again.",
    "history": "List and show the runs that are kept.",
    "doctor": "Say whether this host is fit to measure, and what to change.",
    "engines": "List the engines that can measure.",
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called, so that --help is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"iogate.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(iogate.__version__, prog_name="iogate")
def cli() -> None:
    """Gate storage performance in CI: specs in, a verdict and a report out."""


def main() -> None:
    """Run the command line; errors become one message and the documented exit code."""
    try:
        status = cli.main(prog_name="iogate", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(ExitCode.USAGE)
    except (KeyboardInterrupt, click.Abort):
        click.echo("iogate: interrupted", err=True)
        sys.exit(ExitCode.RUN_FAILED)
    except IogateError as error:
        _show(error)
        sys.exit(error.exit_code)
    sys.exit(status if isinstance(status, int) else ExitCode.PASS)


def _show(error: IogateError) -> None:
    click.echo(f"iogate: {error}", err=True)
    if isinstance(error, SpecError):
        for other in error.others:
            click.echo(f"iogate: {other}", err=True)
