"""Systems under test: where the engine runs. The registry is this table."""

from __future__ import annotations

import importlib

from iogate.errors import UsageError
from iogate.sut.base import Sut
from iogate.sut.helped import is_installed

SUTS = {
    "local": "iogate.sut.local:LocalSut",
    "helped": "iogate.sut.helped:HelpedSut",
    "ssh": "iogate.sut.ssh:SshSut",
    "vm": "iogate.sut.vm:VmSut",
    "host": "iogate.sut.booted_host:HostSut",
}
ADDRESSED = ("ssh", "vm", "host")
"""Those of which there are many: each is named by its address, too."""


def open_sut(machine: str = "") -> Sut:
    """A system under test by ``KIND`` or ``KIND:ADDRESS``; UsageError for an unknown kind. When
    none is named it is this machine, with its helper where there is one."""
    kind, address = kind_and_address(machine or ("helped" if is_installed() else "local"))
    module, _, name = SUTS[kind].partition(":")
    opened: Sut = getattr(importlib.import_module(module), name)(*filter(None, [address]))
    return opened


def kind_and_address(machine: str) -> tuple[str, str]:
    """Of one that is named so. UsageError for a kind that there is not, or one without its
    address."""
    kind, _, address = machine.partition(":")
    if kind not in SUTS or (kind in ADDRESSED) != bool(address):
        raise UsageError(
            f"there is no machine {machine!r}",
            remedy="write ssh:[USER@]HOST[:PORT], host:FILE or vm:FILE, or leave it out for this "
            "machine",
        )
    return kind, address
