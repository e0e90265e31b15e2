"""What a run has changed on the host, so that it is put back however the run ends.

Before anything is changed, what it was is written to a file and forced to the disk. The run
itself puts it back at its end. When it was killed, the file is still there: the next run,
comparison or ``iogate doctor`` on this host puts it back from it, before anything else. One
host has one journal at a time, written only while the host lock is held.

Its name is drawn, and it counts only when it is a file of this user's own: in a folder that
all users may write, nobody can take the place of another's journal, or forge one.

The first line says which boot it is of: a reboot undoes every setting and mount by itself, but not
an array: what is on its members may bring it back.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from iogate.errors import RefusedError, RunError
from iogate.files.bounded import parse_json
from iogate.host.devices.arrays import is_there, members_anywhere, take_apart
from iogate.host.devices.mounts import mounts
from iogate.host.helper.base import CHANGED
from iogate.host.settings.entries import (
    Assembled,
    Entry,
    Mounted,
    Setting,
    of_json,
    to_json,
)
from iogate.host.settings.journals import foreign_journals, new_journal, own_journals
from iogate.host.settings.restoring import Restorer, thing_of
from iogate.sut.base import Sut

SCHEMA = "journal/1"
_UNMOUNT_PATIENCE_S = 20.0  # an engine whose iogate was killed takes a moment to stop
_RETRY_S = 0.25


@dataclass(frozen=True, slots=True)
class Left:
    """What could not be put back, and the journal that says what it was."""

    entry: Entry
    journal: str


class Journal:
    """The journal of this run. ``entries`` are what it holds, in the order of the changes."""

    def __init__(self, sut: Sut, run_id: str) -> None:
        self._sut = sut
        self._path = ""
        self._run_id = run_id
        self.entries: list[Entry] = []

    def note(self, *entries: Entry) -> None:
        """Keep what is about to be changed; on return it survives a crash. RunError, and
        then nothing may be changed, when it cannot be kept."""
        self._path = self._path or new_journal(self._sut)
        lines = [] if self.entries else [_header(self._run_id, self._sut.about().boot)]
        self._sut.append_durably(self._path, _text([*lines, *map(to_json, entries)]))
        self.entries.extend(entries)

    def undo(self) -> tuple[str, ...]:
        """Put everything back, the last first, remove the journal, and say what is gone by now.
        RunError when something cannot be put back: then the journal stays, with that alone."""
        if not self.entries:
            return ()
        undone = _undone(self._sut, self.entries)
        _keep(self._sut, self._path, _header(self._run_id, self._sut.about().boot), undone.kept)
        self.entries = undone.kept
        if undone.failed:
            raise RunError(
                f"cannot put this host back as it was: {'; '.join(undone.failed)}",
                remedy=_by_hand(self._path),
            )
        self._path = ""
        return tuple(dict.fromkeys(undone.gone))


def is_left(sut: Sut) -> bool:
    """Whether there is a journal: of a run that goes on, or that was killed."""
    return any(sut.stat(path) for path in (*own_journals(sut), *foreign_journals(sut), CHANGED))


def restore_left(sut: Sut, on_left: Callable[[str], None] = lambda _text: None) -> tuple[str, ...]:
    """Put back what killed runs have changed, and say what was done; nothing without such a
    run. To be called with the host lock held. What cannot be put back stays in its journal, is
    tried again each time, and is only in the way of who wants the same setting
    (``unrestored``); ``on_left`` is told of it. RefusedError for a journal of which nobody knows
    what it holds."""
    for path in foreign_journals(sut):
        raise RefusedError(
            f"{path} is not this user's: a run of root has changed this host",
            remedy="run 'iogate doctor' as root: it puts this host back as it was",
        )
    own = tuple(text for path in own_journals(sut) for text in _restored(sut, path, on_left))
    try:
        return (*own, *sut.put_back())
    except RunError as error:
        raise RefusedError(
            f"a run of another user has left this host changed: {error.what}",
            remedy="run 'iogate doctor' as root: it puts this host back as it was",
        ) from error


def _restored(sut: Sut, path: str, on_left: Callable[[str], None]) -> tuple[str, ...]:
    text = sut.read_own(path)
    if text is None:
        raise RefusedError(
            f"{path} may be written by others, and is not followed",
            remedy="look at it, put back by hand what is right in it, and remove it",
        )
    header, entries = _parse(text, path)
    run = _named(header)
    rebooted = header.get("boot") != sut.about().boot
    if rebooted:
        entries = _survivors(sut, entries)
    undone = _undone(sut, entries)
    _keep(sut, path, header, undone.kept)
    for text in undone.failed:
        on_left(f"run {run} was killed: {text}; {_by_hand(path)}")
    by_itself = [f"run {run} was killed by a reboot, which has put its settings back"]
    texts = dict.fromkeys((*undone.done, *undone.gone))  # of a disk that is gone one
    said = [f"run {run} was killed: {text}" for text in texts]
    return tuple((by_itself if rebooted else []) + said)


def _survivors(sut: Sut, entries: list[Entry]) -> list[Entry]:
    """What a reboot does not undo: arrays, whose members may have other names now."""
    arrays = [entry for entry in entries if isinstance(entry, Assembled)]
    more = members_anywhere(sut) if arrays else ()
    return [Assembled(each.uuid, tuple(dict.fromkeys((*each.members, *more)))) for each in arrays]


def unrestored(sut: Sut) -> tuple[Left, ...]:
    """What killed runs have changed and nobody could put back so far."""
    kept: list[Left] = []
    for path in own_journals(sut):
        header, entries = _parse(sut.read_own(path) or "", path)
        same_boot = header.get("boot") == sut.about().boot
        left = (each for each in _first_of_each(entries) if same_boot and _is_changed(sut, each))
        kept.extend(Left(entry, path) for entry in left)
    return tuple(kept)


def _is_changed(sut: Sut, entry: Entry) -> bool:
    if isinstance(entry, Mounted):
        return any(mount.point == entry.point for mount in mounts(sut))
    if isinstance(entry, Assembled):
        return is_there(sut, entry.uuid, entry.members)
    return bool(Restorer(sut, [entry]).why_changed(entry))


def _by_hand(path: str) -> str:
    return f"it is tried again each time; or put it back by hand, and remove {path}"


def _named(header: dict[str, Any]) -> str:
    """The run of a journal, safe to print."""
    run = str(header.get("run", ""))[:12]
    return run if run.isascii() and run.isalnum() else "an unknown run"


def _parse(text: str, path: str) -> tuple[dict[str, Any], list[Entry]]:
    """A last line without its end was being written when the run was killed: what it is
    about had not been changed yet."""
    *lines, _torn = text.split("\n")
    try:
        documents = [parse_json(line) for line in lines]
        entries = [of_json(document) for document in documents[1:]]
        known = not documents or documents[0]["schema"] == SCHEMA
    except (ValueError, KeyError, TypeError, IndexError):
        raise RefusedError(
            f"{path} cannot be read as a journal of changed settings",
            remedy="look at it, put back by hand what it says, and remove it",
        ) from None
    if not known:
        raise RefusedError(
            f"{path} was written by another version of iogate",
            remedy="run 'iogate doctor' of that version: it puts the settings back",
        )
    return documents[0] if documents else {}, entries


def _header(run_id: str, boot: str) -> dict[str, str]:
    return {"schema": SCHEMA, "boot": boot, "run": run_id}


def _text(lines: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(line, ensure_ascii=True) + "\n" for line in lines)


def _keep(sut: Sut, path: str, header: dict[str, Any], entries: list[Entry]) -> None:
    """Make these all that a journal says, or remove it where there are none."""
    if entries:
        with suppress(RunError):  # what it says now is more than that, and right
            sut.put(path, _text([header, *map(to_json, entries)]).encode())
    else:
        sut.remove_file(path)


@dataclass(slots=True)
class _Undone:
    """What was ``done`` and what ``failed``, in words, and what is ``gone`` and cannot be put back
    any more; ``kept`` are the entries to try again, in the order of the changes."""

    done: list[str]
    gone: list[str]
    failed: list[str]
    kept: list[Entry]


def _undone(sut: Sut, entries: list[Entry]) -> _Undone:
    """Undo each, the last first, and look at all once more, as one may change another. A failure
    does not keep the others from being undone. While there is one, what is not there is kept, too:
    it may come back with it."""
    said: dict[str, list[str]] = {}
    errors: dict[str, str] = {}
    undone, each_first = _Undone([], [], [], []), list(_first_of_each(entries))
    restorer = Restorer(sut, (each for each in each_first if isinstance(each, Setting)))
    for entry in each_first:
        try:
            said[_thing(entry)] = list(_undo(sut, entry, restorer))
        except RunError as error:
            errors[_thing(entry)] = error.what
    for entry in each_first:
        _sort(restorer, entry, said.get(_thing(entry), []), errors.get(_thing(entry), ""), undone)
    undone.kept = undone.kept[::-1] if undone.failed else []
    return undone


def _sort(restorer: Restorer, entry: Entry, said: list[str], error: str, undone: _Undone) -> None:
    """Add to ``undone`` what became of an entry."""
    if isinstance(entry, Setting):
        changed = restorer.why_changed(entry)
        error = changed and (error or changed)
    if error:
        undone.failed.append(error)
    elif isinstance(entry, Setting) and (why := restorer.gone(entry)):
        if entry.brought:  # by another change, with which it went
            return
        undone.gone.append(why)
    else:
        undone.done += said
        return
    undone.kept.append(entry)


def _first_of_each(entries: list[Entry]) -> Iterator[Entry]:
    """What was before the first change of each thing, the thing changed last first."""
    first: dict[str, Entry] = {}
    for entry in entries:
        first.setdefault(_thing(entry), entry)
    yield from reversed(first.values())


def _thing(entry: Entry) -> str:
    if isinstance(entry, Assembled):
        return entry.uuid
    return entry.point if isinstance(entry, Mounted) else thing_of(entry)


def _undo(sut: Sut, entry: Entry, restorer: Restorer) -> Iterator[str]:
    if isinstance(entry, Assembled):
        yield from take_apart(sut, entry.uuid, entry.members)
        return
    if isinstance(entry, Mounted):
        if unmount(sut, entry.point):
            yield f"{entry.point} is unmounted"
        return
    if said := restorer.restore(entry):
        yield said


def unmount(sut: Sut, point: str) -> bool:
    """Whether something was mounted there, which is not any more. RunError when it stays
    busy."""
    deadline = time.monotonic() + _UNMOUNT_PATIENCE_S
    unmounted = False
    while any(mount.point == point for mount in mounts(sut)):
        done = sut.run(["umount", "--internal-only", point], timeout_s=600)
        unmounted = True
        if done.status and time.monotonic() > deadline:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise RunError(
                f"cannot unmount {point}: {said[-1] if said else f'status {done.status}'}",
                remedy=f"see what uses it: fuser -vm {point}",
            )
        if done.status:
            time.sleep(_RETRY_S)
    return unmounted
