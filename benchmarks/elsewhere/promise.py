"""A row of the table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Promise:
    """What was seen, and what is promised of it; ``holds`` is None where nothing is."""

    what: str
    seen: str
    promised: str = ""
    holds: bool | None = None

    def __str__(self) -> str:
        held = {True: "holds", False: "**does not hold**", None: ""}[self.holds]
        return f"| {self.what} | {self.seen} | {self.promised} | {held} |"
