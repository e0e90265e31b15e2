"""What runs on the machine of ``support.elsewhere``: calls of a LocalSut there, one at a time,
asked for on standard input and answered on standard output."""

from __future__ import annotations

import os
import pickle
import struct
import sys
from pathlib import Path
from typing import IO, Any

LENGTH = struct.Struct("<Q")
PARTS = ("start", "kernel_log", "lock_file", "lock_node")
"""What gives an object that is called, too."""


def send(stream: IO[bytes], message: object) -> None:
    data = pickle.dumps(message)
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """The next message; EOFError at the end."""
    (length,) = LENGTH.unpack(_read(stream, LENGTH.size))
    return pickle.loads(_read(stream, length))


def _read(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) != length:
        raise EOFError
    return data


def _file(sut: Any, path: str) -> bytes | None:
    """What ``get`` copies, for the line."""
    copy = Path("/tmp/copy")
    copy.unlink(missing_ok=True)
    return copy.read_bytes() if sut.get(path, str(copy)) else None


def serve() -> None:
    from iogate.errors import IogateError
    from iogate.sut.local import LocalSut

    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open("/dev/null", os.O_RDWR), 0)
    os.dup2(2, 1)
    objects: list[Any] = [LocalSut()]
    send(answers, ("value", None))
    while True:
        try:
            which, name, words, named = receive(asked)
        except EOFError:
            return
        try:
            done: Any = _file(objects[0], *words) if name == "file" else None
            if name != "file":
                done = getattr(objects[which], name)
                done = done(*words, **named) if callable(done) else done
            if name in PARTS and done is not None:
                objects.append(done)
                done = ("object", len(objects) - 1)
            else:
                done = ("value", done)
        except IogateError as error:
            done = ("error", (type(error).__name__, error.what, error.remedy))
        send(answers, done)


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    serve()
