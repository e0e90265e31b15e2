"""uPlot, which draws the series that can be zoomed. It comes from npm when iogate is built and
is no part of its source; without it pages keep the still pictures that they always hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
# In a wheel beside this file; in a checkout in its build folder.
_FOLDERS = (
    _HERE / "vendor",
    _HERE.parents[1] / "build" / "web" / "node_modules" / "uplot" / "dist",
)


@dataclass(frozen=True, slots=True)
class Vendored:
    """What goes into a page."""

    script: str
    style: str


@cache
def uplot() -> Vendored | None:
    """uPlot's script and style sheet; None where iogate was built without it."""
    for folder in _FOLDERS:
        script, style = folder / "uPlot.iife.min.js", folder / "uPlot.min.css"
        if script.is_file() and style.is_file():
            code = script.read_text("utf-8").strip()
            return Vendored(code.replace("</", "<\\/"), style.read_text("utf-8").strip())
    return None
