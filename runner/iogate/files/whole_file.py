"""A text file that is there whole, or as it was before: a full disk leaves no part of one."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_whole(path: Path, text: str, *, mode: int | None = None) -> None:
    """Write a file, in place of the one that is there; through a link to what it leads to.
    ``mode`` are its permissions. OSError, with nothing left behind."""
    real = Path(os.path.realpath(path))
    if real.exists() and not real.is_file():
        real.write_text(text, encoding="utf-8")  # a pipe, or /dev/stdout: nothing to replace
        return
    fresh = real.with_name(f".{real.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        fresh.write_text(text, encoding="utf-8")
        if mode is not None:
            fresh.chmod(mode)
        fresh.replace(real)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        fresh.unlink(missing_ok=True)
