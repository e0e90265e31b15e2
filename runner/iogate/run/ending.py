"""How a run that has begun comes to its end: judged, kept and told of, whatever happened. What
went wrong on the way is a fault; the exit code is decided here alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from iogate.errors import ExitCode, IogateError, RefusedError
from iogate.files.run_folder import RunFolder
from iogate.model.run import Run, RunStatus
from iogate.model.verdict import WORST_FIRST, Outcome, RunVerdict
from iogate.store import Store

T = TypeVar("T")
_STOPPED = "it was stopped before its end"


@dataclass(slots=True)
class Ending:
    """A run that has begun. ``errors`` are what kept it from its end, and ``notes`` what people
    should know beside the verdict."""

    run: Run
    folder: RunFolder
    store: Store
    errors: list[BaseException] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

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
        outcome = verdict.outcome
        if not whole:
            outcome = min(outcome, Outcome.INCONCLUSIVE, key=WORST_FIRST.index)
        return replace(
            verdict,
            outcome=outcome,
            exit_code=int(self._exit_code()),
            sentence=_sentence(verdict, fault),
            fault=fault,
        )

    def _exit_code(self) -> ExitCode:
        """Refused in the middle is still refused; all else is a run that failed."""
        refused = self.errors and isinstance(self.errors[0], RefusedError)
        return ExitCode.REFUSED if refused else ExitCode.RUN_FAILED


def in_words(error: BaseException) -> str:
    """A fault in a sentence."""
    if isinstance(error, IogateError):
        return error.what
    if isinstance(error, KeyboardInterrupt):
        return "it was ended at once"
    if isinstance(error, OSError):
        return f"{error.filename or 'input or output'}: {error.strerror or error}"
    return f"internal error: {type(error).__name__}: {error}"


def _sentence(verdict: RunVerdict, fault: str) -> str:
    """The fault first, and behind it what the limits say of what was measured. A repetition that
    failed of the same fault does not say it again."""
    said = verdict.sentence.removeprefix("run failed: ")
    return f"run failed: {fault}" if fault in said else f"run failed: {fault}; {said}"
