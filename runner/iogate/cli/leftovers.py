"""What a killed run has left changed on this host, for ``iogate doctor``."""

from __future__ import annotations

from iogate.errors import RefusedError
from iogate.host.checks import Finding, Severity
from iogate.host.journal import is_left, restore_left
from iogate.host.lock import HeldError, host_lock
from iogate.sut.base import Sut


def leftovers_finding(sut: Sut) -> Finding | None:
    """Put back what a killed run has changed, and say so; None when nothing waits."""
    if not is_left(sut):
        return None
    try:
        with host_lock("doctor"):
            done = restore_left(sut)
    except HeldError as error:
        found = "a run measures now, with settings that it puts back at its end"
        return Finding(Severity.WARN, found, error.remedy)
    except RefusedError as error:
        return Finding(Severity.BAD, error.what, error.remedy)
    return Finding(Severity.OK, "; ".join(done) or "put back by the run itself just now")
