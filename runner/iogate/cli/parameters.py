"""Types of command-line values."""

from __future__ import annotations

import click


class Duration(click.ParamType[float]):
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
            self.fail(f"{value!r} is not a time; write it as 90s, 10m or 2h", param, ctx)
        return seconds
