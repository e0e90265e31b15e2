"""Plain text for a terminal or a log: tables, and names made safe to print."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from itertools import accumulate
from unicodedata import category, east_asian_width

_GAP = "  "
_LEAST_NAME = 20
_LONGEST_CELL = 300  # columns; a history from elsewhere may have names of any length


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


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[int] = (),
    width: int | None = None,
    sentences: bool = False,
) -> str:
    """Rows under their headings, columns as wide as they must be; ``right`` lists the
    columns that are aligned right. Where a row does not go into ``width``, the first column is
    cut in the middle, where names differ least; any cell of more than 300 columns is, but for
    ``sentences`` in the last column."""
    last = printable if sentences else cell_of
    cells = [[*map(cell_of, row[:-1]), last(row[-1])] for row in (head, *rows)]
    widths = [max(columns_of(row[i]) for row in cells) for i in range(len(head))]
    if width is not None and rows:
        rest = sum(widths[1:]) + len(_GAP) * (len(head) - 1)
        widths[0] = min(widths[0], max(width - rest, _LEAST_NAME, columns_of(head[0])))
        cells = [[_cut(row[0], widths[0]), *row[1:]] for row in cells]
    return "\n".join(_line(row, widths, right) for row in cells)


def cell_of(text: str) -> str:
    """A text as it stands in a table: printable, and cut in the middle where it is too long."""
    return _cut(printable(text), _LONGEST_CELL)


def terminal_width() -> int | None:
    """How many columns stdout shows a line in; None where it is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def columns_of(text: str) -> int:
    """How many columns of a terminal a text takes: two for a wide character of East Asia or an
    emoji, none for a mark on the one before."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if category(character) in ("Mn", "Me"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def _cut(text: str, width: int) -> str:
    """The text in at most so many columns, cut in the middle."""
    if columns_of(text) <= width:
        return text
    head = _beginning(text, (width - 1) * 2 // 3)
    tail = _beginning(text[::-1], width - 1 - columns_of(head))[::-1]
    return f"{head}…{tail}"


def _beginning(text: str, width: int) -> str:
    """As much of the text as goes into so many columns."""
    ends = accumulate(map(_columns, text))
    return text[: sum(end <= width for end in ends)]


def _line(row: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> str:
    padded = []
    for i, (cell, width) in enumerate(zip(row, widths, strict=True)):
        air = " " * (width - columns_of(cell))
        padded.append(air + cell if i in right else cell + air)
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
