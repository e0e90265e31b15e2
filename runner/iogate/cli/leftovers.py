"""What killed runs have left on this host, for ``iogate doctor``."""

from __future__ import annotations

from iogate.errors import RefusedError
from iogate.host.checks import Finding, Severity
from iogate.host.leftovers import is_untidy, tidy
from iogate.host.locks.host_lock import HeldError, host_lock
from iogate.sut.base import Sut


def leftovers_finding(sut: Sut) -> Finding | None:
    """Put back and remove what killed runs have left, and say so; None when nothing waits."""
    if not is_untidy(sut):
        return None
    try:
        with host_lock(sut, "doctor"):
            tidied = tidy(sut)
    except HeldError as error:
        what = "a run measures now, with settings that it puts back at its end"
        return Finding(Severity.WARN, what, error.remedy)
    except RefusedError as error:
        return Finding(Severity.BAD, error.what, error.remedy)
    if tidied.left:
        return Finding(Severity.WARN, "; ".join(tidied.left), "then run iogate doctor again")
    return Finding(Severity.OK, "; ".join(tidied.done) or "put back by the run itself just now")
