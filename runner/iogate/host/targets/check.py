"""May these targets be measured, and where exactly? Everything that can be refused is
refused here, before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from stat import S_ISGID, S_ISUID

from iogate.errors import RefusedError
from iogate.host.devices.block_devices import Device, find_device
from iogate.host.devices.in_use import Refusal, file_user, forbidden, look_at, user_of
from iogate.host.devices.mountable import unmountable
from iogate.host.devices.mounts import mount_of
from iogate.host.devices.safety import refusal
from iogate.host.targets.arrays import free_node, room_on, unbuildable
from iogate.host.targets.belongings import of_host
from iogate.host.targets.places import place_of, real_names
from iogate.host.targets.records import image_kept, kept_at
from iogate.host.targets.scratch import automatic_parent, scratch_directory
from iogate.host.targets.writable import unwritable
from iogate.jobs.job_file import names_out
from iogate.model.filesystem import MAKERS
from iogate.model.place import Place
from iogate.model.spec import Destroy, Target, TargetKind
from iogate.sut.base import Sut

AUTO = "auto"
_RUNS_AS_ANOTHER = S_ISUID | S_ISGID
_KEEP_FREE = 0.05  # of the filesystem, so that measuring never fills it
_KEEP_FREE_MAX = 256 << 20
_LEAST_ROOM = 1 << 20
_KERNEL_FILESYSTEMS = """
    proc sysfs devtmpfs devpts cgroup cgroup2 debugfs tracefs securityfs configfs bpf efivarfs
    pstore mqueue binfmt_misc fusectl nsfs rpc_pipefs selinuxfs autofs cpuset resctrl nfsd
    smackfs functionfs gadgetfs binder ocfs2_dlmfs
"""
_KERNELS = frozenset(_KERNEL_FILESYSTEMS.split())
_FILESYSTEM_HOLDS = 0.95  # of its device; the rest is its own


@dataclass(frozen=True, slots=True)
class Use:
    """How a plan uses one target. ``files`` are the job files' own ``filename`` values;
    ``bytes_needed`` is what all of its files take together. What ``shows`` compares data that it
    has not written, and its engine tells what it found: such a use counts as one that writes.
    ``place`` is what the target's path leads to, once that was looked up (of a filesystem its
    device's, and ``beside`` its other devices'): the target has that path then, not the spec's.
    ``kin`` are all devices that the plan may overwrite, and ``kept`` files and folders of the
    run."""

    target: Target
    writes: bool
    bytes_needed: int = 0
    files: tuple[str, ...] = ()
    place: Place | None = None
    shows: bool = False
    beside: tuple[Place, ...] = ()
    kin: tuple[Device, ...] = ()
    kept: tuple[str, ...] = ()


def check_targets(
    sut: Sut, uses: Sequence[Use], *, trusted: bool = False, kept: Sequence[str] = ()
) -> None:
    """RefusedError for the first target that may not be measured as planned. A spec that
    nobody has read (``trusted``) writes no file that may be a part of the host, and none writes
    what iogate keeps: ``kept`` are files and folders of this run."""
    uses = resolved(sut, uses)
    kin = overwritten(sut, uses)
    for use in (replace(use, kin=kin, kept=tuple(kept)) for use in uses):
        _CHECKS[use.target.kind](sut, use)
        if use.target.kind is TargetKind.FILE:
            _check_belongings(sut, use, trusted=trusted)
        _check_filenames(use)
    _check_space(sut, uses)


def resolved(sut: Sut, uses: Sequence[Use]) -> tuple[Use, ...]:
    """The uses with each path looked up, once for all that follows. RefusedError for a place
    that cannot be named in a job file."""
    return tuple(use if use.place else _resolved(sut, use) for use in uses)


def overwritten(sut: Sut, uses: Sequence[Use]) -> tuple[Device, ...]:
    """The devices that a plan may overwrite."""
    targets = (each for use in uses for each in use.target.made_on or (use.target,))
    devices = (find_device(sut, each.path) for each in targets if each.destroy)
    return tuple(device for device in devices if device)


def _resolved(sut: Sut, use: Use) -> Use:
    target = use.target
    if target.made_on:
        first, *others = (_place_at(sut, use, each.path) for each in target.made_on)
        beside = tuple(
            replace(each, device=other.path)
            for each, other in zip(target.beside, others, strict=True)
        )
        made = replace(target, device=first.path, beside=beside)
        return replace(use, target=made, place=first, beside=tuple(others))
    place = _place_at(sut, use, directory_of(sut, target))
    if target.kind is TargetKind.FILE and place.identity and not (use.writes or target.overwrite):
        place = replace(place, kept=True)
    return replace(use, target=replace(target, path=place.path), place=place)


def _place_at(sut: Sut, use: Use, path: str) -> Place:
    try:
        place = place_of(sut, path)
    except RefusedError as error:
        raise _refused(use, error.what, error.remedy) from error
    if bad := next((c for c in place.path if c in "$\\;#" or not c.isprintable()), None):
        what = f"{path} leads to {place.path!r}, which holds {bad!r}"
        raise _refused(use, what, "name a place without such a character in its path")
    return place


@contextmanager
def prepared(
    sut: Sut, uses: Sequence[Use], token: str, on_left: Callable[[str], None] = lambda _text: None
) -> Iterator[dict[str, Place]]:
    """The place of each target, by its name. A directory gets a folder of this run's own
    inside it, so that nothing of the user's is overwritten and nothing is left behind; a
    filesystem an empty one to be mounted at. ``on_left`` is told what could not be removed."""
    with ExitStack() as stack:
        places: dict[str, Place] = {}
        for use in resolved(sut, uses):
            assert use.place is not None
            name, number = use.target.name, f"{token}-{len(places)}"
            if use.target.kind is TargetKind.DIRECTORY:
                own = stack.enter_context(scratch_directory(sut, use.place.path, number, on_left))
                places[name] = place_of(sut, own)
            elif use.target.kind is TargetKind.FILESYSTEM:
                parent = sut.mounts or sut.real_path(automatic_parent(sut))
                own = stack.enter_context(scratch_directory(sut, parent, number, on_left))
                point = f"{own}/mnt"
                sut.make_dir(point)
                places[name] = place_of(sut, point)
            elif use.target.kind is TargetKind.ARRAY:
                nodes = {place.path for place in places.values()}
                places[name] = Place(free_node(sut, nodes))
            else:
                places[name] = use.place
        yield places


def taken(sut: Sut, use: Use) -> str:
    """What uses the file or device of a target by now, so that it may not be written any more;
    nothing when nothing does. A filesystem, an array and a directory are the run's own."""
    target = use.target
    if not use.writes or target.kind not in (TargetKind.FILE, TargetKind.DEVICE):
        return ""
    if target.kind is TargetKind.DEVICE:
        device = find_device(sut, target.path)
        why = user_of(look_at(sut, device)) if device else None
        return why.reason if why else ""
    status = sut.stat(target.path)
    if status and status.links > 1:
        return f"it has {status.links} names"
    if status and status.mode & _RUNS_AS_ANOTHER:
        return "it runs as its owner or group"
    return (status and file_user(sut, target.path)) or ""


def directory_of(sut: Sut, target: Target) -> str:
    """The path that a target names: of ``directory: auto`` the directory that is meant."""
    is_auto = target.kind is TargetKind.DIRECTORY and target.path == AUTO
    return automatic_parent(sut) if is_auto else target.path


def _check_directory(sut: Sut, use: Use) -> None:
    path = directory_of(sut, use.target)
    status = sut.stat(path)
    if not status:
        raise _refused(use, f"directory {path} does not exist", f"make it: mkdir -p {path}")
    if not status.is_directory:
        raise _refused(use, f"{path} is not a directory", "name a directory, or use 'file:'")
    _check_files_live_there(sut, use, path)
    if not sut.can_write(path):
        why, remedy = unwritable(sut, path)
        raise _refused(use, f"directory {why}", remedy)


def _check_file(sut: Sut, use: Use) -> None:
    path = use.target.path
    status = sut.stat(path)
    parent = _parent(path)
    if status and not status.is_file:
        remedy = "use 'device:' for a block device, 'directory:' for a directory"
        raise _refused(use, f"{path} is not a regular file", remedy)
    _check_files_live_there(sut, use, parent)
    if not status and not sut.stat(parent):
        raise _refused(use, f"directory {parent} does not exist", f"mkdir -p {parent}")
    if not sut.can_write(path if status else parent) and (use.writes or not status):
        raise _refused(use, *unwritable(sut, path if status else parent))
    changes = use.writes or (status is not None and status.size_bytes < use.bytes_needed)
    if use.writes:
        _check_file_in_use(sut, use)
    if status and changes and status.links > 1:
        what = f"{path} has {status.links} names, and would be written under all of them"
        raise _refused(use, what, "copy it, and name the copy")
    if status and changes and status.mode & _RUNS_AS_ANOTHER:
        what = f"{path} runs as its owner or group, and what is written would"
        raise _refused(use, what, f"take that from it (chmod ug-s {path}), or name another file")
    if status and not use.target.overwrite:
        _check_file_kept(use, status.size_bytes)


def _check_files_live_there(sut: Sut, use: Use, folder: str) -> None:
    """What looks like a file in /proc, /sys or /dev is the kernel, or memory."""
    mount, dev = mount_of(sut, folder), sut.stat("/dev")
    under = sut.stat(folder)
    is_dev = bool(dev and under and dev.device == under.device and folder.startswith("/dev"))
    if is_dev or (mount and mount.fs_type in _KERNELS):
        what = f"{use.target.path} is where the kernel shows itself, not files"
        raise _refused(use, what, "name a place on a filesystem; see findmnt")


def _check_file_kept(use: Use, size_bytes: int) -> None:
    """A file that is there belongs to somebody: it is neither written nor made longer
    unless the spec says so."""
    path = use.target.path
    if use.shows:
        what = f"{path} exists, and verify would show what is in it"
    elif use.writes:
        what = f"{path} exists and would be overwritten"
    elif size_bytes < use.bytes_needed:
        what = f"{path} has {size_bytes} bytes and would be extended to {use.bytes_needed}"
    else:
        return
    raise _refused(use, what, "add 'overwrite: true' to the target if nobody needs its content")


def _check_belongings(sut: Sut, use: Use, *, trusted: bool) -> None:
    """A file that is written, made or extended where iogate or a system keeps its own."""
    status = sut.stat(use.target.path)
    if status and not use.writes and status.size_bytes >= use.bytes_needed:
        return
    names = real_names(sut, sut.real_path(use.target.path))
    if what := kept_at(sut, names, use.kept):
        remedy = "name a file that iogate does not keep anything in"
        raise _refused(use, f"{what}, and would be written", remedy)
    if not trusted and (part := of_host(sut, names)):
        raise _refused(
            use,
            f"{part} may be a part of this host, and would be written",
            "name a file in this folder, in /var/tmp or on a filesystem of its own, and no hidden "
            "one; or read the spec, and allow it with --trust",
        )


def _check_file_in_use(sut: Sut, use: Use) -> None:
    if user := file_user(sut, use.target.path):
        real = sut.real_path(use.target.path)
        raise _refused(use, f"{real} {user}", "name a file that nothing uses")


def _check_device(sut: Sut, use: Use) -> None:
    path = use.target.path
    device = find_device(sut, path)
    if not device:
        what = "is not a block device" if sut.stat(path) else "does not exist"
        raise _refused(use, f"{path} {what}", _naming(use.target))
    if not device.size_bytes:
        raise _refused(use, f"{device.path} has no size", "attach or set up the device first")
    if use.shows and use.target.destroy is None:
        remedy = "leave verify out; or, where all of it may be overwritten, name it under destroy:"
        raise _refused(use, f"verify would show what is on {device.path}", remedy)
    why = _not_overwritten(sut, use, device, use.target.destroy) if use.writes else None
    if not use.writes and not sut.can_read(path):
        why = forbidden(device)
    if why:
        raise _refused(use, why.reason, why.remedy)


def _check_filesystem(sut: Sut, use: Use) -> None:
    devices = _check_parts(sut, use)
    maker = MAKERS[use.target.fs_type or ""]
    if not sut.which(maker.program):
        raise _refused(use, f"{maker.program} is not installed", f"install it: {maker.package}")
    if what := unmountable(sut, use.target.fs_type or ""):
        raise _refused(use, what, "load its module, boot a kernel that has it, or leave it out")
    _check_holds(use, devices)


def _check_parts(sut: Sut, use: Use) -> list[Device]:
    """The same doors as for a device that is written: each is overwritten by mkfs or mdadm
    alone."""
    target = use.target
    devices = [_check_part(sut, use, part) for part in target.made_on]
    for one, other in combinations(devices, 2):
        if not set(one.family).isdisjoint(other.family):
            what = f"{one.path} and {other.path} share their blocks"
            raise _refused(use, what, "name devices that have nothing in common")
    if target.array and (why := unbuildable(sut, target.array)):
        raise _refused(use, *why)
    return devices


def _check_part(sut: Sut, use: Use, part: Target) -> Device:
    """A device of a filesystem, which may be overwritten."""
    device = find_device(sut, part.path)
    if not device or not device.size_bytes:
        what = "has no size" if device else "is not a block device"
        raise _refused(use, f"{part.path} {what}", _naming(part))
    if why := _not_overwritten(sut, use, device, part.destroy):
        raise _refused(use, why.reason, why.remedy)
    return device


def _not_overwritten(sut: Sut, use: Use, device: Device, destroy: Destroy | None) -> Refusal | None:
    return refusal(sut, device, destroy, kin=use.kin, keeps=partial(image_kept, kept=use.kept))


def _naming(target: Target) -> str:
    """How a device is named that there is."""
    listed = "see lsblk for the devices of this host"
    name = target.variable
    unset = f"{name} is not set, and this is its default: export {name}=…; " if name else ""
    return f"{unset}{listed}"


def _check_holds(use: Use, devices: Sequence[Device]) -> None:
    """The files of the run must fit on the devices that files are on."""
    there, holding = room_on(use.target, devices)
    if use.bytes_needed > there * _FILESYSTEM_HOLDS:
        paths = " and ".join(device.path for device in holding)
        has = "which has" if len(holding) == 1 else "which have"
        what = f"the files of this run take {_size(use.bytes_needed)} on {paths}, {has}"
        remedy = _smaller(int(there * _FILESYSTEM_HOLDS))
        raise _refused(use, f"{what} {_size(there)}", remedy)


_CHECKS: dict[TargetKind, Callable[[Sut, Use], None]] = {
    TargetKind.DIRECTORY: _check_directory,
    TargetKind.FILE: _check_file,
    TargetKind.DEVICE: _check_device,
    TargetKind.FILESYSTEM: _check_filesystem,
    TargetKind.ARRAY: lambda sut, use: _check_holds(use, _check_parts(sut, use)),
}


def _check_filenames(use: Use) -> None:
    """A job's own ``filename`` must not lead out of its target, least of all to a device."""
    for name in use.files:
        if names_out(name):
            raise _refused(
                use,
                f"filename {name} leads out of the target",
                "name it as a target ('file:' or 'device:') and drop the filename",
            )


def _check_space(sut: Sut, uses: Sequence[Use]) -> None:
    """The files of all targets on one filesystem together must fit."""
    wanted: dict[str, int] = {}
    for use in uses:
        if use.target.kind in (TargetKind.DEVICE, TargetKind.FILESYSTEM):
            continue
        path, already = _place_of(sut, use)
        status, space = sut.stat(path), sut.space(path)
        if not status or not space:
            continue
        more = max(use.bytes_needed - already, 0)
        wanted[status.device] = wanted.get(status.device, 0) + more
        reserve = min(int(space.total_bytes * _KEEP_FREE), _KEEP_FREE_MAX)
        missing = wanted[status.device] + reserve - space.free_bytes
        if more and missing > 0:
            raise _refused(
                use,
                f"the files of this run take {_size(wanted[status.device])} on {path}, "
                f"which has {_size(space.free_bytes)} free",
                f"free {_size(missing)} there, or "
                + _smaller(wanted[status.device] - missing, "name another place"),
            )


def _smaller(room: int, otherwise: str = "name a larger device") -> str:
    """What to do about files that do not fit, where they may take ``room`` bytes: smaller
    ones are of no use where there is next to none."""
    if room < _LEAST_ROOM:
        return otherwise
    return f"make the files smaller (size:): {_size(room)} of them fit"


def _place_of(sut: Sut, use: Use) -> tuple[str, int]:
    """An existing path on the filesystem of a target, and the bytes already laid out."""
    if use.target.kind is TargetKind.DIRECTORY:
        return directory_of(sut, use.target), 0
    status = sut.stat(use.target.path)
    return _parent(use.target.path), status.size_bytes if status else 0


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or ("/" if path.startswith("/") else ".")


def _size(count: int) -> str:
    for scale, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << scale:
            return f"{count / (1 << scale):.1f} {unit}"
    return f"{count} B"


def _refused(use: Use, what: str, remedy: str) -> RefusedError:
    return RefusedError(f"target {use.target.name}: {what}", remedy=remedy, where=use.target.where)
