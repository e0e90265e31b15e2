"""What is said where a history holds nothing of what is asked for."""

from __future__ import annotations

from collections.abc import Collection

from iogate.cli.table import printable
from iogate.errors import UsageError

_NAMED = 8


def nothing_held(what: str, known: Collection[str]) -> UsageError:
    """``this history holds {what}``, and the specs that it holds nights of."""
    names = ", ".join(printable(name) for name in sorted(known)[:_NAMED])
    more = ", …" if len(known) > _NAMED else ""
    return UsageError(
        f"this history holds {what}",
        remedy=f"it holds nights of: {names}{more}"
        if known
        else "measure with 'iogate run SPEC', or name another history with --store",
    )
