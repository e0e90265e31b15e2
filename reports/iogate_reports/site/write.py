"""The site on disk: only pages that are new or have changed are written."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from iogate.errors import UsageError

_LIST = ".iogate-site"
_WRITERS, _AHEAD = 2, 64


@dataclass(frozen=True, slots=True)
class Written:
    """How many pages were written, left as they were, and removed."""

    written: int
    kept: int
    removed: int


def write_site(folder: Path, pages: Iterable[tuple[str, str]], faults: Sized = ()) -> Written:
    """Pages by their address in the folder. A page of an earlier call that is no more is
    removed, unless there are ``faults`` in the end: what could not be made then stays as it is.

    What iogate did not write is never touched. UsageError for a folder that holds something
    and no site, and for a file that has a page's name and is not of an earlier call."""
    _check_free(folder)
    folder.mkdir(parents=True, exist_ok=True)
    before = _known(folder)
    now: list[str] = []
    written = 0
    waiting: deque[Future[bool]] = deque()
    # The disk takes its time for a file that replaces another; pages are made meanwhile.
    with ThreadPoolExecutor(_WRITERS) as pool:
        for address, text in _listed(folder, pages, set(before)):
            now.append(address)
            waiting.append(pool.submit(_write, folder / address, text.encode("utf-8")))
            while len(waiting) > _AHEAD:
                written += waiting.popleft().result()
        written += sum(one.result() for one in waiting)
    others = [name for name in before if name not in set(now)]
    kept, gone = (others, []) if len(faults) else ([], others)
    _remove(folder, gone)
    _write(folder / _LIST, "".join(f"{name}\n" for name in (*now, *kept)).encode())
    return Written(written, len(now) - written, len(gone))


def _check_free(folder: Path) -> None:
    if folder.is_dir() and not (folder / _LIST).is_file() and any(folder.iterdir()):
        raise UsageError(
            f"{folder} holds files, and none of them is known to be a page of iogate's",
            remedy="name a folder that is empty, or not there yet, or that holds such a site",
        )


def _listed(
    folder: Path, pages: Iterable[tuple[str, str]], known: set[str]
) -> Iterator[tuple[str, str]]:
    """The pages, each in the list before it is on the disk: one that a call which was killed
    has written is known to the next."""
    with (folder / _LIST).open("a", encoding="utf-8") as told:
        for address, text in pages:
            if address not in known:
                _check_page(folder / address)
                told.write(f"{address}\n")
                told.flush()
            yield address, text


def _check_page(path: Path) -> None:
    above = path.parent
    taken = above if os.path.lexists(above) and not above.is_dir() else path
    if os.path.lexists(taken):
        raise UsageError(
            f"{taken} is in the way of a page, and iogate did not write it",
            remedy="move it away, or name another folder",
        )


def _remove(folder: Path, names: Sequence[str]) -> None:
    """Pages, and the folders that are empty then."""
    for name in names:
        (folder / name).unlink(missing_ok=True)
    for above in {(folder / name).parent for name in names} - {folder}:
        with suppress(OSError):  # it is not empty, or gone already
            above.rmdir()


def _known(folder: Path) -> list[str]:
    """The pages of the call before; a line that is no page of a site is nothing of ours."""
    try:
        lines = (folder / _LIST).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    return [
        name
        for name in lines
        if name.endswith(".html")
        and name.count("/") <= 1
        and ".." not in name
        and not name.startswith("/")
    ]


def _write(path: Path, data: bytes) -> bool:
    """Whether it had to be written. Who reads meanwhile sees the old page or the new one."""
    try:
        if path.stat().st_size == len(data) and path.read_bytes() == data:
            return False
    except FileNotFoundError:
        path.parent.mkdir(exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    partial.write_bytes(data)
    partial.replace(path)
    return True
