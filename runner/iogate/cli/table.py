"""Plain text for a terminal or a log: tables, and names made safe to print."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import category

_GAP = "  "


def printable(text: str) -> str:
    """Without control characters: names come from specs, and an escape sequence or a line
    break in one must not steer a terminal or a CI log."""
    return "".join(c if category(c)[0] != "C" else "�" for c in text)


def defused(text: str) -> str:
    """Lines that a CI system does not take for commands of its own (``::error::``,
    ``##[group]``), whatever a spec named its workloads."""
    lines = text.replace("##[", "# #[").split("\n")
    return "\n".join(f"· {line}" if line.lstrip().startswith("::") else line for line in lines)


def tamed(text: str) -> str:
    """A text of several lines, of which any may come from a spec, an engine or a machine
    elsewhere: printable, and defused."""
    lines = text.expandtabs().split("\n")
    return defused("\n".join(printable(line) for line in lines))


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """Rows under their headings, columns as wide as they must be; ``right`` lists the
    columns that are aligned right."""
    cells = [[printable(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    return "\n".join(_line(row, widths, right) for row in cells)


def _line(row: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> str:
    padded = (
        cell.rjust(width) if i in right else cell.ljust(width)
        for i, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return _GAP.join(padded).rstrip()


def counted(n: int, noun: str) -> str:
    """``1 case``, ``2 cases``."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def duration(seconds: float) -> str:
    """``4.5 s``, ``45 s``, ``3 min 20 s``, ``2 h 05 min``."""
    whole = round(seconds)
    if 0 < seconds < 9.95:
        return f"{seconds:.1f} s"
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min"


def size(count: int) -> str:
    """Bytes in binary units: ``64 MiB``."""
    for scale, unit in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << scale:
            return f"{count / (1 << scale):.4g} {unit}"
    return f"{count} B"
