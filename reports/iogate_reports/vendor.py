"""uPlot, which draws the series that can be zoomed.

It comes from npm when iogate is built and is no part of its source; without it pages keep the
still pictures that they always hold. Its licence asks that its notice goes wherever it goes: a page
has it in front of the script.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
_PACKAGE = _HERE.parents[1] / "build" / "web" / "node_modules" / "uplot"
# Its files and its licence: in a wheel beside this file; in a checkout in its build folder.
_FOLDERS = ((_HERE / "vendor", _HERE / "vendor"), (_PACKAGE / "dist", _PACKAGE))


@dataclass(frozen=True, slots=True)
class Vendored:
    """What goes into a page."""

    script: str
    style: str


@cache
def uplot() -> Vendored | None:
    """uPlot's script and style sheet; None where iogate was built without it."""
    for folder, package in _FOLDERS:
        files = (folder / "uPlot.iife.min.js", folder / "uPlot.min.css", package / "LICENSE")
        if all(file.is_file() for file in files):
            code, style, licence = (file.read_text("utf-8").strip() for file in files)
            script = f"/*! uPlot\n\n{licence}\n*/\n{code}"
            return Vendored(script.replace("</", "<\\/"), style)
    return None
