"""What ids look like: each may become the name of a file, and the key of a row."""

from __future__ import annotations

import re

_CASE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)
_OF_SPEC = re.compile(r"[0-9a-f]{16}")
_LONGEST = 255  # of a file's name


def is_run_id(text: str) -> bool:
    """Whether a text can be the id of a run: 32 digits of iogate's own, or the name of the folder
    that a broken run was found in."""
    return 0 < len(text) <= _LONGEST and text.isprintable() and _is_name(text)


def is_case_id(text: str) -> bool:
    """Whether a text can be the id of a case, and the name of its files. Those of a spec have 16
    digits; what iogate measures for itself, as a precondition, has words."""
    return _CASE_ID.fullmatch(text) is not None


def is_spec_case_id(text: str) -> bool:
    """Whether a text has the form of the id of a case of a spec."""
    return _OF_SPEC.fullmatch(text) is not None


def _is_name(text: str) -> bool:
    return "/" not in text and text not in (".", "..")
