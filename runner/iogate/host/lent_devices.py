"""May a device of this host be lent to a virtual machine, which overwrites it? As where a spec
names it: only when nothing uses it, and it is the one that is meant."""

from __future__ import annotations

from iogate.errors import RefusedError
from iogate.host.devices.block_devices import find_device
from iogate.host.devices.safety import refusal
from iogate.host.targets.records import image_kept
from iogate.model.spec import Destroy
from iogate.sut.local import LocalSut


def check_lent(path: str, destroy: Destroy) -> str:
    """Its ``major:minor``; RefusedError, with the reason, where it may not be."""
    here = LocalSut()
    device = find_device(here, path)
    if device is None:
        raise RefusedError(f"{path} is no block device here", remedy="lsblk shows those that are")
    if why := refusal(here, device, destroy, keeps=image_kept):
        raise RefusedError(why.reason, remedy=why.remedy)
    return device.number
