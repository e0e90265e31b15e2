"""The engine that a virtual machine gets."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from iogate.errors import EngineError

_PROGRAM = "iogate-engine"


def own_engine() -> Path:
    """The one that came with this iogate, or ``IOGATE_ENGINE``. EngineError where there is none."""
    checkout = Path(__file__).resolve().parents[3] / "native/build" / _PROGRAM
    given = os.environ.get("IOGATE_ENGINE")
    own = [str(Path(sys.prefix) / "bin" / _PROGRAM), str(checkout), shutil.which(_PROGRAM) or ""]
    for place in map(Path, filter(None, [given] if given else own)):
        if place.is_file():
            return place
    raise EngineError(
        f"there is no {_PROGRAM} to take into a virtual machine",
        remedy="build it with 'make -C native', or set IOGATE_ENGINE",
    )
