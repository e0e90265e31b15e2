"""A command as others may see it: it stands in reports, comments, histories and the host lock."""

from __future__ import annotations

import re
from collections.abc import Iterable

_USER = re.compile(r"://[^/\s]*@")  # a user, a password or a token, before a host


def without_credentials(words: Iterable[str]) -> tuple[str, ...]:
    """The words, without what a URL says before its host."""
    return tuple(_USER.sub("://", word) for word in words)
