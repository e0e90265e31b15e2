"""What the helper has changed is put back."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from iogate.host.helper.base import (
    CHANGED,
    KEPT,
    PATH_ONLY,
    Caller,
    DeniedError,
    boot_now,
    note,
    noted,
    thing_of,
)
from iogate.host.helper.devices import ACL, place_of
from iogate.host.helper.settings import current, write_setting
from iogate.host.helper.volumes import points_of, unmount_at
from iogate.model.tied_settings import disk_of, is_back


def restore(_caller: Caller, _request: dict[str, Any]) -> dict[str, Any]:
    """Put everything back that any caller has changed."""
    return {"done": [text for journal in (KEPT, CHANGED) for text in restored(journal)]}


def restored(journal: str) -> list[str]:
    """Put back what a journal says, the last first, and remove it; what was done, in words.
    DeniedError where something is not what it was: then that alone stays in the journal."""
    durable, first = journal == KEPT, _first_of_each(journal)
    done: list[str] = []
    failed: dict[str, str] = {}
    for thing, entry in reversed(first.items()):
        try:
            done.extend(_undo(entry, durable=durable))
        except OSError as error:  # the others are undone all the same
            failed[thing] = f"{error.filename or thing.strip()}: {error.strerror}"
    for thing, entry in first.items():  # one may change another
        why = _differs(entry, durable=durable)
        if why and thing not in failed:
            failed[thing] = f"{entry['set']}: {why}"
    if failed:
        _keep(journal, [each for thing, each in first.items() if thing in failed or _lost(each)])
        raise DeniedError(f"cannot be put back: {'; '.join(failed.values())[:1000]}")
    with suppress(FileNotFoundError):
        os.unlink(journal)
    return list(dict.fromkeys(done))


def _first_of_each(journal: str) -> dict[str, dict[str, Any]]:
    """What was before the first change of each thing; what a reboot has undone is left out."""
    first: dict[str, dict[str, Any]] = {}
    for entry in noted(journal):
        if journal == KEPT or entry["boot"] == boot_now():
            first.setdefault(thing_of(entry), entry)
    return first


def _keep(journal: str, entries: list[dict[str, Any]]) -> None:
    """Make these all that a journal says."""
    new = f"{journal}.new"
    with suppress(FileNotFoundError):
        os.unlink(new)
    note(new, *entries)
    os.replace(new, journal)


def _lost(entry: dict[str, Any]) -> bool:
    """Whether a setting is not there: it may come back with another that could not be put back."""
    return "set" in entry and not os.path.exists(entry["set"])


def _undo(entry: dict[str, Any], *, durable: bool) -> Iterator[str]:
    if "mounted" in entry:
        for point in points_of(entry["rdev"], *entry.get("beside", ())):
            yield from _unmounted(point)
    elif "lent" in entry:
        with suppress(FileNotFoundError):
            yield from _taken_back(entry)
    else:
        path = place_of(entry, durable=durable)
        yield from _set_back(entry, path) if path else (_left(entry, durable=durable),)


def _left(entry: dict[str, Any], *, durable: bool) -> str:
    """Why a setting is not put back."""
    what = f"{entry['set']} (before: {entry['before'] or 'empty'})" if durable else "its setting"
    return f"{disk_of(entry['set'])} is gone, or may be another disk now: {what} is left alone"


def _set_back(entry: dict[str, Any], path: str) -> Iterator[str]:
    was, error = entry["before"] or "empty", ""
    if not os.path.exists(path):
        if "brought" not in entry:  # by another change, with which it went
            yield f"{path} is gone, and with it the setting"
    elif not is_back(path, entry["before"], current):
        try:
            write_setting(path, entry["before"])
        except OSError as failed:
            error = f" ({failed.strerror})"
        if not is_back(path, entry["before"], current):
            now = current(path) or "empty"
            raise OSError(errno.EINVAL, f"it is {now} and was {was} before{error}", path)
        yield f"{path} is {was} again"


def _differs(entry: dict[str, Any], *, durable: bool) -> str:
    """How a setting is not what it was, in words."""
    path = place_of(entry, durable=durable) if "set" in entry else ""
    if not os.path.exists(path) or is_back(path, entry["before"], current):
        return ""
    return f"it is {current(path) or 'empty'} and was {entry['before'] or 'empty'} before"


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
