"""Which devices the helper knows, by what tells them from all others."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from iogate.host.helper.base import (
    CHANGED,
    CONFIG,
    PATH_ONLY,
    Caller,
    DeniedError,
    boot_now,
    note,
    text_of,
)
from iogate.model.tied_settings import disk_of

ACL = "system.posix_acl_access"
_NODE = re.compile(r"/dev/([A-Za-z0-9_!-]{1,32})", re.ASCII)


def identity_of(disk: str) -> dict[str, Any]:
    """What tells a whole disk from all others, as the configuration lists it; empty where
    nothing does."""
    base = f"/sys/block/{disk}"
    if backing := text_of(f"{base}/loop/backing_file"):
        return {"backing": backing}
    size = int(text_of(f"{base}/size") or 0) * 512
    if disk.startswith("zram") and size:
        return {"zram": disk, "size_bytes": size}
    serial = text_of(f"{base}/device/serial") or text_of(f"{base}/serial") or _page(base)
    wwn = text_of(f"{base}/wwid") or text_of(f"{base}/device/wwid")
    if serial or wwn:
        named = {"serial": serial, "wwn": wwn}
        return {"size_bytes": size, **{key: text for key, text in named.items() if text}}
    return {}


def disk_now(path: str) -> dict[str, Any]:
    """What tells the disk of a setting from others: its number in this boot, and what
    identifies it for longer."""
    disk = disk_of(path)
    return {"seq": text_of(f"/sys/block/{disk}/diskseq"), "is": identity_of(disk)}


def place_of(entry: dict[str, Any], *, durable: bool) -> str:
    """Where a noted setting is now; empty where its disk is gone, or may be another. What is
    ``durable`` may have got another name."""
    path, was = entry["set"], entry.get("disk")
    if not disk_of(path) or (was is None and entry["boot"] == boot_now()):
        return str(path)
    if was is None:
        return ""
    now = disk_now(path)
    if not durable:
        known = "seq" if was["seq"] else "is"
        return path if now[known] == was[known] else ""
    names = [disk_of(path), *sorted(os.listdir("/sys/block"))] if was["is"] else []
    found = next((name for name in names if identity_of(name) == was["is"]), "")
    return _moved(path, found) if found else ""


def _moved(path: str, disk: str) -> str:
    """The same setting of a disk by its present name, and its present number on a SCSI bus."""
    rest = path.removeprefix(f"/sys/block/{disk_of(path)}/")
    folder, slash, name = rest.rpartition("/")
    above = f"/sys/block/{disk}/{folder.rpartition('/')[0]}"
    if folder.startswith("device/scsi_disk/") and os.path.isdir(above):
        folder = f"device/scsi_disk/{os.listdir(above)[0]}"
    return f"/sys/block/{disk}/{folder}{slash}{name}"


def _page(base: str) -> str:
    return text_of(f"{base}/device/vpd_pg80")[4:].strip("\0 \n")


def _disk_of(rdev: int) -> str:
    """The whole disk of a device number."""
    real = os.path.realpath(f"/sys/dev/block/{os.major(rdev)}:{os.minor(rdev)}")
    return os.path.basename(os.path.dirname(real) if os.path.exists(f"{real}/partition") else real)


def check_listed(caller: Caller, disk: str) -> None:
    """DeniedError for a disk that the configuration does not list."""
    identity = identity_of(disk)
    if not identity or identity not in caller.devices:
        raise DeniedError(f"{disk} is not a device of {CONFIG}")


@contextmanager
def listed_device(caller: Caller, path: object) -> Iterator[int]:
    """A listed device that nothing uses, open so that it stays the one that was looked at."""
    if not isinstance(path, str) or not _NODE.fullmatch(path):
        raise DeniedError("path is no /dev/NAME")
    node = os.open(path, PATH_ONLY)  # nothing but a block device that is listed is opened
    try:
        status = os.fstat(node)
        if not stat.S_ISBLK(status.st_mode):
            raise DeniedError(f"{path} is not a block device")
        check_listed(caller, _disk_of(status.st_rdev))
        handle = os.open(f"/proc/self/fd/{node}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    finally:
        os.close(node)
    try:
        _check_free(handle, path)
        yield handle
    finally:
        os.close(handle)


def _check_free(handle: int, path: str) -> None:
    try:
        os.close(os.open(f"/proc/self/fd/{handle}", os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC))
    except OSError as error:
        raise DeniedError(f"{path} is in use: {error.strerror}") from None


def _acl_of(node: str) -> str:
    """The list of other users of a node, as hexadecimal digits; empty without one."""
    try:
        return os.getxattr(node, ACL).hex()
    except OSError:
        return ""


def lend(caller: Caller, request: dict[str, Any]) -> dict[str, Any]:
    """Make the caller the owner of a device's node, until everything is put back."""
    with listed_device(caller, request["path"]) as handle:
        node, path = f"/proc/self/fd/{handle}", request["path"]
        status = os.fstat(handle)
        if status.st_uid != caller.uid:
            mode, number = stat.S_IMODE(status.st_mode), status.st_rdev
            owner: dict[str, Any] = {
                "uid": status.st_uid,
                "gid": status.st_gid,
                "mode": mode,
                "rdev": number,
            }
            owner["acl"] = _acl_of(node)
            note(CHANGED, {"lent": path, **owner})
            os.chown(node, caller.uid, status.st_gid)
            os.chmod(node, mode | stat.S_IRUSR | stat.S_IWUSR)
    return {}
