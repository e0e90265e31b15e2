"""Jobs in the queue and on their nodes, until all of them have ended."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from iogate.dispatch.base import Ended, Share, Tell
from iogate.dispatch.slurm import programs
from iogate.dispatch.slurm.programs import Job
from iogate.dispatch.words import LastWords
from iogate.engine.base import Stop
from iogate.errors import IogateError, RefusedError, RunError
from iogate.exits import of_error, of_run
from iogate.files import bounded

_LOOK_S = 0.2
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 10.0
"""Between two looks at the queue, whose controller serves many."""
_SEEN_S = 15.0
"""So long it may take until a file that a node wrote is seen here."""
_SILENT_S = 300.0
_AT_ONCE_S = 30.0
_CHUNK = 1 << 20
_CODE_BYTES = 64
_NO_NEWS = (programs.GONE, "COMPLETING", "COMPLETED", "FAILED")
"""States that say less than the run itself does."""


@dataclass(slots=True)
class Task:
    """A share in the queue; ``log`` is what its run says, ``code`` its exit code in the end."""

    share: Share
    job: str
    log: Path
    code: Path
    now: Job = field(default_factory=lambda: Job(state=""))
    ended: Ended | None = None
    words: LastWords = field(default_factory=LastWords)
    _read: int = 0
    _over_at: float = 0.0

    def look(self, job: Job, tell: Tell) -> None:
        """What has changed since the last look."""
        if job.state not in {self.now.state, *_NO_NEWS}:
            why = f": {job.why}" if job.state == "PENDING" and job.why != "None" else ""
            on = f" on {job.node}" if job.node else ""
            tell(f"job {self.job}: {job.state.lower()}{on}{why}")
        self.now = Job(job.state, job.node or self.now.node, job.why)
        self._tell_log(tell)
        if job.has_ended:
            self._end()

    def _tell_log(self, tell: Tell) -> None:
        with suppress(OSError), os.fdopen(bounded.open_file(self.log), "rb") as file:
            file.seek(self._read)
            chunk = file.read(_CHUNK)
            self._read += len(chunk)
            for line in self.words.take(chunk):
                tell(f"{self.now.node}: {line}")

    def _end(self) -> None:
        with suppress(OSError, ValueError):
            code = int(bounded.read_text(self.code, _CODE_BYTES))
            self.ended = Ended(self.share, self._host, code, str(self.words), replaceable=False)
            return
        if self.now.lost_its_node:
            told = f"{self._host} was lost ({self.now.state})"
            self.ended = Ended(self.share, self._host, int(of_run(None)), told)
            return
        self._over_at = self._over_at or time.monotonic()
        cancelled = self.now.state == "CANCELLED"
        if cancelled or time.monotonic() - self._over_at > _SEEN_S:
            self.give_up(RunError(f"job {self.job} ended with {self.now.state}: {self._why()}"))

    def give_up(self, error: IogateError) -> None:
        """It ends here, for a reason that another node would not change."""
        code = int(of_error(error))
        self.ended = Ended(self.share, self._host, code, error.what, replaceable=False)

    def _why(self) -> str:
        if self.now.state == "CANCELLED":
            return "it was cancelled"
        if str(self.words):
            return str(self.words)
        if self.log.exists():
            return "its run did not get to its end"
        return (
            f"it wrote nothing into {self.log.parent}, which all nodes and this host have to share"
        )

    @property
    def _host(self) -> str:
        return self.now.node or self.share.host or "no node"


class Watch:
    """All tasks of a round. ``hopeless`` says why no node will take what waits for a host, or for
    any ("")."""

    def __init__(
        self, tell: Tell, stop: Stop, hopeless: Callable[[Collection[str]], Mapping[str, str]]
    ) -> None:
        self._tell, self._stop, self._hopeless = tell, stop, hopeless
        self._tasks: list[Task] = []
        self._answered_at = time.monotonic()
        self._asked_to_end = False

    def add(self, task: Task) -> None:
        self._tasks.append(task)

    def until_all_ended(self) -> list[Ended]:
        """In the order in which they were added. A stop cancels them, and what they have is
        kept; a second one kills them."""
        try:
            self._follow(None)
        except KeyboardInterrupt:
            self.cancel(at_once=True)
            self._follow(time.monotonic() + _AT_ONCE_S)
        for task in self._open():
            task.give_up(RunError(f"job {task.job} was told to end and did not"))
        return [task.ended for task in self._tasks if task.ended]

    def cancel(self, *, at_once: bool = False) -> None:
        """Leave nothing in the queue, or on a node."""
        with suppress(IogateError):  # a controller that is away is told where it is waited for
            programs.cancel(dict.fromkeys(task.job for task in self._open()), at_once=at_once)

    def _open(self) -> list[Task]:
        return [task for task in self._tasks if task.ended is None]

    def _follow(self, deadline: float | None) -> None:
        pause = _FIRST_PAUSE_S
        while waiting := self._open():
            if self._stop.requested and not self._asked_to_end:
                self._asked_to_end, pause = True, _FIRST_PAUSE_S
                self.cancel()
            self._look(waiting)
            if deadline and time.monotonic() > deadline:
                return
            if self._open():
                self._sleep(pause)
                pause = min(pause * 1.5, _LONGEST_PAUSE_S)

    def _look(self, waiting: Sequence[Task]) -> None:
        try:
            known = programs.jobs([task.job for task in waiting])
            for task in waiting:
                task.look(known.get(task.job, Job()), self._tell)
            self._end_hopeless()
            self._answered_at = time.monotonic()
        except RefusedError as error:  # the controller may be back soon; jobs go on meanwhile
            if time.monotonic() - self._answered_at > _SILENT_S:
                raise RunError(error.what, remedy=error.remedy) from error

    def _end_hopeless(self) -> None:
        """What waits for a node that will not come. One that is busy will."""
        pending = [task for task in self._open() if task.now.state == "PENDING"]
        if not pending:
            return
        why = self._hopeless({task.share.host for task in pending})
        given_up = [task for task in pending if why[task.share.host]]
        programs.cancel([task.job for task in given_up])
        for task in given_up:
            task.give_up(RefusedError(why[task.share.host]))

    def _sleep(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and (self._asked_to_end or not self._stop.requested):
            time.sleep(_LOOK_S)
