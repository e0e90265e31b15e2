"""Engines: what runs the job files. The registry is this table."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from iogate.errors import UsageError

if TYPE_CHECKING:  # every command asks for the names, few for an engine
    from iogate.engine.base import Engine
    from iogate.sut.base import Sut

ENGINES = {
    "native": "iogate.engine.native:NativeEngine",
    "fio": "iogate.engine.fio:FioEngine",
}


def open_engine(name: str, sut: Sut) -> Engine:
    """An engine by its name, not yet looked for; UsageError for an unknown name."""
    if name not in ENGINES:
        raise UsageError(
            f"there is no engine {name!r}", remedy=f"choose from: {', '.join(ENGINES)}"
        )
    module, _, attribute = ENGINES[name].partition(":")
    opened: Engine = getattr(importlib.import_module(module), attribute)(sut)
    return opened
