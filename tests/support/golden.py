"""Pictures as they are kept: a shape a line, so that a difference can be read.

IOGATE_UPDATE_GOLDEN=1 writes them again; look at them before committing.
"""

from __future__ import annotations

import os

from repository.tree import ROOT

GOLDEN = ROOT / "tests" / "reports" / "golden"


def golden(name: str, picture: str) -> None:
    """The picture is the one kept."""
    path = GOLDEN / f"{name}.svg"
    text = picture.replace("><", ">\n<") + "\n"
    if os.environ.get("IOGATE_UPDATE_GOLDEN"):
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8"), "IOGATE_UPDATE_GOLDEN=1 writes it again"
