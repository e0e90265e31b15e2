"""Watching an engine: progress while it runs, an orderly end when it must stop."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from iogate.engine.base import EngineJob, Stop
from iogate.engine.confined import REFUSALS, SAYS, confined
from iogate.errors import EngineError, RefusedError
from iogate.sut.base import Process, Sut
from iogate.sut.together import later

_TICK_S = 0.2
# After a stop is asked for, an engine that writes its result has this long before it is
# asked more firmly; the last step kills the whole group.
_STEPS = ((0.0, signal.SIGINT), (8.0, signal.SIGTERM), (12.0, signal.SIGKILL))
_LOG_TAIL_LINES = 3
_LINE_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Ending:
    """How an engine ended. ``status`` is negative for a signal."""

    status: int
    stopped: bool
    timed_out: bool

    @property
    def signal_name(self) -> str | None:
        return signal_name(-self.status) if self.status < 0 else None


class _Escalation:
    """Sends the steps, each once, when its time has come."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._began: float | None = None
        self._sent = 0

    @property
    def began(self) -> bool:
        return self._began is not None

    def advance(self) -> None:
        now = time.monotonic()
        self._began = now if self._began is None else self._began
        while self._sent < len(_STEPS) and now - self._began >= _STEPS[self._sent][0]:
            number = _STEPS[self._sent][1]
            self._sent += 1
            if number is signal.SIGKILL:
                self._process.kill_group()
            else:
                self._process.signal(number)


def supervise(
    process: Process,
    *,
    timeout_s: float,
    stop: Stop,
    on_lines: Callable[[list[str]], None],
    on_tick: Callable[[], None] = lambda: None,
) -> Ending:
    """Wait for an engine; ``on_lines`` is called several times a second with the status
    lines that came, which may be none, and ``on_tick`` after it while it runs. Nothing of the
    engine is alive afterwards."""
    deadline = time.monotonic() + timeout_s
    escalation = _Escalation(process)
    timed_out = False
    try:
        while True:
            lines, status = process.look(_TICK_S)
            on_lines(lines)
            if status is not None:
                break
            on_tick()
            timed_out = timed_out or (not escalation.began and time.monotonic() > deadline)
            if stop.requested or timed_out:
                escalation.advance()
    except BaseException:
        process.kill_group()
        raise
    later(partial(process.kill_group))
    return Ending(status, stopped=stop.requested, timed_out=timed_out)


def start_engine(sut: Sut, argv: list[str], job: EngineJob) -> Process:
    """Start an engine with its messages going to the job's log file, on the job's CPUs,
    confined as the job says."""
    plan = ""
    if job.confinement:
        argv, plan = confined(sut, argv, job.confinement)
    argv = ["taskset", "--cpu-list", job.cpus, *argv] if job.cpus else argv
    log = job.log_file
    return sut.start(argv, cwd=job.folder, stdout=log, stderr=log, plan=plan)


def require_started(sut: Sut, ending: Ending, job: EngineJob) -> None:
    """RefusedError with the launcher's own sentence when it did not start the engine."""
    if not job.confinement or ending.status not in REFUSALS:
        return
    lines = log_text(sut, job).splitlines()
    if lines and lines[-1].startswith(SAYS) and not sut.stat(job.result_file):
        raise RefusedError(
            lines[-1].removeprefix(SAYS),
            remedy="the engine was not started; see what has changed on this host",
        )


def require_orderly_end(name: str, ending: Ending, job: EngineJob) -> None:
    """EngineError unless the engine ran to an end of its own."""
    if ending.stopped:
        raise EngineError(f"{name} was interrupted", remedy=_kept(job))
    if ending.timed_out:
        raise EngineError(
            f"{name} did not end within {job.timeout_s:.0f} s and was stopped",
            remedy=f"{_kept(job)}; allow more with --timeout, or shorten the workload",
        )
    if ending.signal_name:
        raise EngineError(f"{name} was killed by {ending.signal_name}", remedy=_kept(job))


def log_text(sut: Sut, job: EngineJob) -> str:
    """All that the engine said."""
    return sut.read_text(job.log_file) or ""


def log_tail(text: str) -> str:
    """The last lines of what an engine said, for a message."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "; ".join(map(line_of, lines[-_LOG_TAIL_LINES:]))


def line_of(text: str) -> str:
    """A line of an engine's, which is kept with the run: whoever wrote the engine chose it."""
    return text if len(text) <= _LINE_CHARACTERS else f"{text[: _LINE_CHARACTERS - 1]}…"


def _kept(job: EngineJob) -> str:
    return f"what it wrote is kept in {job.kept_file or job.result_file}"


def signal_name(number: int) -> str:
    """A signal as people call it."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
