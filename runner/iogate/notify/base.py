"""What a way to tell people must do. One file a way; the registry is in ``iogate.notify``."""

from __future__ import annotations

from typing import Protocol
from unicodedata import category

from iogate.errors import RunError
from iogate.model.notice import Notice


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
    """One line without control characters: names come from specs."""
    return "".join(c if category(c)[0] != "C" else "\ufffd" for c in text)
