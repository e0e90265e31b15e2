"""What a word that is none was meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

from iogate.files.bounds import SUGGESTED_FROM, SUGGESTED_LENGTH


def suggest(word: str, known: Iterable[str]) -> str:
    """``did you mean 'iodepth'?``, or nothing when no known word is near."""
    if len(word) > SUGGESTED_LENGTH:
        return ""
    names = islice((name for name in known if len(name) <= SUGGESTED_LENGTH), SUGGESTED_FROM)
    near = difflib.get_close_matches(word.lower(), names, n=2, cutoff=0.7)
    return f"did you mean {' or '.join(repr(name) for name in near)}?" if near else ""
