"""What the tables promise, and which promises did not hold."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Promises:
    """What was promised and did not hold."""

    broken: int = 0

    def mark(self, text: str, *, holds: bool) -> str:
        """The text, bold where it breaks a promise."""
        self.broken += not holds
        return text if holds else f"**{text}**"
