"""A file that is there whole, or as it was before: a full disk leaves no part of one. What cannot
be written is told by the name that was asked for, with what to do."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from iogate.errors import RefusedError

_FULL = (errno.ENOSPC, errno.EDQUOT)
_FORBIDDEN = (errno.EROFS, errno.EACCES, errno.EPERM)


def remedy_of(error: OSError, option: str = "") -> str:
    """What to do where something cannot be written; nothing for what is no matter of room or
    rights. ``option`` is what names the place."""
    by = f" with {option}" if option else ""
    if error.errno in _FULL:
        return f"make room there, or name another place{by}"
    if error.errno in _FORBIDDEN:
        return f"name a place that can be written{by}, or let this user write there"
    return ""


@contextmanager
def writing(path: Path, option: str = "") -> Iterator[None]:
    """Around all that writes what was asked for, by an ``option`` where it has a default.
    RefusedError when it cannot be written."""
    by = f" with {option}" if option else ""
    try:
        yield
    except OSError as error:
        raise RefusedError(
            f"cannot write {path}: {error.strerror or error}",
            remedy=remedy_of(error, option) or f"name another place{by}, in a folder that is there",
        ) from error


def make_output(folder: Path, option: str = "") -> None:
    """The folder that was asked for, made where it is missing. As ``writing``."""
    with writing(folder, option):
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            number = errno.EROFS if _is_read_only(folder) else errno.EACCES
            raise OSError(number, os.strerror(number))


def _is_read_only(folder: Path) -> bool:
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


@contextmanager
def told_of(path: Path) -> Iterator[None]:
    """Around what writes a file under another name first: an OSError names the path."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def write_whole(path: Path, text: str, *, mode: int | None = None, named: bool = True) -> None:
    """Write a file, in place of the one that is there. Where the user has ``named`` it, through a
    link to what it leads to; else the link is replaced, as a checkout may have brought it.
    ``mode`` are its permissions. OSError, with nothing left behind."""
    with whole_file(path, mode=mode, named=named) as out:
        out.write(text.encode("utf-8"))


@contextmanager
def whole_file(path: Path, *, mode: int | None = None, named: bool = True) -> Iterator[BinaryIO]:
    """The same for what is written bit by bit. OSError of what is written, too, names the path."""
    real = Path(os.path.realpath(path)) if named else path
    if named and real.exists() and not real.is_file():
        with real.open("wb") as out:  # a pipe, or /dev/stdout: nothing to replace
            yield out
        return
    fresh = real.with_name(f".{real.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with told_of(path):
            with fresh.open("xb") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            if mode is not None:
                fresh.chmod(mode)
            fresh.replace(real)
    finally:
        with suppress(OSError):  # a read-only disk says so of a file that is not there
            fresh.unlink(missing_ok=True)
