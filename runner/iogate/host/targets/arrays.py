"""Arrays that a run makes of devices with mdadm, and takes apart again."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from iogate.errors import RefusedError, RunError
from iogate.host.devices.arrays import MDADM, first_line, take_apart, told
from iogate.host.devices.block_devices import Device, find_device, slaves
from iogate.host.devices.mountable import module_may_be
from iogate.host.devices.signatures import stamp
from iogate.host.settings.entries import Assembled
from iogate.host.settings.journal import Journal
from iogate.model.array import Array, create_argv, module_of, room_of
from iogate.model.filesystem import MEMBER, REALTIME
from iogate.model.spec import Target
from iogate.sut.base import Sut

_CREATE_TIMEOUT_S = 600.0
_FIRST, _LAST = 200, 999  # above the numbers that people and mdadm give
_PERSONALITIES = "/proc/mdstat"


def unbuildable(sut: Sut, array: Array) -> tuple[str, str] | None:
    """Why no such array is made here, and what to do."""
    if sut.about().user:
        return "an array is made by root alone", "run as root, or in a virtual machine"
    if not sut.which(MDADM):
        return f"{MDADM} is not installed", f"install it: {MDADM}"
    loaded = (sut.read_text(_PERSONALITIES) or "").partition("\n")[0]
    number = array.level.removeprefix("raid")
    if f"[{array.level}]" in loaded or module_may_be(sut, f"md-level-{number}"):
        return None
    remedy = "load its module, boot a kernel that has it, or leave it out"
    return f"this kernel has no arrays of level {array.level}", remedy


def free_node(sut: Sut, taken: Collection[str] = ()) -> str:
    """The node of an array that is not there yet. RefusedError where there is none."""
    for number in range(_FIRST, _LAST + 1):
        path = f"/dev/md{number}"
        free = not sut.stat(f"/sys/block/md{number}") and not sut.stat(path)
        if free and path not in taken:
            return path
    raise RefusedError(
        f"all of /dev/md{_FIRST} to /dev/md{_LAST} are taken", remedy="see /proc/mdstat"
    )


def room_on(target: Target, devices: Sequence[Device]) -> tuple[int, list[Device]]:
    """Bytes for files on the devices of a target that is made, and those that hold them."""
    parts = len(devices) - len(target.roles)
    roles = (*(MEMBER for _ in devices[:parts]), *target.roles)
    holding = [d for d, role in zip(devices, roles, strict=True) if role in (MEMBER, REALTIME)]
    sizes = [device.size_bytes for device in holding]
    if target.array:
        return room_of(target.array, sizes[:parts]) + sum(sizes[parts:]), holding
    return sum(sizes), holding


class Arrays:
    """Makes and takes apart. ``promised`` are nodes that targets of the run already have."""

    def __init__(self, sut: Sut, journal: Journal, promised: Collection[str]) -> None:
        self._sut = sut
        self._journal = journal
        self._promised = promised
        self._uuids: dict[str, str] = {}
        self._members: dict[str, tuple[str, ...]] = {}

    def make(self, target: Target, members: Sequence[Device], node: str = "") -> Device:
        """Make the array of a target of members that may be overwritten; its device. RunError when
        it is not what was asked for, or does work of its own: then it is to be taken apart."""
        assert target.array is not None
        path = node or free_node(self._sut, self._promised)
        uuid = self._uuids.setdefault(target.name, stamp(members[0]))
        self._members[target.name] = paths = tuple(each.path for each in members)
        self._journal.note(Assembled(uuid, paths))
        argv = create_argv(target.array, path, paths, uuid)
        done = self._sut.run(argv, timeout_s=_CREATE_TIMEOUT_S, env={"LC_ALL": "C"})
        device = find_device(self._sut, path)
        if done.status or device is None:
            said = first_line(done) if done.status else f"there is no {path}"
            remedy = (
                f"dmesg may say more; {_PERSONALITIES} shows the levels of the kernel: a virtual "
                f"machine is given more by modules: [{module_of(target.array)}]"
            )
            raise RunError(f"target {target.name}: {' '.join(argv)}: {said}", remedy=remedy)
        if {each.path for each in slaves(self._sut, device)} != set(paths):
            raise RunError(f"target {target.name}: {path} is not made of {' and '.join(paths)}")
        self.check(target, device)
        return device

    def check(self, target: Target, made: Device) -> None:
        """RunError for an array that is not whole, or that copies, checks or repairs: it would
        be measured beside that."""
        assert target.array is not None
        name = made.name
        if told(self._sut, name, "level") != target.array.level:
            raise RunError(f"target {target.name}: {made.path} is gone", remedy="see dmesg")
        action = told(self._sut, name, "sync_action")
        missing = told(self._sut, name, "degraded")
        what = f"target {target.name}: {made.path}"
        if missing not in ("", "0"):
            raise RunError(f"{what} has lost {missing} of its devices", remedy="see dmesg")
        if action not in ("", "idle"):
            by_hand = f"echo idle > /sys/block/{name}/md/sync_action"
            raise RunError(
                f"{what} is busy with its own work ({action})",
                remedy=f"see who began it, such as a monthly check; {by_hand} ends it",
            )

    def take_apart(self, target: Target) -> None:
        """Stop what was made for a target, also in part, and wipe the superblocks. RunError when
        it stays in use."""
        if target.name in self._members:
            take_apart(self._sut, self._uuids[target.name], self._members[target.name])
