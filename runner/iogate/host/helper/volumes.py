"""Filesystems that the helper makes on listed devices, mounts and unmounts."""

from __future__ import annotations

import ctypes
import os
import pwd
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from iogate.host.helper.base import CHANGED, MOUNTS, PATH_ONLY, PROGRAMS, Caller, DeniedError, note
from iogate.host.helper.devices import listed_device
from iogate.model.filesystem import AS_JOURNAL, JOURNAL, MAKERS, Maker, mkfs_words, mount_words

_POINT = re.compile(re.escape(MOUNTS) + r"/([A-Za-z0-9._-]{1,64})/(mnt)", re.ASCII)
_OCTAL = re.compile(r"\\([0-7]{3})")
_UMOUNT_NOFOLLOW = 8


def _argv_of(request: dict[str, Any]) -> list[str]:
    argv = request["argv"]
    if not isinstance(argv, list) or not 3 <= len(argv) <= 64:
        raise DeniedError("argv is not a list of words")
    if not all(isinstance(word, str) and 0 < len(word) < 256 and "\0" not in word for word in argv):
        raise DeniedError("argv is not a list of words")
    return argv


def make(caller: Caller, request: dict[str, Any]) -> dict[str, Any]:
    """Make a filesystem, or its journal, on listed devices that nothing uses."""
    argv = _argv_of(request)
    maker = MAKERS.get(argv[0].removeprefix("mkfs."))
    if maker is None or tuple(argv[: 1 + len(maker.always)]) != (maker.program, *maker.always):
        raise DeniedError("argv makes no filesystem that the helper knows")
    given, devices = _apart(maker, argv[1 + len(maker.always) :])
    if mkfs_words(argv[0].removeprefix("mkfs."), given) != tuple(given):
        raise DeniedError("argv is not in its plain form")
    with _listed(caller, devices):
        return _run(argv)


def _apart(maker: Maker, words: list[str]) -> tuple[list[str], list[str]]:
    """The arguments that a spec may give, and the devices, as ``mkfs_argv`` has put them."""
    namings, last = maker.beside.values(), len(words)
    while last and words[last - 1].startswith("/"):
        last -= 1
    given, devices = words[:last], words[last:]
    if not devices or (len(devices) > 1 and all(naming.flag for naming in namings)):
        raise DeniedError("argv does not end with the devices of a filesystem")
    if maker.beside.get(JOURNAL) and tuple(given[:2]) == AS_JOURNAL:
        return given[2:], devices
    for at in range(len(given) - 2, -1, -1):
        start = next((n.value for n in namings if n.flag == given[at]), None)
        value = given[at + 1]
        if start is not None and value.startswith(f"{start}/"):
            devices.append(value[len(start) :])
            del given[at : at + 2]
    return given, devices


@contextmanager
def _listed(caller: Caller, paths: list[str]) -> Iterator[list[int]]:
    """Listed devices that nothing uses, open."""
    with ExitStack() as stack:
        yield [stack.enter_context(listed_device(caller, path)) for path in paths]


def _mounted_with(fs_type: str, text: str) -> list[str]:
    """The devices that options of mount name, as ``mount_argv`` has put them; the others are
    options that a spec may give."""
    starts = tuple(each.option for each in MAKERS[fs_type].beside.values() if each.option)
    words = text.split(",")
    named = [word for word in words if starts and word.startswith(starts)]
    options = mount_words([",".join(word for word in words if word not in named)])
    if options[:2] != ("nosuid", "nodev"):
        raise DeniedError("argv is not the mount of a filesystem")
    return [word.partition("=")[2] for word in named]


def mount(caller: Caller, request: dict[str, Any]) -> dict[str, Any]:
    """Mount a listed device in a folder of the caller, who then owns what is in it."""
    argv = _argv_of(request)
    if len(argv) != 8 or argv[:3] != ["mount", "--internal-only", "-t"] or argv[4] != "-o":
        raise DeniedError("argv is not the mount of a filesystem")
    if argv[3] not in MAKERS:
        raise DeniedError("argv is not the mount of a filesystem")
    devices = [argv[6], *_mounted_with(argv[3], argv[5])]
    with _listed(caller, devices) as opened, _opened_point(argv[7]) as (folder, point):
        if any(os.fstat(each).st_uid != caller.uid for each in (folder, point)):
            raise DeniedError(f"{argv[7]} is not the caller's folder")
        rdevs = [os.fstat(each).st_rdev for each in opened]
        note(CHANGED, {"mounted": argv[7], "rdev": rdevs[0], "beside": rdevs[1:]})
        place = f"/proc/{os.getpid()}/fd/{point}"
        done = _run([*argv[:2], "--no-canonicalize", *argv[2:7], place])
        if done["status"] == 0 and not _give(folder, caller.uid):
            for path in points_of(*rdevs):
                unmount_at(path)
            raise DeniedError(f"{argv[7]} has changed meanwhile")
        return done


@contextmanager
def _opened_point(path: object) -> Iterator[tuple[int, int]]:
    """A folder below MOUNTS and its ``mnt``, each opened by its name and no link followed."""
    match = _POINT.fullmatch(path) if isinstance(path, str) else None
    if not match or match[1] in (".", ".."):
        raise DeniedError(f"mounts are made at {MOUNTS}/NAME/mnt")
    handles: list[int] = []
    try:
        handles.append(os.open(MOUNTS, PATH_ONLY | os.O_DIRECTORY))
        for name in (match[1], match[2]):
            handles.append(os.open(name, PATH_ONLY | os.O_DIRECTORY, dir_fd=handles[-1]))
        yield handles[1], handles[2]
    finally:
        for handle in handles:
            os.close(handle)


def _give(folder: int, uid: int) -> bool:
    """Make the root of what is mounted in a folder its user's. Whether something is mounted
    there: the caller may have moved the folder away meanwhile, and put another there."""
    try:
        handle = os.open("mnt", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    except OSError:
        return False
    try:
        is_mounted = os.fstat(handle).st_dev != os.fstat(folder).st_dev
        if is_mounted:
            os.fchown(handle, uid, pwd.getpwuid(uid).pw_gid)
        return is_mounted
    finally:
        os.close(handle)


def unmount(caller: Caller, request: dict[str, Any]) -> dict[str, Any]:
    """Undo a mount in a folder of the caller's."""
    with _opened_point(request["path"]) as (folder, _point):
        if os.fstat(folder).st_uid != caller.uid:
            raise DeniedError("the mount is another user's")
    unmount_at(request["path"])
    return {}


def unmount_at(path: str) -> None:
    """Unmount what is mounted somewhere below MOUNTS: nobody but the helper mounts there. No
    link is followed on the way. OSError when it is in use, or nothing is mounted."""
    *folders, last = path.removeprefix(f"{MOUNTS}/").split("/")
    folder = os.open(MOUNTS, PATH_ONLY | os.O_DIRECTORY)
    try:
        for name in folders:
            inner = os.open(name, PATH_ONLY | os.O_DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = inner
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.umount2(f"/proc/self/fd/{folder}/{last}".encode(), _UMOUNT_NOFOLLOW):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), path)
    finally:
        os.close(folder)


def points_of(*rdevs: int) -> list[str]:
    """Where below MOUNTS any of the devices of a filesystem is mounted now: its user may have
    renamed folders, and the kernel may name each of them."""
    points = []
    # The kernel escapes blanks and line feeds in names, and nothing else: no other sign ends a line
    # or a field, and whoever mounts something by FUSE chooses its name.
    with open(
        "/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape", newline="\n"
    ) as file:
        for line in file:
            left, _, right = line.partition(" - ")
            point = _OCTAL.sub(lambda code: chr(int(code[1], 8)), left.split(" ")[4])
            if point.startswith(f"{MOUNTS}/") and not {_number(left), _node(right)}.isdisjoint(
                rdevs
            ):
                points.append(point)
    return points[::-1]


def _number(left: str) -> int:
    major, _, minor = left.split(" ")[2].partition(":")
    return os.makedev(int(major), int(minor))


def _node(right: str) -> int:
    """Of btrfs the number is none of a device, but its source is."""
    try:
        return os.stat(right.split(" ")[1]).st_rdev
    except OSError:
        return 0


def _run(argv: list[str]) -> dict[str, Any]:
    """A program of the system's, by its full path; its end is told, whatever it is."""
    places = (f"{folder}/{argv[0]}" for folder in PROGRAMS)
    program = next((place for place in places if os.access(place, os.X_OK)), None)
    if program is None:
        raise DeniedError(f"{argv[0]} is not installed")
    done = subprocess.run(
        [program, *argv[1:]], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    out, err = (each.decode(errors="replace")[:4096] for each in (done.stdout, done.stderr))
    return {"status": done.returncode, "stdout": out, "stderr": err}
