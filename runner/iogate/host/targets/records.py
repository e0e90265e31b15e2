"""What iogate has measured, wherever it is kept: a history and a run folder are known by what is in
their files, as --store and --output name any place, and this run knows of its own alone."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from iogate.files.sqlite_head import BESIDE, is_database, is_journal, is_wal
from iogate.host.devices.in_use import Look, Refusal
from iogate.host.foreseen import answers
from iogate.host.targets.belongings import of_iogate
from iogate.host.targets.places import real_names
from iogate.sut.base import Sut

_DOCUMENTS = ("plan.json", "environment.json", "run.json", "verdict.json", "dispatch.json")
_SCHEMA = re.compile(rb'"schema"\s*:\s*"(?:plan|environment|run|verdict|dispatch)/\d')
_LOCK = ".lock"  # beside what waits for a server
_WAL = "-wal"


def kept_at(sut: Sut, names: Sequence[str], kept: Sequence[str]) -> str:
    """What of iogate's own a file of these names is, or of ``kept``; empty where it is none."""
    own = of_iogate(sut, names, kept)
    return f"{own} is iogate's own" if own else record_at(sut, names)


def image_kept(look: Look, kept: Sequence[str] = ()) -> Refusal | None:
    """Why a device may not be overwritten that stands on such a file, at whatever depth."""
    for image in look.images:
        if what := kept_at(look.sut, real_names(look.sut, look.sut.real_path(image)), kept):
            remedy = "name a device whose image is a file of its own, elsewhere"
            return Refusal(f"{what}, and {look.device.path} stands on it", remedy)
    return None


def record_at(sut: Sut, names: Sequence[str]) -> str:
    """What a file of these names is of those; empty where it is none."""
    databases = dict.fromkeys(each for name in names for each in _databases(name))
    documents = {f"{folder}/{name}": folder for folder in _above(names) for name in _DOCUMENTS}
    asked = tuple(dict.fromkeys((*databases, *(f"{each}{_WAL}" for each in databases), *documents)))
    heads = dict(zip(asked, answers(sut, "read_head", asked), strict=True))
    for path, folder in documents.items():
        if _SCHEMA.search(heads[path]):
            return f"{names[0]} is in the run folder {folder}"
    for path in databases:
        if is_database(heads[path]) or is_journal(heads[path]) or _is_wal(heads, path):
            return f"{names[0]} belongs to a SQLite database, as a history is one"
    return ""


def _databases(name: str) -> Iterator[str]:
    """The file itself, and that which SQLite or iogate would keep it beside."""
    yield name
    yield from (name.removesuffix(end) for end in (*BESIDE, _LOCK) if name.endswith(end))


def _is_wal(heads: dict[str, bytes], path: str) -> bool:
    """Also of a database whose own head is damaged: what is beside it may mend it."""
    return is_wal(heads[path]) or is_wal(heads[f"{path}{_WAL}"])


def _above(names: Sequence[str]) -> Iterator[str]:
    for path in names:
        while (path := posixpath.dirname(path)) not in ("", "/"):
            yield path
