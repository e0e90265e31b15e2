"""What both engines say about themselves and about a failed job, in the same words."""

from __future__ import annotations

import os

from iogate.engine.base import EngineInfo, EngineResult
from iogate.engine.confined import ask
from iogate.engine.process import line_of, log_tail
from iogate.errors import EngineError, RunError
from iogate.model.confinement import Confinement
from iogate.sut.base import Sut

_VERSION_CHARACTERS = 200  # it is a fact of each run, and whoever wrote the engine chose it
_NAMED = 8  # of jobs that failed: the sentence is kept, and stands in reports and comments
_START = (
    "where its filesystem is mounted noexec, set XDG_STATE_HOME there to a folder on another one, "
    "or IOGATE_ENGINE there to an engine that starts"
)


def ask_info(
    sut: Sut, name: str, path: str, confinement: Confinement | None, *, called: str = ""
) -> EngineInfo:
    """Version and ioengines of the program at ``path``; EngineError if it cannot say, or calls
    itself otherwise than ``called``."""
    try:
        version = ask(sut, [path, "--version"], confinement)
        engines = ask(sut, [path, "--enghelp"], confinement)
    except RunError as error:
        raise EngineError(
            f"{path} does not start: {error.what}", remedy=error.remedy or _START
        ) from error
    if version.status or not version.stdout.strip():
        raise EngineError(
            f"{path} --version ended with status {version.status}: {log_tail(version.stderr)}",
            remedy="is this an engine of this machine's kind? Set IOGATE_ENGINE to one that is",
        )
    if not version.stdout.startswith(called):
        raise EngineError(
            f"{path} is no {called}: it says that it is {version.stdout.splitlines()[0]}",
            remedy=f"unset IOGATE_ENGINE on that machine, or let it name an {called}",
        )
    return EngineInfo(
        name=name,
        path=path,
        version=version.stdout.split()[-1].rpartition("-")[2][:_VERSION_CHARACTERS],
        ioengines=_indented(engines.stdout),
    )


def _indented(text: str) -> tuple[str, ...]:
    """The names in a --enghelp listing: one on each indented line."""
    lines = (line for line in text.splitlines() if line[:1].isspace() and line.strip())
    return tuple(line.split()[0] for line in lines)


def require_jobs_ok(program: str, result: EngineResult, status: int, said: str) -> None:
    """EngineError naming the jobs whose I/O failed, or when the result is only a part."""
    if result.interrupted:
        raise EngineError(
            f"{program} was stopped by a signal that iogate did not send",
            remedy="what it measured until then is kept beside the job file, and not judged",
        )
    failed = {job.name: os.strerror(job.error) for job in result.jobs if job.error}
    if failed:
        told = [line_of(f"job {name}: {reason}") for name, reason in failed.items()]
        more = len(told) - _NAMED
        rest = [f"and {more:,} more jobs"] if more > 0 else []
        reasons = ", ".join((*told[:_NAMED], *rest))
        raise EngineError(reasons, remedy=f"{program} said: {said}" if said else "")
    if status:
        raise EngineError(f"{program} ended with status {status}: {said or 'it said nothing'}")
