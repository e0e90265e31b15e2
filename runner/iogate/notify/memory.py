"""What each channel was told already, in a file of this user.

An alert is told once. Its night may be placed elsewhere as more nights come, and its id with it, so
it is known by where it is: two alerts of one host, environment and turn whose ranges of nights
have one in common are the same.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from iogate.errors import RunError
from iogate.files import bounded
from iogate.files.data_folder import data_folder, make_folder
from iogate.files.whole_file import told_of
from iogate.model.notice import Event, Notice
from iogate.notify.base import News

_NAME = "told.json"
_MOST = 10_000  # the oldest are forgotten: of nights long ago nobody asks
_VERSION = 1


@dataclass(frozen=True, slots=True)
class _Key:
    """``since_ns`` and ``by_ns`` enclose what it is about: it came after the one, by the other."""

    channel: str
    event: str
    spec: str
    machine_id: str
    environment: str
    since_ns: int
    by_ns: int

    def is_same(self, other: _Key) -> bool:
        """Whether both are about the same."""
        mine = replace(self, since_ns=0, by_ns=0)
        common = max(self.since_ns, other.since_ns) < min(self.by_ns, other.by_ns)
        return common and mine == replace(other, since_ns=0, by_ns=0)


class Memory:
    """What was told, while it is open here and nowhere else."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._keys = [_Key(*each) for each in _read(path)]

    def knows(self, channel: str, news: News, event: Event | None = None) -> bool:
        """Whether the channel was told of it, or of another event of the same alert, under the
        name of any of its specs."""
        key = _key(channel, news.notice)
        key = replace(key, event=event.value) if event else key
        keys = [replace(key, spec=spec) for spec in news.specs]
        return any(key.is_same(each) for key in keys for each in self._keys)

    def note(self, channel: str, notice: Notice) -> None:
        """The channel was told. This is on the disk when it returns; OSError where it cannot be."""
        self._keys = [*self._keys, _key(channel, notice)][-_MOST:]
        rows = [[getattr(key, name) for name in _Key.__slots__] for key in self._keys]
        fresh = self._path.with_name(f".{_NAME}.new")
        with told_of(self._path):
            with fresh.open("w", encoding="utf-8") as file:
                json.dump({"version": _VERSION, "told": rows}, file)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self._path)


@contextmanager
def opened_memory() -> Iterator[Memory]:
    """The memory of this user; who else tells at the same time waits. RunError for a broken one,
    RefusedError where there can be none."""
    folder = make_folder(data_folder(), "XDG_DATA_HOME")
    with (folder / f"{_NAME}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield Memory(folder / _NAME)


def _read(path: Path) -> list[list[Any]]:
    try:
        document = bounded.read_json(path)
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise _broken(path, str(error)) from None
    rows = document.get("told") if isinstance(document, dict) else None
    if not isinstance(rows, list) or not all(map(_is_row, rows)):
        raise _broken(path, "it is none of iogate's")
    return rows


def _is_row(row: object) -> bool:
    kinds = (str, str, str, str, str, int, int)
    if not isinstance(row, list) or len(row) != len(kinds):
        return False
    return all(isinstance(value, kind) for value, kind in zip(row, kinds, strict=True))


def _broken(path: Path, why: str) -> RunError:
    return RunError(
        f"{path}, which says what was told, cannot be read: {why}",
        remedy="remove it: what is open is then told once more",
    )


def _key(channel: str, notice: Notice) -> _Key:
    alert, night = notice.alert, notice.night
    if alert is not None:
        environment, since = alert.environment, alert.last_good.started_ns
        by = alert.first_bad.started_ns
    else:
        environment, since = "", night.started_ns - 1 if night else 0
        by = night.started_ns if night else 0
    return _Key(channel, notice.event.value, notice.spec, notice.machine_id, environment, since, by)
