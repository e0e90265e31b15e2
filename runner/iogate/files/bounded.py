"""Reads what comes from elsewhere: regular files alone, through no link, up to a bound.

Whatever a path names, nothing here waits for it: what it is is asked before it is opened, as
opening a device may already do something, and opening a pipe waits for its other end.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import zlib
from collections.abc import Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO

from iogate.files.bounds import DOCUMENT_BYTES, DOCUMENT_VALUES, INTEGER_DIGITS, size

_LOOK = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_STEP = 1 << 20
_DIGITS = bytes(48 if 48 <= byte <= 57 else byte for byte in range(256))
_MANY_DIGITS = b"0" * INTEGER_DIGITS
"""Any integer that may be too large has so many digits in a row once _DIGITS has gone over it."""


def open_file(path: str | Path, *, dir_fd: int | None = None) -> int:
    """A descriptor to read a regular file with. OSError, whose ``strerror`` is a sentence, for
    anything else; a link in the path's last part is such a thing."""
    look = os.open(path, _LOOK, dir_fd=dir_fd)
    try:
        _check_regular(os.fstat(look).st_mode, path)
        return os.open(f"/proc/self/fd/{look}", _READ)
    except OSError as error:
        error.filename = str(path)
        raise
    finally:
        os.close(look)


def open_below(root: str, parts: Sequence[str]) -> int:
    """The same for a file below a folder, where no part of the way may be a link. ``parts`` are
    names, of which the last is the file."""
    folder = os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            inner = os.open(part, _LOOK, dir_fd=folder)
            os.close(folder)
            folder = inner
            if stat.S_ISLNK(os.fstat(folder).st_mode):
                raise OSError(errno.ELOOP, f"{part} is a link, and links are not followed")
        return open_file(parts[-1], dir_fd=folder)
    finally:
        os.close(folder)


def _check_regular(mode: int, path: str | Path) -> None:
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, "it is a link, and links are not followed", str(path))
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def read_fd(handle: int, most: int) -> bytes:
    """All of a file, which is closed. A file that says that it is empty is not read: those of
    /proc are such, and may wait. OSError for one of more than ``most`` bytes."""
    with os.fdopen(handle, "rb", buffering=0) as file:
        said = os.fstat(handle).st_size
        if said > most:
            raise _too_large(most)
        parts, left = [], min(said, most) + 1 if said else 0
        while left and (part := file.read(min(left, _STEP))):
            parts.append(part)
            left -= len(part)
    data = b"".join(parts)
    if len(data) > most:
        raise _too_large(most)
    return data


def read_stream(stream: BinaryIO | FileIO, most: int, step: int = _STEP) -> bytes:
    """All of what the caller opened, as standard input is, in parts of ``step`` bytes. OSError
    for more than ``most``."""
    parts, left = [], most + 1
    while left and (part := stream.read(min(left, step))):
        parts.append(part)
        left -= len(part)
    if not left:
        raise _too_large(most)
    return b"".join(parts)


def _too_large(most: int) -> OSError:
    return OSError(errno.EFBIG, f"it has more than {size(most)} bytes")


def read_bytes(path: str | Path, most: int) -> bytes:
    """A regular file of at most ``most`` bytes, read through no link. OSError else, and for a
    path that none can be; its ``strerror`` is a sentence."""
    try:
        return read_fd(open_file(path), most)
    except OSError as error:
        error.filename = str(path)
        raise
    except (ValueError, UnicodeEncodeError):  # a NUL byte, or half a character
        raise OSError(errno.EINVAL, "this is not a path", str(path)) from None


def read_head(path: str | Path, most: int) -> bytes:
    """The first ``most`` bytes of a regular file of any size, read through no link, of which
    nothing stays in memory: it may be what is measured next. OSError for anything else, and for a
    path that none can be."""
    try:
        with os.fdopen(open_file(path), "rb", buffering=0) as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)  # nothing is read ahead
            head = file.read(most) or b""
            os.posix_fadvise(file.fileno(), 0, most, os.POSIX_FADV_DONTNEED)
            return head
    except (ValueError, UnicodeEncodeError):  # a NUL byte, or half a character
        raise OSError(errno.EINVAL, "this is not a path", str(path)) from None


def read_text(path: str | Path, most: int) -> str:
    """The same as UTF-8 text; UnicodeDecodeError for what is none."""
    return read_bytes(path, most).decode("utf-8")


def read_json(path: str | Path, most: int = DOCUMENT_BYTES) -> Any:
    """The same as JSON; ValueError for what is none, or holds too much."""
    return parse_json(read_bytes(path, most))


def parse_json(data: bytes | str, *, values: int = DOCUMENT_VALUES) -> Any:
    """What a JSON text says. ValueError, and nothing else, for a text that is none, that holds
    more than ``values`` values or an integer that no float is as large as, or that is nested too
    deeply. NaN and infinities, which Python takes, are no JSON: documents write them as texts."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if holds_too_much(raw, values):
        raise ValueError(f"it holds more than {values:,} values")
    large = _MANY_DIGITS in raw.translate(_DIGITS)
    with suppress(RecursionError, MemoryError):
        text = data if isinstance(data, str) else str(raw, "utf-8", "surrogatepass")
        return json.loads(text, parse_int=_integer if large else None, parse_constant=_constant)
    raise _too_deep()


def is_too_large(data: bytes) -> bool:
    """Whether a document is more than ``read_json`` takes."""
    return len(data) > DOCUMENT_BYTES or holds_too_much(data, DOCUMENT_VALUES)


def holds_too_much(raw: bytes, values: int) -> bool:
    """Whether a JSON text has more values than are read. One that is shorter than that has not."""
    return len(raw) > values and sum(map(raw.count, (b",", b"[", b"{"))) > values


def json_at(text: str, at: int) -> Any:
    """What the JSON value says that begins at a place of a text, whatever follows it. ValueError as
    of ``parse_json``; but NaN and infinities are taken, which fio writes."""
    if sum(text.count(sign, at) for sign in ",[{") > DOCUMENT_VALUES:
        raise ValueError(f"it holds more than {DOCUMENT_VALUES:,} values")
    with suppress(RecursionError, MemoryError):
        return json.JSONDecoder(parse_int=_integer).raw_decode(text, at)[0]
    raise _too_deep()


def _too_deep() -> ValueError:
    return ValueError("it is nested too deeply, or needs more memory than there is")


def _integer(digits: str) -> int:
    if len(digits) > INTEGER_DIGITS:
        raise ValueError(f"it holds an integer of more than {INTEGER_DIGITS} digits")
    return int(digits)


def _constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def inflate(blob: bytes, most: int = DOCUMENT_BYTES) -> bytes:
    """What zlib packed, if that is at most ``most`` bytes; no more is ever unpacked. zlib.error
    or ValueError else."""
    made = zlib.decompressobj()
    data = made.decompress(blob, most + 1)
    if len(data) > most:
        raise ValueError(f"it unpacks to more than {size(most)} bytes")
    if not made.eof:
        raise ValueError("it is cut off")
    return data
