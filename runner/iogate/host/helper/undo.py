"""What the helper has changed is put back."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from iogate.host.helper.base import CHANGED, KEPT, PATH_ONLY, Caller, DeniedError, text_of
from iogate.host.helper.devices import ACL
from iogate.host.helper.settings import current, write_setting
from iogate.host.helper.volumes import points_of, unmount_at


def restore(_caller: Caller, _request: dict[str, Any]) -> dict[str, Any]:
    """Put everything back that any caller has changed."""
    return {"done": [text for journal in (CHANGED, KEPT) for text in restored(journal)]}


def restored(journal: str) -> list[str]:
    """Put back what a journal says, the last first, and remove it; what was done, in words."""
    try:
        with open(journal, encoding="utf-8") as file:
            *lines, _torn = file.read().split("\n")
    except FileNotFoundError:
        return []
    first: dict[str, dict[str, Any]] = {}
    for entry in map(json.loads, lines):
        name = entry.get("set") or entry.get("lent") or entry.get("mounted")
        if journal == KEPT or entry["boot"] == text_of("/proc/sys/kernel/random/boot_id"):
            first.setdefault(name, entry)
    done: list[str] = []
    failed: list[str] = []
    for entry in reversed(first.values()):
        try:
            done.extend(_undo(entry))
        except OSError as error:  # the others are undone all the same
            failed.append(f"{error.filename or entry}: {error.strerror}")
    if failed:
        raise DeniedError(f"cannot be put back: {'; '.join(failed)[:1000]}")
    os.unlink(journal)
    return done


def _undo(entry: dict[str, Any]) -> Iterator[str]:
    if "mounted" in entry:
        for point in points_of(entry["rdev"], *entry.get("beside", ())):
            yield from _unmounted(point)
    elif "lent" in entry:
        with suppress(FileNotFoundError):
            yield from _taken_back(entry)
    elif os.path.exists(entry["set"]) and current(entry["set"]) != entry["before"]:
        write_setting(entry["set"], entry["before"])
        yield f"{entry['set']} is {entry['before']} again"


def _unmounted(path: str) -> Iterator[str]:
    """An engine whose iogate was killed takes a moment to stop."""
    for left in range(80, -1, -1):
        try:
            unmount_at(path)
        except OSError as error:
            if error.errno == errno.EINVAL:  # nothing is mounted there
                return
            if error.errno != errno.EBUSY or not left:
                raise
            time.sleep(0.25)
        else:
            yield f"{path} is unmounted"
            return


def _taken_back(entry: dict[str, Any]) -> Iterator[str]:
    handle = os.open(entry["lent"], PATH_ONLY)
    try:
        if os.fstat(handle).st_rdev == entry["rdev"]:
            _as_it_was(f"/proc/self/fd/{handle}", entry)
            yield f"{entry['lent']} belongs to user {entry['uid']} again"
    finally:
        os.close(handle)


def _as_it_was(node: str, entry: dict[str, Any]) -> None:
    """The owner first: who owns a node can let others in, and has to lose that before it is
    looked at."""
    os.chown(node, entry["uid"], entry["gid"])
    with suppress(OSError):
        os.removexattr(node, ACL)
    os.chmod(node, entry["mode"])
    if entry["acl"]:
        os.setxattr(node, ACL, bytes.fromhex(entry["acl"]))
