"""Types of command-line values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    _Seconds = click.ParamType[float]
else:  # before click 8.2 it takes no type
    _Seconds = click.ParamType


class Duration(_Seconds):
    """``90``, ``90s``, ``10m``: seconds as a float."""

    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if isinstance(value, float):
            return value
        from iogate.jobs.estimate import parse_seconds

        seconds = parse_seconds(str(value))
        if seconds is None:
            self.fail(f"{value!r} is not a time; write it as 90s, 10m, 2h or 14d", param, ctx)
        return seconds
