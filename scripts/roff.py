"""A page of man(7), which groff and mandoc read alike."""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import wrap

WIDTH = 80
_CODE = re.compile(r"`([^`\n]+)`")
# What a terminal would otherwise show as a quotation mark or an accent of print.
_SIGNS = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"}


class Page:
    """A page that is written from its top to its end."""

    def __init__(self, name: str, section: int, version: str) -> None:
        self.name, self.section = name, section
        # No date: the same sources give the same page.
        self._lines = [f'.TH {escaped(name.upper())} {section} "" "iogate {version}"', ".nh"]

    def heading(self, text: str) -> None:
        self._lines.append(f'.SH "{escaped(text.upper())}"')

    def below(self, text: str) -> None:
        """A heading under the last one."""
        self._lines.append(f'.SS "{escaped(text)}"')

    def plain(self, line: str) -> None:
        """Right behind a heading: the line that NAME and SYNOPSIS have."""
        self._lines.append(line)

    def paragraph(self, text: str) -> None:
        self._apart()
        self._lines += _filled(text)

    def item(self, term: str, text: str) -> None:
        """A term, and what it is, indented."""
        self._lines += [".TP", bold(term), *_filled(text)]

    def example(self, lines: Iterable[str]) -> None:
        """Lines as they are."""
        self._apart()
        self._lines += [".RS 4", ".nf", *map(_line, lines), ".fi", ".RE"]

    def _apart(self) -> None:
        """A paragraph begins; right behind a heading it has begun."""
        if not self._lines[-1].startswith((".SH", ".SS")):
            self._lines.append(".PP")

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"


def escaped(text: str) -> str:
    """Text in which nothing is an instruction."""
    text = "".join(_SIGNS.get(sign, sign) for sign in text)
    return "".join(sign if sign.isascii() else f"\\[u{ord(sign):04X}]" for sign in text)


def bold(text: str) -> str:
    """As it is typed."""
    return f"\\fB{escaped(text)}\\fR"


def _filled(text: str) -> list[str]:
    """Lines of source, with what stands between backquotes in bold."""
    parts = _CODE.split(" ".join(text.split()))
    made = "".join(bold(part) if odd % 2 else escaped(part) for odd, part in enumerate(parts))
    lines = wrap(made, WIDTH, break_long_words=False, break_on_hyphens=False)
    return [_protected(line) for line in lines]


def _line(text: str) -> str:
    return _protected(escaped(text.rstrip()))


def _protected(line: str) -> str:
    """A line that begins with a dot is an instruction, and an empty one is bad form."""
    return f"\\&{line}" if line.startswith(".") or not line else line
