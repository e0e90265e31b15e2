"""``iogate host helper``: ask the helper."""

from __future__ import annotations

import json

import click

from iogate.cli.say import say_json
from iogate.errors import RefusedError, RunError, UsageError
from iogate.files.bounded import parse_json
from iogate.sut.helped import ask_helper, is_installed


@click.command(short_help="Ask the helper of this host, as a run does.")
@click.argument("request_", metavar="REQUEST", default='{"verb": "hello"}')
def command(request_: str) -> None:
    """Ask the helper of this host through sudo, as a run does; without REQUEST, what it serves.

    REQUEST is a JSON object such as '{"verb": "restore"}'. Exits 3 when it is refused.
    """
    if not is_installed():
        raise RefusedError(
            "this host has no helper", remedy="as root: iogate host install --user NAME"
        )
    try:
        request = parse_json(request_)
    except ValueError as error:
        raise UsageError(f"REQUEST is no JSON: {error}") from error
    if not isinstance(request, dict) or "verb" not in request:
        raise UsageError("REQUEST is no JSON object with a verb")
    try:
        say_json(json.dumps(ask_helper(request), indent=1))
    except RunError as error:
        raise RefusedError(error.what, remedy=error.remedy) from error
