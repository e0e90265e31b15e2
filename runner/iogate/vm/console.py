"""What a kernel said last on its console: why it ended, and where."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from iogate.errors import IogateError
from iogate.files.bounds import MIB
from iogate.vm.readers import reader

_STAMP = re.compile(r"^\[\s*\d+\.\d+\](?:\[\s*\w+\])? ?")
_CAUSES = re.compile(
    r"BUG:|Oops:|general protection fault|kernel BUG at|soft lockup|hard LOCKUP|blocked for more"
    r"|Kernel panic - not syncing|iogate: |Unable to mount root|Out of memory"
)
_PLACE = re.compile(r"(?:RIP: [0-9a-f]{4}:| )\??\s?([A-Za-z_][\w.]*)\+(0x[0-9a-f]+)/0x[0-9a-f]+")
_MOST_BYTES, _MOST_FRAMES, _MOST_LINES = 1 << 20, 8, 400
_TIMEOUT_S = 60.0
_MOST_NAMES = 64 * MIB


def last_words(console: Path, vmlinux: Path | None = None) -> str:
    """The first sign of trouble and, with the symbols of ``vmlinux``, where it came from; what the
    console said last where there is none; empty where it said nothing."""
    lines = [_STAMP.sub("", line).strip() for line in _tail(console).splitlines()]
    lines = [line for line in lines[-_MOST_LINES:] if line]
    for number, line in enumerate(lines):
        if _CAUSES.search(line):
            places = list(_places(lines[number:]))[:_MOST_FRAMES]
            told = [_symbolised(place, vmlinux) for place in places]
            return "; ".join((line, *(f"at {each}" for each in told[:3])))
    return lines[-1] if lines else ""


def panicked(console: Path) -> bool:
    """Whether the kernel gave up, not the machine."""
    return "Kernel panic" in _tail(console)


def kept_text(console: Path, most: int) -> str:
    """What a kernel has said, of more than ``most`` bytes the last ones. OSError."""
    with console.open("rb") as stream:
        left_out = max(0, os.fstat(stream.fileno()).st_size - most)
        stream.seek(left_out)
        text = stream.read(most).decode(errors="replace")
    return f"({left_out:,} bytes before this are left out)\n{text}" if left_out else text


def _tail(console: Path) -> str:
    try:
        return _printable(kept_text(console, _MOST_BYTES))
    except OSError:
        return ""


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)


def _places(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Function and offset of the frames that are told, the innermost first, each once."""
    seen = set()
    for line in lines:
        found = _PLACE.search(f" {line}")
        if found and found[1] not in seen and "? " not in line:
            seen.add(found[1])
            yield found[1], found[2]


def _symbolised(place: tuple[str, str], vmlinux: Path | None) -> str:
    """``ext4_writepages+0x1a (fs/ext4/inode.c:2914)``."""
    function, offset = place
    text = f"{function}+{offset}"
    line = _line_of(function, int(offset, 16), vmlinux) if vmlinux else ""
    return f"{text} ({line})" if line else text


def _line_of(function: str, offset: int, vmlinux: Path) -> str:
    """File and line by binutils; empty where they cannot tell."""
    try:
        names = _output(["nm", "--defined-only", str(vmlinux)], vmlinux)
        named = rf"^([0-9a-f]{{1,16}}) [tTwW] {re.escape(function)}$"
        found = re.search(named, names, re.MULTILINE)
        if found is None:
            return ""
        address = hex(int(found[1], 16) + offset)
        line = _output(["addr2line", "-e", str(vmlinux), address], vmlinux).strip()
    except (OSError, IogateError):
        return ""
    return "" if line.startswith("??") else line.partition("\n")[0]


def _output(argv: Sequence[str], vmlinux: Path) -> str:
    """Names in it are those of whoever built the kernel."""
    with reader(argv, vmlinux, package="binutils", most=_MOST_NAMES, timeout_s=_TIMEOUT_S) as said:
        return _printable(said.read(_MOST_NAMES).decode(errors="replace"))
