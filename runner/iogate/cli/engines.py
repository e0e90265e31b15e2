"""``iogate engines``: list the engines that can measure."""

from __future__ import annotations

import json

import click

from iogate.cli import options
from iogate.cli.machine import machine
from iogate.cli.say import say, say_json
from iogate.cli.table import table
from iogate.engine import ENGINES, open_engine
from iogate.engine.base import EngineInfo
from iogate.errors import EngineError
from iogate.exits import DONE


@click.command()
@options.as_json()
def command(*, as_json: bool) -> int:
    """List the engines: where they are, which ioengines they have, or why not usable."""
    looked_at = {name: _look(name) for name in ENGINES}
    if as_json:
        say_json(_as_json(looked_at))
    else:
        say(_as_text(looked_at))
    return DONE


def _look(name: str) -> EngineInfo | EngineError:
    try:
        return open_engine(name, machine()).info()
    except EngineError as error:
        return error


def _as_text(looked_at: dict[str, EngineInfo | EngineError]) -> str:
    rows = [_row(name, info) for name, info in looked_at.items()]
    lines = [table(("engine", "version", "path"), rows)]
    for name, info in looked_at.items():
        if isinstance(info, EngineInfo):
            lines.append(f"\n{name} has the ioengines: {', '.join(info.ioengines)}")
        else:
            lines.append(f"\n{name} cannot be used: {info}")
    return "\n".join(lines)


def _row(name: str, info: EngineInfo | EngineError) -> tuple[str, str, str]:
    return (name, info.version, info.path) if isinstance(info, EngineInfo) else (name, "-", "-")


def _as_json(looked_at: dict[str, EngineInfo | EngineError]) -> str:
    engines = [
        {
            "name": name,
            "usable": True,
            "version": info.version,
            "path": info.path,
            "ioengines": list(info.ioengines),
        }
        if isinstance(info, EngineInfo)
        else {"name": name, "usable": False, "problem": str(info)}
        for name, info in looked_at.items()
    ]
    return json.dumps({"schema": "engines/1", "engines": engines}, indent=1)
