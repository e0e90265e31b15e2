"""Runs as they are shown: the machine tells those that were killed from those in progress."""

from __future__ import annotations

from collections.abc import Sequence

from iogate.cli.machine import machine
from iogate.cli.say import say
from iogate.cli.table import printable
from iogate.errors import IogateError, UsageError
from iogate.history.killed import as_it_is
from iogate.host.facts import this_host
from iogate.model.run import Run, RunStatus


def seen(runs: Sequence[Run]) -> list[Run]:
    """Each run, interrupted where it is of the machine that ``--machine`` names and nobody measures
    it there. A machine that does not answer hides no history: what it would say is left out, and
    told. UsageError for a machine that there cannot be."""
    if all(run.status is not RunStatus.RUNNING for run in runs):
        return list(runs)
    try:
        sut = machine()
        machine_id = this_host(sut).machine_id
        return [as_it_is(run, sut, machine_id) for run in runs]
    except UsageError:
        raise
    except IogateError as error:
        told = f"{error.what}: whether its runs still go on is not known"
        say(f"iogate: {printable(told)}", err=True)
        return list(runs)
