"""The engine that a virtual machine gets."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from iogate.errors import EngineError

_PROGRAM = "iogate-engine"


def own_engine() -> Path:
    """The one that came with this iogate, or ``IOGATE_ENGINE``. EngineError where there is none."""
    given = os.environ.get("IOGATE_ENGINE")
    return _first([given] if given else _own())


def launcher() -> Path:
    """What confines: the one that came with this iogate, and ``IOGATE_ENGINE`` only where there is
    none. That may be what is under test, which confines nothing."""
    return _first([*_own(), os.environ.get("IOGATE_ENGINE") or ""])


def _own() -> list[str]:
    checkout = Path(__file__).resolve().parents[3] / "native/build" / _PROGRAM
    return [str(Path(sys.prefix) / "bin" / _PROGRAM), str(checkout), shutil.which(_PROGRAM) or ""]


def _first(places: Iterable[str]) -> Path:
    for place in map(Path, filter(None, places)):
        if place.is_file():
            return place
    raise EngineError(
        f"there is no {_PROGRAM} to take into a virtual machine",
        remedy="build it with 'make -C native', or set IOGATE_ENGINE",
    )
