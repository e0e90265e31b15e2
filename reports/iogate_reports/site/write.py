"""The site on disk: only pages that are new or have changed are written."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from iogate.errors import UsageError
from iogate.files import bounded
from iogate.files.bounds import LIST_BYTES
from iogate.files.whole_file import make_output, writing

_LIST = ".iogate-site"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
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
    make_output(folder)
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
        written += sum(done.result() for done in waiting)
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
    with os.fdopen(_opened(folder / _LIST), "ab", buffering=0) as told:
        for address, text in pages:
            if address not in known:
                _check_page(folder, address)
                with writing(folder / _LIST):
                    told.write(f"{address}\n".encode())
            elif (folder / address).parent.is_symlink():
                _check_page(folder, address)
            yield address, text


def _opened(path: Path) -> int:
    """To append to; never what a link of the name leads to."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        return os.open(path, flags, 0o666)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}",
            remedy="it lists the pages of a site, and is not a link: remove it, and the pages",
        ) from None


def _check_page(folder: Path, address: str) -> None:
    path = folder / address
    above = path.parent
    if above != folder and (above.is_symlink() or (above.exists() and not above.is_dir())):
        path = above
    if os.path.lexists(path):
        raise UsageError(
            f"{path} is in the way of a page, and iogate did not write it",
            remedy="move it away, or name another folder",
        )


def _remove(folder: Path, names: Sequence[str]) -> None:
    """Pages, and the folders that are empty then."""
    inside = [name for name in names if not (folder / name).parent.is_symlink()]
    for name in inside:
        (folder / name).unlink(missing_ok=True)
    for above in {(folder / name).parent for name in inside} - {folder}:
        with suppress(OSError):  # it is not empty, or gone already
            above.rmdir()


def _known(folder: Path) -> list[str]:
    """The pages of the call before; a line that is no page of a site is nothing of ours."""
    try:
        lines = bounded.read_text(folder / _LIST, LIST_BYTES).splitlines()
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
        status = path.lstat()
        same_size = stat.S_ISREG(status.st_mode) and status.st_size == len(data)
        if same_size and bounded.read_bytes(path, len(data)) == data:
            return False
    except FileNotFoundError:
        pass
    with writing(path):
        _replace(path, data)
    return True


def _replace(path: Path, data: bytes) -> None:
    """OSError, with no part of it left behind."""
    path.parent.mkdir(exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(partial, _NEW, 0o666), "wb") as out:
            out.write(data)
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise
