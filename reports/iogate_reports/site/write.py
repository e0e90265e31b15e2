"""The site on disk: only pages that are new or have changed are written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_LIST = ".iogate-site"


@dataclass(frozen=True, slots=True)
class Written:
    """How many pages were written, left as they were, and removed."""

    written: int
    kept: int
    removed: int


def write_site(folder: Path, pages: Iterable[tuple[str, str]]) -> Written:
    """Pages by their address in the folder. A page of an earlier call that is no more is
    removed; what iogate did not write is never touched."""
    folder.mkdir(parents=True, exist_ok=True)
    before = _known(folder)
    now: list[str] = []
    written = 0
    for address, text in pages:
        now.append(address)
        written += _write(folder / address, text.encode("utf-8"))
    gone = [name for name in before if name not in set(now)]
    for name in gone:
        (folder / name).unlink(missing_ok=True)
    _write(folder / _LIST, "".join(f"{name}\n" for name in now).encode())
    return Written(written, len(now) - written, len(gone))


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
