"""How a run that has begun comes to its end: judged, kept and told of, whatever happened. What
went wrong on the way is a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from iogate import exits
from iogate.errors import IogateError
from iogate.files.run_folder import RunFolder
from iogate.model.run import Run, RunStatus
from iogate.model.verdict import RunVerdict
from iogate.run.measure import Bench
from iogate.store import Store

T = TypeVar("T")
_STOPPED = "it was stopped before its end"


@dataclass(slots=True)
class Ending:
    """A run on its way: begun once it has a folder, and ``entered`` once the history has it.
    ``errors`` are what kept it from its end, and ``notes`` what people should know beside the
    verdict."""

    run: Run
    store: Store
    _folder: RunFolder | None = None
    errors: list[BaseException] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    entered: bool = False

    @property
    def folder(self) -> RunFolder:
        """Of a run that has begun."""
        assert self._folder is not None
        return self._folder

    def begin(self, folder: RunFolder) -> None:
        """From now on the run is kept, however it ends."""
        self.run = replace(self.run, folder=str(folder.root))
        self._folder = folder

    @contextmanager
    def faults_kept(self) -> Iterator[None]:
        """What goes wrong inside is a fault of a run that has begun, and raised where it has
        not."""
        try:
            yield
        except (Exception, KeyboardInterrupt) as error:
            if self._folder is None:
                raise
            self.errors.append(error)  # of the host that could not be put back, say

    def measure(self, bench: Bench, way: Callable[[Run, Bench], Run]) -> None:
        """All repetitions. Whatever ends them early, what there is stays."""
        try:
            self.run = way(self.run, bench)
        except (Exception, KeyboardInterrupt) as error:
            self.errors.append(error)
            interrupted = isinstance(error, KeyboardInterrupt) or bench.stop.requested
            self.run = replace(
                self.run,
                measurements=tuple(bench.kept.measurements),
                failures=tuple(bench.kept.failures),
                preconditions=tuple(bench.kept.preconditions),
                status=RunStatus.INTERRUPTED if interrupted else RunStatus.FAILED,
            )

    def attempt(self, step: Callable[[], T], otherwise: T) -> T:
        """What a step gives. One that fails is a fault, and keeps none of the others from being
        done."""
        try:
            return step()
        except Exception as error:
            self.errors.append(error)
            return otherwise

    def judged(self, verdict: RunVerdict) -> RunVerdict:
        """A verdict with what has gone wrong so far: a run that did not get to its end has not
        passed, and one that could not be kept, or whose host is not as it was, exits with 4,
        whatever it measured."""
        whole = self.run.status is RunStatus.COMPLETE
        fault = "; ".join(dict.fromkeys(map(in_words, self.errors)))
        if self.run.status is RunStatus.INTERRUPTED and not fault:
            fault = _STOPPED
        if not fault:
            return verdict
        return verdict.after(fault, int(exits.cut_short(self.errors)), whole=whole)


def in_words(error: BaseException) -> str:
    """A fault in a sentence."""
    if isinstance(error, IogateError):
        return error.what
    if isinstance(error, KeyboardInterrupt):
        return "it was ended at once"
    if isinstance(error, OSError):
        return f"{error.filename or 'input or output'}: {error.strerror or error}"
    return f"internal error: {type(error).__name__}: {error}"
