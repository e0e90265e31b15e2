"""Pages made on several CPUs at once, by processes that each hold a copy of what is shown."""

from __future__ import annotations

import gc
import os
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from fcntl import F_SETPIPE_SZ, fcntl
from multiprocessing import get_context
from multiprocessing.connection import Connection

Make = Callable[[], str]
_FEWEST = 16
"""Pages that a helper has to make at least: to begin one takes as long as a page or two."""
_MOST = 8
_AHEAD = 1 << 20
"""Bytes that a helper may be ahead by; what Linux gives to everybody."""


@contextmanager
def made_together(
    makers: Sequence[Make], cpus: int | None = None
) -> Iterator[Iterator[str | None]]:
    """The texts, in the order of what makes them; None for each that the caller has to make:
    all of them where there is one CPU or few pages, and those that cannot be made, whose error
    is then the caller's to tell. ``cpus`` are as many as this process may use.

    Helpers begin at once, and the caller has time for other pages. One that dies leaves its
    pages to the caller."""
    cpus = cpus or len(os.sched_getaffinity(0))
    count = min(cpus, _MOST, len(makers) // _FEWEST) if cpus > 1 else 0
    helpers = [_Helper(makers[share::count]) for share in range(count)]
    try:
        yield (helpers[page % count].page() if count else None for page in range(len(makers)))
    finally:
        for helper in helpers:  # all of them first: each holds ends of those before
            helper.close()
        for helper in helpers:
            helper.join()


class _Helper:
    """A process that makes these pages, in their order."""

    def __init__(self, makers: Sequence[Make]) -> None:
        start = get_context("fork")
        self._pages, into = start.Pipe(duplex=False)
        with suppress(OSError):  # it is slower without
            fcntl(into.fileno(), F_SETPIPE_SZ, _AHEAD)
        self._process = start.Process(target=_help, args=(makers, self._pages, into), daemon=True)
        with warnings.catch_warnings():  # no other thread of ours runs; numpy's sleep
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()
        into.close()

    def page(self) -> str | None:
        """The next one."""
        try:
            return self._pages.recv_bytes().decode("utf-8") or None
        except (EOFError, OSError):
            return None

    def close(self) -> None:
        """It gives up at its next page, if there is one."""
        self._pages.close()

    def join(self) -> None:
        """Wait for its end."""
        self._process.join()


def _help(makers: Sequence[Make], out: Connection, into: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who is asked to stop closes the pipe
    gc.freeze()  # to look at what is shared would copy it
    out.close()
    with suppress(BrokenPipeError):
        for make in makers:
            into.send_bytes(_made(make).encode("utf-8"))


def _made(make: Make) -> str:
    try:
        return make()
    except Exception:  # it is made again where the error is told
        return ""
