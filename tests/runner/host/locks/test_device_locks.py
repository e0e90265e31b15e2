"""A device is held by one run, also where each has a /run/lock of its own."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from iogate.host.devices.block_devices import Device, find_device
from iogate.host.locks.device_locks import device_locks
from iogate.host.locks.host_lock import HeldError, Patience
from iogate.sut.local import LocalSut
from support.devices import loop_device, needs_root, partition

pytestmark = needs_root
GIVEN_UP = Patience(give_up=lambda: True)


def device_at(sut: LocalSut, path: str) -> Device:
    device = find_device(sut, path)
    assert device
    return device


def test_it_is_the_lock_that_udev_respects(sut: LocalSut, tmp_path: Path) -> None:
    with loop_device(tmp_path) as path:
        handle = os.open(path, os.O_RDONLY)
        with device_locks(sut, [device_at(sut, path)] * 2, Patience()):
            with pytest.raises(BlockingIOError):
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            assert sut.open_exclusive(path) is None
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with (
            pytest.raises(HeldError, match=f"{path} is locked by another") as caught,
            device_locks(sut, [device_at(sut, path)], GIVEN_UP),
        ):
            pass
        assert "--wait" in caught.value.remedy
        os.close(handle)


def test_a_partition_is_held_with_its_disk(sut: LocalSut, tmp_path: Path) -> None:
    with (
        loop_device(tmp_path) as path,
        partition(path) as part,
        device_locks(sut, [device_at(sut, part)], Patience()),
        pytest.raises(HeldError),
        device_locks(sut, [device_at(sut, path)], GIVEN_UP),
    ):
        pass
