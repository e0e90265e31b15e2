"""What a commit is called: by its hash, and by no name that leads elsewhere tomorrow."""

from __future__ import annotations

import re

_HASH = re.compile(r"[0-9a-f]{7,64}")


def is_commit(text: str) -> bool:
    """Whether a text is the hash of a commit, perhaps cut short. Nothing else is put into a
    command or recorded as one: it may be whatever the author of a change called his branch."""
    return _HASH.fullmatch(text) is not None
