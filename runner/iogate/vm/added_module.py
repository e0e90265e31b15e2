"""A module of somebody's that is put beside those of a kernel, or in the place of one of them."""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from iogate.errors import RefusedError
from iogate.files.bounded import read_bytes

_MOST_BYTES = 64 << 20
_ELF = b"\x7fELF\x02\x01"  # of 64 bits, little-endian
# Of elf(5): e_type, e_shoff, e_shentsize, e_shnum, e_shstrndx; sh_name, sh_offset, sh_size.
_HEADER = struct.Struct("<16x H 22x Q 10x HHH")
_SECTION = struct.Struct("<I 20x QQ")
_RELOCATABLE = 1
_INFO, _ID = b".modinfo", b".note.gnu.build-id"
_ID_HEAD = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"
_NAME = re.compile(r"[A-Za-z0-9_]{1,55}", re.ASCII)  # as long as the kernel takes
_PARAMETER = re.compile(r"[A-Za-z0-9_]+=[A-Za-z0-9_.,:/+-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class AddedModule:
    """``data`` is the file, ``parameters`` what it is loaded with. ``source`` (a digest of its
    sources) and ``build_id`` are what the kernel says of it once it is loaded; empty where it was
    built without."""

    name: str
    data: bytes
    parameters: str = ""
    source: str = ""
    build_id: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 of the file."""
        return hashlib.sha256(self.data).hexdigest()


def read_module(path: Path, parameters: Sequence[str], release: str) -> AddedModule:
    """The module in a file, for the kernel ``release``. RefusedError for what is none, or one of
    another kernel."""
    data = _read(path)
    sections = _sections(data)
    said = _said(sections.get(_INFO, b""))
    name, built_for = said.get("name", ""), said.get("vermagic", "").partition(" ")[0]
    if not _NAME.fullmatch(name):
        raise RefusedError(
            f"{path} is no module of a kernel", remedy="name a .ko that is not compressed"
        )
    if built_for != release:
        raise RefusedError(
            f"{path} was built for kernel {built_for or '(it does not say)'}, and this arm boots "
            f"{release}",
            remedy="build it for that kernel, or name the kernel that it was built for: kernel:",
        )
    if wrong := next((each for each in parameters if not _PARAMETER.fullmatch(each)), None):
        raise RefusedError(
            f"{wrong!r} is no parameter of a module", remedy="write NAME=VALUE without blanks"
        )
    note = sections.get(_ID, b"")
    return AddedModule(
        name=name,
        data=data,
        parameters=" ".join(parameters),
        source=said.get("srcversion", ""),
        build_id=note.removeprefix(_ID_HEAD).hex() if note.startswith(_ID_HEAD) else "",
    )


def _read(path: Path) -> bytes:
    try:
        return read_bytes(path, _MOST_BYTES)
    except OSError as error:
        raise RefusedError(
            f"cannot read the module {path}: {error.strerror or error}",
            remedy="build it first, or correct its path",
        ) from None


def _sections(data: bytes) -> dict[bytes, bytes]:
    """The sections of a relocatable object that are of use, by name; none of anything else."""
    try:
        kind, table, size, count, names_at = _HEADER.unpack_from(data)
        headers = [_SECTION.unpack_from(data, table + size * number) for number in range(count)]
        _, start, length = headers[names_at]
    except (struct.error, IndexError, OverflowError):  # a place past what a file can have
        return {}
    if kind != _RELOCATABLE or not data.startswith(_ELF):
        return {}
    names = data[start : start + length]
    wanted = {names.find(name + b"\0"): name for name in (_INFO, _ID)}
    return {wanted[at]: data[o : o + n] for at, o, n in headers if at in wanted}


def _said(info: bytes) -> dict[str, str]:
    """What a module says of itself; of a key that is there several times the first."""
    lines = info.decode("ascii", "replace").split("\0")
    return dict(reversed([line.partition("=")[::2] for line in lines]))
