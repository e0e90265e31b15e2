"""Which devices the helper knows, by what tells them from all others."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from iogate.host.helper.base import CHANGED, CONFIG, PATH_ONLY, Caller, DeniedError, note, text_of

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
