"""Calling a command by its name; every error becomes one message and its exit code."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from io import StringIO
from typing import TextIO

import click
from click.shell_completion import CompletionItem

from iogate import exits
from iogate.cli import COMMANDS, COMPLETING, HELP, INTERRUPTED, MACHINE_HELP
from iogate.cli.say import say
from iogate.errors import IogateError, SpecError


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"iogate.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a name that may have been meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from iogate.spec.text.problems import suggest

            meant = suggest(args[0], COMMANDS)
            what = f"{error.message.removesuffix('.')}: {meant}" if meant else error.message
            raise click.UsageError(what, ctx) from None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names and their help without loading each command."""
        names = [name for name in COMMANDS if name.startswith(incomplete)]
        completed = [CompletionItem(name, help=COMMANDS[name]) for name in names]
        return [*completed, *click.Command.shell_complete(self, ctx, incomplete)]


GROUP = LazyGroup(
    "iogate",
    help=HELP,
    params=[click.Option(["--machine"], metavar="MACHINE", help=MACHINE_HELP)],
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run_command(words: Sequence[str]) -> int:
    """The exit code of a call; messages go to stderr."""
    if COMPLETING in os.environ:
        GROUP.main(args=list(words), prog_name="iogate")  # answers the shell, and exits
    try:
        status = GROUP.main(args=list(words), prog_name="iogate", standalone_mode=False)
        return status if isinstance(status, int) else exits.DONE
    except Exception as error:
        return _failed(error)
    except KeyboardInterrupt:
        return _failed(click.Abort())
    except SystemExit:  # click's own answer to a pipe that was closed, with a status of 1
        return _failed(BrokenPipeError())


def _failed(error: Exception) -> int:
    """Say what went wrong, and its exit code: also where nobody reads it."""
    try:
        tell(error)
    except BrokenPipeError:
        _close(sys.stderr)
    if isinstance(error, click.ClickException):
        return exits.WRONG_CALL
    return exits.of_error(error)


def tell(error: BaseException) -> None:
    """Say on stderr what went wrong, and what to do about it."""
    if isinstance(error, click.ClickException):
        shown = StringIO()
        error.show(shown)
        _say(shown.getvalue().rstrip("\n"))
    elif isinstance(error, IogateError):
        _show(error)
    elif isinstance(error, BrokenPipeError):
        _close(sys.stdout)
    elif isinstance(error, click.Abort | KeyboardInterrupt):
        _say(f"iogate: {INTERRUPTED}")
    elif isinstance(error, OSError):
        from iogate.files.whole_file import remedy_of

        remedy = remedy_of(error)
        what = f"{error.filename or 'input or output'}: {error.strerror or error}"
        _say(f"iogate: {what}\n  {remedy}" if remedy else f"iogate: {what}")
    else:
        _internal(error)


def _show(error: IogateError) -> None:
    _say(f"iogate: {error}")
    if isinstance(error, SpecError):
        for other in error.others:
            _say(f"iogate: {other}")


def _close(stream: TextIO) -> None:
    """Who read it has gone (``iogate … | head``); let the interpreter end in peace."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _internal(error: BaseException) -> None:
    if os.environ.get("IOGATE_TRACEBACK"):
        traceback.print_exception(error)
    _say(
        f"iogate: internal error: {type(error).__name__}: {error}\n"
        "  this is a fault of iogate; run again with IOGATE_TRACEBACK=1 and report what it prints"
    )


def _say(text: str) -> None:
    say(text, err=True)
