"""``iogate host show``: what the helper of this host serves."""

from __future__ import annotations

import json

import click

from iogate.cli import options
from iogate.cli.machine import check_own
from iogate.cli.say import say, say_json
from iogate.cli.table import printable
from iogate.errors import RefusedError
from iogate.host.install import installed


@click.command()
@options.as_json()
def command(*, as_json: bool) -> None:
    """Say whom the helper of this host serves, and with what."""
    check_own()
    config = installed()
    if config is None:
        raise RefusedError(
            "this host has no helper", remedy="as root: iogate host install --user NAME"
        )
    if as_json:
        say_json(json.dumps(config, indent=1))
        return
    for key in ("users", "devices", "parameters", "durable"):
        for value in config[key] or ["none"]:
            text = value if isinstance(value, str) else json.dumps(value)
            say(f"{key:<11} {printable(text)}")
    say(f"kernel log  {'read for them' if config['kernel_log'] else 'not read'}")
