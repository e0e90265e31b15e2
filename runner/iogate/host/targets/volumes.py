"""Filesystems and arrays that a run makes on devices, mounts where it may, and makes anew."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from iogate.errors import RefusedError, RunError
from iogate.host.devices.block_devices import Device, find_device
from iogate.host.devices.in_use import Refusal
from iogate.host.devices.mounts import mount_of, mounts_everywhere
from iogate.host.devices.safety import refusal
from iogate.host.devices.signatures import stamp
from iogate.host.settings.entries import Mounted
from iogate.host.settings.journal import Journal, unmount
from iogate.host.targets.arrays import Arrays
from iogate.model.filesystem import JOURNAL, has_uuid, journal_argv, mkfs_argv, mount_argv
from iogate.model.spec import Target, TargetKind
from iogate.sut.base import Sut

_MKFS_TIMEOUT_S = 3600.0  # a large device that is discarded first takes long
_MOUNT_TIMEOUT_S = 600.0
_COPIES_S = 60.0
_LOOK_S = 0.1


@dataclass(slots=True)
class _Volume:
    """What is mounted where, over which devices; an array alone is mounted nowhere. ``whole`` from
    when all of it is made until any of it is taken away; ``measured`` is the last case that ran on
    it."""

    target: Target
    devices: tuple[Device, ...]
    point: str
    array: Device | None = None
    whole: bool = False
    measured: str = ""


class Volumes:
    """The filesystems and arrays of a run. ``points`` is the empty directory of each target, by
    name, and of an array the node that it gets. At most one of them is on a device at a time.
    ``keep_blocks``: mkfs does not discard. ``kin`` are all devices that the run may overwrite."""

    def __init__(
        self,
        sut: Sut,
        journal: Journal,
        points: Mapping[str, str],
        *,
        keep_blocks: bool,
        kin: Sequence[Device] = (),
    ) -> None:
        self._sut = sut
        self._journal = journal
        self._points = points
        self._keep_blocks = keep_blocks
        self._kin = tuple(kin)
        self._arrays = Arrays(sut, journal, frozenset(points.values()))
        self._mounted: list[_Volume] = []
        # Names of the devices whose content is this run's own, and is not known by its look.
        self._written: set[str] = set()
        # That it still stands at its path is asked before each write, by its footing.
        self._known: dict[str, Device] = {}

    @property
    def idle(self) -> bool:
        """Whether none is there."""
        return not self._mounted

    def ready(self, target: Target, case_id: str, *, anew: bool, writes: bool = False) -> bool:
        """Make the target so that the case can be measured on it: the filesystem is mounted,
        and made anew where the target says so, or ``anew`` does; an array is made once, and a
        device has none on it. Whether one was made. ``writes``: the case writes to the device
        itself. RunError when that fails, RefusedError when the device may no longer be written."""
        if target.kind is TargetKind.DEVICE:
            self.release(target.path)
            if writes:
                self._before_write(target)
            return False
        if not target.is_made:
            return False
        volume = next((each for each in self._mounted if each.target == target), None)
        made = volume is None or _is_stale(volume, case_id, anew=anew)
        if volume is None or made:
            volume = self._make(target)
        elif volume.array:
            self._arrays.check(target, volume.array)
        volume.measured = case_id
        return made

    def make(self, target: Target) -> None:
        """Make and mount it, as fresh as ``ready`` finds it then."""
        self._make(target)

    def release(self, path: str) -> None:
        """Unmount what this run has mounted from the device at ``path``, or a part of it, and
        take its array apart."""
        device = find_device(self._sut, path) if self._mounted else None
        for volume in list(self._mounted):
            if device and any(_overlap(each, device) for each in volume.devices):
                self._end(volume)

    def _end(self, volume: _Volume) -> None:
        """Take away what there is of it. It stays known until all is gone: the next turn, of
        whichever target, tries again."""
        if volume.target.kind is TargetKind.FILESYSTEM:
            unmount(self._sut, volume.point)
        volume.whole = False
        if volume.target.array:
            self._arrays.take_apart(volume.target)
        self._mounted.remove(volume)

    def claim(self, target: Target) -> None:
        """Make sure once more that a device may be overwritten, and take what this run has
        made on it away. RefusedError when it may not."""
        self.release(target.path)
        self._written.add(self._may_write(target).name)

    def _before_write(self, target: Target) -> None:
        """Look once more before this run first writes to it: hours may have gone by. Later,
        that nobody has claimed it meanwhile."""
        device = self._known.get(target.path)
        if device is None or device.name not in self._written:
            self._known[target.path] = device = self._may_write(target)
            self._written.add(device.name)
        elif reason := self._sut.open_exclusive(device.path):
            raise RefusedError(
                f"target {target.name}: {device.path} is in use since it was written: {reason}",
                remedy="unmount or close what uses it, or name another device",
                where=target.where,
            )

    def _make(self, target: Target) -> _Volume:
        for part in target.made_on:
            self.release(part.path)
        devices = tuple(self._may_write(part, target.name) for part in target.made_on)
        volume = _Volume(target, devices, self._points[target.name])
        self._mounted.append(volume)
        if target.array:
            volume.array = self._make_array(target, devices)
        if target.kind is TargetKind.FILESYSTEM:
            self._make_filesystem(volume)
        volume.whole = True
        return volume

    def _make_array(self, target: Target, devices: tuple[Device, ...]) -> Device:
        members = devices[: len(devices) - len(target.roles)]
        self._written.update(device.name for device in members)
        node = self._points[target.name] if target.kind is TargetKind.ARRAY else ""
        return self._arrays.make(target, members, node)

    def _make_filesystem(self, volume: _Volume) -> None:
        target, point, roles = volume.target, volume.point, volume.target.roles
        devices = volume.devices
        if volume.array:
            devices = (volume.array, *devices[len(devices) - len(roles) :])
        self._mkfs(target, devices, roles)
        self._journal.note(Mounted(point))
        beside = _beside(roles, devices)
        argv = mount_argv(target.fs_type or "", target.mount, devices[0].path, point, beside)
        self._run(target, argv, _MOUNT_TIMEOUT_S, "mount")
        self._check_mounted(volume, " ".join(argv))

    def _mkfs(self, target: Target, devices: tuple[Device, ...], roles: Sequence[str]) -> None:
        """Make it, and note on which of its devices it is not known again by its UUID."""
        first, *others = devices
        own_uuid = has_uuid(target.mkfs)
        self._written.update(device.name for device in devices)
        recognised = () if own_uuid else (first,)
        for device, role in zip(others, roles, strict=True):
            if role == JOURNAL:
                self._make_journal(target, device)
                recognised = (*recognised, device)
        argv = mkfs_argv(
            target.fs_type or "",
            target.mkfs,
            first.path,
            keep_blocks=self._keep_blocks,
            uuid=stamp(first),
            beside=_beside(roles, devices),
        )
        self._run(target, argv, _MKFS_TIMEOUT_S, "mkfs")
        self._written.difference_update(device.name for device in recognised)

    def _make_journal(self, target: Target, device: Device) -> None:
        argv = journal_argv(
            target.fs_type or "",
            target.mkfs,
            device.path,
            keep_blocks=self._keep_blocks,
            uuid=stamp(device),
        )
        self._run(target, argv, _MKFS_TIMEOUT_S, "mkfs")

    def _check_mounted(self, volume: _Volume, command: str) -> None:
        """RunError where the kernel has mounted something else, or without one of the devices."""
        name, mount = volume.target.name, mount_of(self._sut, volume.point)
        if not mount or (mount.point, mount.fs_type) != (volume.point, volume.target.fs_type):
            raise RunError(f"target {name}: {command} mounted nothing")
        for device in volume.devices[1:]:
            if not self._sut.open_exclusive(device.path):
                raise RunError(f"target {name}: {command} does not use {device.path}")

    def _may_write(self, target: Target, name: str = "") -> Device:
        """The device that is to be overwritten. RefusedError, which says ``name`` for the target,
        when it may not be."""
        device = find_device(self._sut, target.path)
        why = self._refusal(device, target) if device else None
        if device and why and self._copies_gone():
            why = self._refusal(device, target)
        if device is None or why:
            what = why.reason if why else f"{target.path} is not a block device"
            remedy = why.remedy if why else "it was one before; see dmesg"
            raise RefusedError(
                f"target {name or target.name}: {what}", remedy=remedy, where=target.where
            )
        return device

    def _refusal(self, device: Device, target: Target) -> Refusal | None:
        written = device.name in self._written
        return refusal(self._sut, device, target.destroy, written=written, kin=self._kin)

    def _copies_gone(self) -> bool:
        """Whether no other mount namespace has a mount that this run has taken away here, or has
        it no more after a while. A program that began meanwhile with a namespace of its own (a
        container, a confined engine) may have got a copy, which keeps the device in use."""
        points = set(self._points.values()) - {volume.point for volume in self._mounted}
        end = time.monotonic() + _COPIES_S
        while any(
            process and mount.point in points
            for mount, process in mounts_everywhere(self._sut).mounts
        ):
            if time.monotonic() > end:
                return False
            time.sleep(_LOOK_S)
        return True

    def _run(self, target: Target, argv: tuple[str, ...], timeout_s: float, key: str) -> None:
        done = self._sut.run(argv, timeout_s=timeout_s, env={"LC_ALL": "C"})
        if done.status:
            said = [line.strip() for line in (done.stderr or done.stdout).splitlines()]
            told = next((line for line in said if line), f"status {done.status}")
            raise RunError(
                f"target {target.name}: {' '.join(argv)}: {told}",
                remedy=f"correct filesystem.{key} of the target; dmesg may say more",
            )


def _is_stale(volume: _Volume, case_id: str, *, anew: bool) -> bool:
    """Whether it has to be made anew before the case runs on it: also where making it failed, or
    taking it away. A whole one that nothing was measured on is as good as new."""
    if not volume.whole:
        return True
    if not volume.measured or volume.target.kind is TargetKind.ARRAY:
        return False
    recreate = volume.target.recreate
    other = recreate == "per-case" and volume.measured != case_id
    return anew or other or recreate == "per-repetition"


def _beside(roles: Sequence[str], devices: tuple[Device, ...]) -> list[tuple[str, str]]:
    """What the devices after the first are for, and their paths."""
    return [(role, each.path) for role, each in zip(roles, devices[1:], strict=True)]


def _overlap(device: Device, other: Device) -> bool:
    return device.name in other.family or other.name in device.family
