"""Telling of a fault that leaves out a part of what was asked for; the rest goes on."""

from __future__ import annotations

import os
import traceback

from iogate.cli.say import say
from iogate.errors import IogateError


def tell_fault(what: str, error: Exception) -> None:
    """Say on stderr what is left out and why; of a fault of iogate's own where it comes from,
    if IOGATE_TRACEBACK is set."""
    if isinstance(error, IogateError):
        _say(f"iogate: {what} is left out: {error}")
        return
    if os.environ.get("IOGATE_TRACEBACK"):
        trace_fault(what, error)
        return
    _say(
        f"iogate: {what} is left out: internal error: {type(error).__name__}: {error}\n"
        "  this is a fault of iogate; run again with IOGATE_TRACEBACK=1 and report what it prints"
    )


def trace_fault(what: str, error: Exception) -> None:
    """Say on stderr what could not be made, and where that comes from."""
    trace = "".join(traceback.format_exception(error)).rstrip()
    _say(f"iogate: {what} could not be made\n{trace}")


def _say(text: str) -> None:
    say(text, err=True)
