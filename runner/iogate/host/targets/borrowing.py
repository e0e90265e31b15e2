"""Devices that a user may write for as long as a run goes, because root has said so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from iogate.errors import RefusedError, RunError
from iogate.host.devices.block_devices import Device
from iogate.sut.base import Sut


@contextmanager
def borrowed(sut: Sut, devices: Sequence[Device]) -> Iterator[None]:
    """The devices of a run, lent where this user may not write them; on leaving, everything
    that root has changed for this user is put back. RefusedError for one that is not lent and
    cannot even be read."""
    try:
        for device in devices:
            _borrow(sut, device)
        yield
    finally:
        if devices:
            sut.put_back()


def _borrow(sut: Sut, device: Device) -> None:
    try:
        sut.borrow(device.path)
    except RunError as error:
        if not sut.can_read(device.path):
            raise RefusedError(error.what, remedy=error.remedy) from error
