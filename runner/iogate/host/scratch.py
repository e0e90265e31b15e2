"""Directories that iogate makes to measure in, and removes again: at the end of the run,
or at the start of the next one when this one was killed.

Before a directory is made, a note of it is left in the user's state folder; a mark inside
the directory shows that it is ours. Only a directory with both is ever removed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir

from iogate import bounded
from iogate.bounds import NOTE_BYTES
from iogate.errors import RunError
from iogate.host.mounts import mount_of
from iogate.host.processes import boot_id, start_of
from iogate.state import make_folder, state_folder
from iogate.sut.base import Sut

_MARK = ".iogate-scratch"
_ON_DISK = "/var/tmp"  # noqa: S108 - kept over reboots, so never in memory


@contextmanager
def scratch_directory(sut: Sut, parent: str, token: str) -> Iterator[str]:
    """A fresh directory under ``parent``, removed on leaving. ``token`` is unique to it."""
    path = f"{parent.rstrip('/')}/iogate-{token}"
    note = _notes() / f"{token}.json"
    _write_note(note, path, token)
    try:
        sut.make_dir(path)
        sut.write_text(f"{path}/{_MARK}", token)
        yield path
    finally:
        sut.remove_tree(path)
        note.unlink(missing_ok=True)


def automatic_parent(sut: Sut) -> str:
    """Where ``directory: auto`` goes: $IOGATE_SCRATCH, else the temporary folder, unless
    that is in memory and /var/tmp is not: a disk is to be measured."""
    if given := os.environ.get("IOGATE_SCRATCH"):
        return given
    usual = gettempdir()
    if _in_memory(sut, usual) and not _in_memory(sut, _ON_DISK):
        return _ON_DISK
    return usual


def sweep(sut: Sut) -> tuple[str, ...]:
    """Remove what killed runs left behind; the paths that were removed."""
    removed = []
    for note in sorted(_notes().glob("*.json")):
        try:
            left = bounded.read_json(note, NOTE_BYTES)
            path, token = str(left["path"]), str(left["token"])
            alive = _alive(int(left["pid"]), str(left["started"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if alive:
            continue
        if sut.read_text(f"{path}/{_MARK}") == token:
            sut.remove_tree(path)
            removed.append(path)
        note.unlink(missing_ok=True)
    return tuple(removed)


def _notes() -> Path:
    return state_folder() / "scratch"


def _write_note(note: Path, path: str, token: str) -> None:
    pid = os.getpid()
    text = json.dumps({"path": path, "token": token, "pid": pid, "started": _started(pid)})
    make_folder(note.parent, "XDG_STATE_HOME")
    try:
        note.write_text(text)
    except OSError as error:
        raise RunError(
            f"cannot write {note}: {error.strerror}",
            remedy="set XDG_STATE_HOME to a folder that can be written",
        ) from error


def _alive(pid: int, started: str) -> bool:
    return bool(started) and _started(pid) == started


def _started(pid: int) -> str:
    """Boot and start time of a process: together they are never given twice."""
    start = start_of(pid)
    return f"{boot_id()}/{start}" if start else ""


def _in_memory(sut: Sut, path: str) -> bool:
    mount = mount_of(sut, path)
    return bool(mount and mount.fs_type in ("tmpfs", "ramfs"))
