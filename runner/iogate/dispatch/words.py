"""What a run says while it goes, line by line, and the last of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

_LONGEST_LINE = 1 << 14
_LAST_LINES = 4
_MESSAGE = "iogate: "


@dataclass(slots=True)
class LastWords:
    """As text: the last lines, since one that begins a message."""

    _rest: bytes = b""
    _said: list[str] = field(default_factory=list)

    def take(self, chunk: bytes) -> Iterator[str]:
        """The lines that this ends."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            lines, self._rest = [*lines, self._rest], b""
        for each in lines:
            line = each.decode(errors="replace").rstrip()
            if not line:
                continue
            if line.startswith(_MESSAGE):
                self._said.clear()
            self._said.append(line.strip())
            del self._said[:-_LAST_LINES]
            yield line

    def __str__(self) -> str:
        return "; ".join(self._said).removeprefix(_MESSAGE)
