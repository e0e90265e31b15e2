"""A command's repetition: its programs, and a folder of its own in the target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from iogate.engine.base import EngineJob
from iogate.engine.command import program_names
from iogate.engine.programs import found_programs
from iogate.errors import RunError
from iogate.host.sandbox import Sandbox
from iogate.host.stage import drop_caches
from iogate.host.targets.places import place_of
from iogate.host.targets.scratch import scratch_directory
from iogate.model.environment import DropCaches
from iogate.model.plan import Case
from iogate.sut.base import Sut

_SYNC_TIMEOUT_S = 3600.0


def check_programs(sut: Sut, cases: Iterable[Case]) -> None:
    """RefusedError for a program that a command names and the machine does not have."""
    commands = [case.command for case in cases if case.command]
    if names := [name for command in commands for name in program_names(command)]:
        found_programs(sut, names)


@contextmanager
def in_own_folder(
    case: Case, asked: EngineJob, sandbox: Sandbox, token: str, tell: Callable[[str], None]
) -> Iterator[EngineJob]:
    """The job of a case, of a command in a fresh folder in its target, which is removed on leaving;
    ``tell`` hears of one that could not be."""
    if case.command is None:
        yield asked
        return
    sut, (target,) = sandbox.sut, asked.places
    with scratch_directory(sut, target.path, token, tell) as path:
        place = place_of(sut, path)
        yield replace(
            asked,
            places=(place,),
            folder=path,
            confinement=sandbox.around_program(place),
            command=case.command,
            command_name=case.jobs[0].name,
            on_prepared=lambda: _settle(sut, case, path),
        )


def _settle(sut: Sut, case: Case, path: str) -> None:
    """What was prepared is written out, so that the measured program does not pay for it, and
    forgotten where a repetition begins with an empty cache."""
    wanted = case.environment.drop_caches if case.environment else None
    if wanted is DropCaches.BEFORE_REPETITION:
        drop_caches(sut)
        return
    done = sut.run(["sync", "-f", path], timeout_s=_SYNC_TIMEOUT_S)
    if done.status:
        raise RunError(f"sync failed: {done.stderr.strip()}")
