"""``iogate completion``: what makes a shell complete iogate's words."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from iogate.cli import COMPLETING
from iogate.cli.say import say_exactly

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print a script that completes commands, options and files in SHELL.

    \b
    bash:  iogate completion bash > ~/.local/share/bash-completion/completions/iogate
    zsh:   iogate completion zsh > "${fpath[1]}/_iogate"
    fish:  iogate completion fish > ~/.config/fish/completions/iogate.fish
    """  # noqa: D301
    made = get_completion_class(shell)
    assert made is not None
    root = context.find_root().command
    say_exactly(made(root, {}, "iogate", COMPLETING).source())
