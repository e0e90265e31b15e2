"""The targets of a run: how its plan uses them, and that nobody else does meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from iogate.errors import IogateError, RefusedError
from iogate.files.data_folder import data_folder
from iogate.files.run_folder import DEFAULT_PARENT
from iogate.host.locks.device_locks import device_locks, folder_locks, used_devices, used_folders
from iogate.host.locks.host_lock import Patience
from iogate.host.targets.borrowing import borrowed
from iogate.host.targets.check import Use, check_targets, resolved
from iogate.jobs import estimate
from iogate.model.plan import Plan
from iogate.run.request import Request
from iogate.store import sqlite_files


def uses_of(plan: Plan) -> tuple[Use, ...]:
    """How the plan uses each of its targets, in order of first use."""
    uses = []
    for name in dict.fromkeys(case.target.name for case in plan.cases):
        cases = [case for case in plan.cases if case.target.name == name]
        uses.append(
            Use(
                target=cases[0].target,
                writes=any(estimate.writes(case) or estimate.shows(case) for case in cases)
                or (plan.precondition is not None and cases[0].target.destroy is not None),
                bytes_needed=estimate.bytes_needed(cases),
                files=tuple(dict.fromkeys(f for case in cases for f in estimate.file_names(case))),
                shows=any(map(estimate.shows, cases)),
            )
        )
    return tuple(uses)


def check_uses(request: Request, uses: Sequence[Use]) -> None:
    """RefusedError for the first target that may not be measured as the request has it."""
    kept = tuple(_kept(request)) if request.sut.is_here else ()
    check_targets(request.sut, uses, trusted=request.trusted, kept=kept)


def _kept(request: Request) -> Iterator[str]:
    """Files and folders of the controller in which this run, or an earlier one, is kept."""
    yield DEFAULT_PARENT
    if request.output:
        yield str(request.output)
    with suppress(RefusedError):
        yield str(data_folder())
    with suppress(IogateError):  # of a store that there cannot be, the run tells
        yield from map(str, sqlite_files(request.store))


@contextmanager
def taken(request: Request, plan: Plan, patience: Patience) -> Iterator[Sequence[Use]]:
    """The targets of a plan, resolved and checked, their devices lent to this user where they
    have to be, and locked."""
    sut = request.sut
    planned = uses_of(plan)
    # What is lent is taken back from all runs at once: who shares the host borrows nothing.
    with borrowed(sut, used_devices(sut, planned) if plan.exclusive else ()):
        uses = resolved(sut, planned)
        check_uses(request, uses)
        folders = () if plan.exclusive else used_folders(uses)
        with (
            device_locks(sut, used_devices(sut, uses), patience),
            folder_locks(sut, folders, patience),
        ):
            yield uses
