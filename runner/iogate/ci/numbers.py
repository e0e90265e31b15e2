"""Numbers in variables."""

from __future__ import annotations

_MOST_DIGITS = 15


def number_of(text: str) -> int:
    """Of a pull request; 0 for what is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0
