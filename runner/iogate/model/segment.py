"""Which part of a history is the level that something is compared with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Segment:
    """The ids of the runs that have the last accepted level of one case and metric. It began
    at ``since_ns`` (Unix time), None where the history has no other level before it."""

    runs: frozenset[str]
    since_ns: int | None = None
