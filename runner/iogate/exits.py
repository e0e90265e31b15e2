"""What each way to end exits with: decided here and nowhere else. ``iogate.errors`` says what the
codes mean, and which one an error has.

    a run that was judged     judged        what its limits came to; 4 where a repetition failed
    a run that was cut short  cut_short     3 where it was refused, else 4
    a run that is shown       of_run        as its verdict says; 4 without one
    an error                  of_error      its own
    runs on several hosts     of_hosts      the worst of theirs, see there
    what stands beside it     with_faults   4, unless it was a wrong call or refused
    parts that are broken     of_parts      4
    parts that are left out   of_left_out   the highest of theirs
    a search                  of_search     5 where more than one thing is left
    what is open, or unfit    of_open, of_unfit, of_wrong
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from iogate.errors import ExitCode, IogateError, RefusedError

if TYPE_CHECKING:  # every command imports this module, and few need the model
    from iogate.model.spec import OnMissingBaseline
    from iogate.model.verdict import Outcome, RunVerdict

DONE: Final = ExitCode.PASS
WRONG_CALL: Final = ExitCode.USAGE

_OF_LIMITS = {  # by the value of an Outcome
    "fail": ExitCode.FAIL,
    "inconclusive": ExitCode.INCONCLUSIVE,
    "missing-baseline": ExitCode.INCONCLUSIVE,
    "warn": ExitCode.PASS,
    "pass": ExitCode.PASS,
}

_CODES = {int(code): code for code in ExitCode}
_OF_HOSTS = (
    ExitCode.USAGE,
    ExitCode.RUN_FAILED,
    ExitCode.REFUSED,
    ExitCode.FAIL,
    ExitCode.INCONCLUSIVE,
    ExitCode.PASS,
)


def judged(
    limits: Outcome, outcome: Outcome, on_inconclusive: OnMissingBaseline, *, failed: bool
) -> ExitCode:
    """Of a run that got to its end. ``limits`` is what its thresholds came to by the spec's
    policies; ``outcome``, the run's own, is worse where nothing is known of a case without any,
    which blocks where the spec says that what is inconclusive does. ``failed``: a case was."""
    if failed:
        return ExitCode.RUN_FAILED
    blocks = outcome is not limits and on_inconclusive.value == "fail"
    return ExitCode.INCONCLUSIVE if blocks else _OF_LIMITS[limits.value]


def cut_short(errors: Sequence[BaseException]) -> ExitCode:
    """Of a run that was stopped, or that these errors kept from its end, from being kept, or
    its host from being as it was, whatever it measured. Refused in the middle is still
    refused."""
    refused = bool(errors) and isinstance(errors[0], RefusedError)
    return ExitCode.REFUSED if refused else ExitCode.RUN_FAILED


def of_run(verdict: RunVerdict | None) -> ExitCode:
    """As the verdict says, which knows of every fault. Without one a run has failed."""
    return ExitCode.RUN_FAILED if verdict is None else ExitCode(verdict.exit_code)


def of_hosts(codes: Iterable[int]) -> ExitCode:
    """Of runs on several hosts: a wrong call first, then what was not measured, or refused, as
    the verdict is not whole then; then what limits came to. What is no code was ended by a
    signal."""
    known = {_CODES.get(code, ExitCode.RUN_FAILED) for code in codes}
    return next(code for code in _OF_HOSTS if code in known or code is ExitCode.PASS)


def of_unmeasured(code: int) -> ExitCode:
    """Of a host that ended with this code and brought nothing: it has judged nothing, whatever
    it says."""
    return of_hosts([code if was_not_judged(code) else ExitCode.RUN_FAILED])


def was_not_judged(code: int) -> bool:
    """Whether this code says that something was not measured, or not allowed."""
    return of_hosts([code]) in (ExitCode.USAGE, ExitCode.RUN_FAILED, ExitCode.REFUSED)


def was_refused(code: int) -> bool:
    """Whether a run with this code did not begin, and would not on another try."""
    return code in (ExitCode.USAGE, ExitCode.REFUSED)


def was_cut(code: int) -> bool:
    """Whether a run with this code may have been cut short by its host."""
    return _CODES.get(code, ExitCode.RUN_FAILED) is ExitCode.RUN_FAILED


def of_error(error: BaseException) -> ExitCode:
    """Of a command that an error has ended."""
    return error.exit_code if isinstance(error, IogateError) else ExitCode.RUN_FAILED


def with_faults(code: ExitCode, faults: Collection[object]) -> ExitCode:
    """Of a run whose results could not all be kept: that comes before what its limits came to, and
    after a wrong call or a refusal."""
    return ExitCode.RUN_FAILED if faults and not was_refused(code) else code


def of_parts(broken: Collection[object]) -> ExitCode:
    """Of a command that did what it could, where these parts are broken or missing."""
    return with_faults(DONE, broken)


def of_left_out(errors: Iterable[BaseException]) -> ExitCode:
    """Of a command that left out what had these errors."""
    return max(map(of_error, errors), default=DONE)


def of_search(left: int) -> ExitCode:
    """Of a search that has so many candidates left."""
    return DONE if left == 1 else ExitCode.INCONCLUSIVE


def of_open(*, regression: bool) -> ExitCode:
    """Of a gate on the trend: whether a regression is open."""
    return ExitCode.FAIL if regression else DONE


def of_unfit(*, bad: bool) -> ExitCode:
    """Of a look at a host: whether results from it would mislead."""
    return ExitCode.REFUSED if bad else DONE


def of_wrong(bad: Collection[object]) -> ExitCode:
    """Of a look at specs, of which these are wrong."""
    return WRONG_CALL if bad else DONE
