"""Directories that iogate makes to measure in, and removes again: at the end of the run,
or at the start of the next one when this one was killed.

Before a directory is made, a note of it is left in the user's state folder; a mark inside
the directory shows that it is ours. Only a directory with both is ever removed.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from iogate.errors import RefusedError, RunError
from iogate.files.bounded import parse_json
from iogate.files.bounds import NOTE_BYTES
from iogate.host.devices.mounts import mount_of
from iogate.host.processes import start_of
from iogate.sut.base import Sut
from iogate.sut.state_folder import state_folder

_MARK = ".iogate-scratch"
_ON_DISK = "/var/tmp"  # noqa: S108 - kept over reboots, so never in memory


@contextmanager
def scratch_directory(
    sut: Sut, parent: str, token: str, on_left: Callable[[str], None] = lambda _text: None
) -> Iterator[str]:
    """A fresh directory under ``parent``, removed on leaving. ``token`` is unique to it.
    ``on_left`` is told of one that could not be removed: the next sweep tries again."""
    path = f"{parent.rstrip('/')}/iogate-{token}"
    note = f"{_notes(sut)}/{token}.json"
    _write_note(sut, note, path, token)
    try:
        sut.make_dir(path)
        _check_made(sut, path)
        sut.write_text(f"{path}/{_MARK}", token)
        yield path
    finally:
        if why := _remove(sut, path, token):
            on_left(why)
        else:
            sut.remove_file(note)


def _check_made(sut: Sut, path: str) -> None:
    """RunError for a link in place of the directory that was just made: whoever owns the one
    above can put one there."""
    parent, _, name = path.rpartition("/")
    if sut.real_path(path) != f"{sut.real_path(parent or '/').rstrip('/')}/{name}":
        raise RunError(
            f"{path} is not what was made there: another user changes that folder",
            remedy="measure in a folder that nobody else can write, or a sticky one such as /tmp",
        )


def automatic_parent(sut: Sut) -> str:
    """Where ``directory: auto`` goes: $IOGATE_SCRATCH, else the temporary folder, unless
    that is in memory and /var/tmp is not: a disk is to be measured."""
    machine = sut.about()
    if given := machine.variables.get("IOGATE_SCRATCH"):
        return given
    usual = machine.temporary
    if _in_memory(sut, usual) and not _in_memory(sut, _ON_DISK):
        return _ON_DISK
    return usual


def sweep(sut: Sut, on_left: Callable[[str], None] = lambda _text: None) -> tuple[str, ...]:
    """Remove what killed runs left behind; the paths that were removed. ``on_left`` is told of
    each that is still there: it is in nobody's way, and tried again by the next sweep."""
    removed = []
    for note, left in _read_notes(sut):
        if _alive(sut, left):
            continue
        if _is_gone(sut, left):
            sut.remove_file(note)
        elif _is_ours(sut, left):
            why = _remove(sut, left.path, left.token)
            if why:
                on_left(why)
                continue
            sut.remove_file(note)
            removed.append(left.path)
    return tuple(removed)


def is_scratch_left(sut: Sut) -> bool:
    """Whether a killed run has left a note of a directory."""
    return any(not _alive(sut, left) for _, left in _read_notes(sut))


@dataclass(frozen=True, slots=True)
class _Left:
    """A note: what was made, and by which process."""

    path: str
    token: str
    pid: int
    started: str


def _read_notes(sut: Sut) -> list[tuple[str, _Left]]:
    """Where each stands, and what it says; in the order of their names."""
    notes = sorted(sut.read_many([f"{_notes(sut)}/*.json"]).items())
    read = ((path, _read_note(each.data)) for path, each in notes)
    return [(path, left) for path, left in read if left]


def _read_note(data: bytes | None) -> _Left | None:
    if not data or len(data) > NOTE_BYTES:
        return None
    try:
        left = parse_json(data.decode())
        return _Left(str(left["path"]), str(left["token"]), int(left["pid"]), str(left["started"]))
    except (ValueError, KeyError, TypeError):
        return None


def _is_ours(sut: Sut, left: _Left) -> bool:
    """One without a mark is empty: its run was killed before it could make one. Where the mark
    cannot be read, as the filesystem is no more, it is looked at again another time."""
    mark = sut.read_text(f"{left.path}/{_MARK}")
    if mark is not None:
        return mark == left.token
    return bool(sut.stat(left.path)) and not sut.list_dir(left.path)


def _is_gone(sut: Sut, left: _Left) -> bool:
    """Whether there is nothing (of ours) any more. A folder that is not there may be on a
    filesystem that is not mounted now; after a reboot nobody waits for it."""
    mark = sut.read_text(f"{left.path}/{_MARK}")
    if mark is not None:
        return mark != left.token
    if sut.stat(left.path):
        return bool(sut.list_dir(left.path))  # somebody else's
    parent = left.path.rpartition("/")[0] or "/"
    return bool(sut.stat(parent)) or not left.started.startswith(f"{sut.about().boot}/")


def _remove(sut: Sut, path: str, token: str) -> str:
    """Remove a directory of ours; why that cannot be done, and what to do, if so. What is left
    of it keeps its mark."""
    try:
        sut.remove_tree(path)
    except RunError as error:
        with suppress(RunError):
            sut.write_text(f"{path}/{_MARK}", token)
        return (
            f"{error.what}; it is tried again each time; by hand: "
            f"rm -rf --one-file-system -- {shlex.quote(path)}"
        )
    return ""


def _notes(sut: Sut) -> str:
    return f"{state_folder(sut)}/scratch"


def _write_note(sut: Sut, note: str, path: str, token: str) -> None:
    pid = sut.about().pid
    text = json.dumps({"path": path, "token": token, "pid": pid, "started": _started(sut, pid)})
    try:
        sut.put(note, text.encode())
    except RunError as error:
        remedy = "let this user write it, or set XDG_STATE_HOME to a folder that can be written"
        raise RefusedError(error.what, remedy=remedy) from error


def _alive(sut: Sut, left: _Left) -> bool:
    return bool(left.started) and _started(sut, left.pid) == left.started


def _started(sut: Sut, pid: int) -> str:
    """Boot and start time of a process: together they are never given twice."""
    start = start_of(sut, pid)
    return f"{sut.about().boot}/{start}" if start else ""


def _in_memory(sut: Sut, path: str) -> bool:
    mount = mount_of(sut, path)
    return bool(mount and mount.fs_type in ("tmpfs", "ramfs"))
