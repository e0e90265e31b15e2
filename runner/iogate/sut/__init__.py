"""Systems under test: where the engine runs. The registry is this table."""

from __future__ import annotations

import importlib

from iogate.errors import UsageError
from iogate.sut.base import Sut
from iogate.sut.helped import is_installed

SUTS = {
    "local": "iogate.sut.local:LocalSut",
    "helped": "iogate.sut.helped:HelpedSut",
}


def open_sut(kind: str = "") -> Sut:
    """A system under test by the kind of connection; UsageError for an unknown kind. When none
    is named it is this machine, with its helper where there is one."""
    kind = kind or ("helped" if is_installed() else "local")
    if kind not in SUTS:
        raise UsageError(
            f"there is no system under test of kind {kind!r}",
            remedy=f"choose from: {', '.join(SUTS)}",
        )
    module, _, name = SUTS[kind].partition(":")
    opened: Sut = getattr(importlib.import_module(module), name)()
    return opened
