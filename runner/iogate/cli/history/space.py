"""The space of what was removed from a history."""

from __future__ import annotations

from contextlib import suppress

from iogate.cli.history.shown import SHORT_ID
from iogate.cli.machine import machine
from iogate.cli.say import say
from iogate.errors import IogateError
from iogate.history.killed import measured_now
from iogate.host.facts import this_host
from iogate.store import Store, sqlite_path


def give_back(store: Store, url: str | None) -> None:
    """Make the file of a history smaller, where there is one. For as long as that takes nothing
    can be kept in it, and a run that is being measured would end: then it keeps its size."""
    run_id = ""
    with suppress(IogateError):  # a machine that does not answer keeps nobody from removing
        sut = machine()
        run_id = measured_now(store, sut, this_host(sut).machine_id)
    if not run_id:
        store.compact()
    elif sqlite_path(url):
        say(
            f"run {run_id[:SHORT_ID]} is being measured: the file keeps its size, and what is free"
            " in it is used by later runs",
            err=True,
        )
