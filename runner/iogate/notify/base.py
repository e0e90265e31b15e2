"""What a way to tell people must do. One file a way; the registry is in ``iogate.notify``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol
from unicodedata import category

from iogate.errors import RunError
from iogate.model.notice import Notice

_ENDS = ("Zl", "Zp")  # of lines and paragraphs


@dataclass(frozen=True, slots=True)
class News:
    """A notice, and the names of the specs that have what it tells, its own among them."""

    notice: Notice
    specs: tuple[str, ...]


class Channel(Protocol):
    """Where notices go."""

    def send(self, notice: Notice) -> None:
        """Hand it over; RunError where that fails. It may be tried again later, so nothing may be
        handed over where an error is raised, as far as that can be known."""


def not_taken(who: str, why: str) -> RunError:
    """The error of a notice that could not be handed over."""
    return RunError(
        f"{who} did not take a notice: {why}",
        remedy="the next iogate notify tries it again; iogate notify --test sends one to try with",
    )


def one_line(text: str) -> str:
    """One line without control characters, or what else ends a line: names come from specs and
    from machines elsewhere."""
    return "".join("\ufffd" if category(c)[0] == "C" or category(c) in _ENDS else c for c in text)
