"""What a history on a server needs of it, whoever's server it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from iogate.errors import StoreError

Row = Mapping[str, Any]


class UnreachableError(StoreError):
    """It does not answer, or says that it cannot now: the same may work later."""


class SetupError(StoreError):
    """It cannot be used as this one is set up: a person has to do something first."""


class RejectedError(StoreError):
    """It refuses these points, and will refuse them whenever they come."""


class Server(Protocol):
    """A time-series server. Every method raises one of the three errors above."""

    def write(self, lines: bytes) -> None:
        """Points as line protocol, kept durably before this returns. RejectedError may leave
        some of them kept."""

    def query(self, text: str) -> Iterable[Row]:
        """The rows that a query gives: its columns and tags by name, in its order."""

    def delete(self, name: str, tags: Mapping[str, str], first_ns: int, last_ns: int) -> None:
        """Remove the points of a measurement with these tags, both ends included."""

    def close(self) -> None:
        """Release connections."""
