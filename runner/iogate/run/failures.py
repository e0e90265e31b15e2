"""A repetition that gave nothing, and what it tells all the same: how many I/Os failed, as far as
the engine counted them, and what the kernel said meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from iogate.engine.fio import last_document
from iogate.engine.result import parse_result
from iogate.errors import EngineError, IogateError, RefusedError
from iogate.files.bounded import read_bytes
from iogate.files.bounds import DOCUMENT_BYTES
from iogate.files.run_folder import RunFolder
from iogate.host.kernel_log import in_words
from iogate.metrics.faults import KERNEL_ERRORS
from iogate.metrics.system import own_troubles
from iogate.model.measurement import Disturbance, KernelTrouble, Measurement, Whose
from iogate.model.plan import Case
from iogate.model.run import CaseFailure

_OF_A_DISK = frozenset(
    [
        "EIO",
        "EROFS",
        "ENODATA",
        "EREMOTEIO",
        "ENXIO",
        "ENODEV",
        "ETIMEDOUT",
        "ENOLINK",
        "EBADE",
        "EUCLEAN",
        "ESHUTDOWN",
    ]
)
"""What a disk or filesystem in trouble answers with. What differs from what was written
(``EILSEQ``) is no trouble that goes by, and a full one no trouble of a disk."""


def failure_of(
    place: tuple[str, int],
    error: IogateError,
    folder: RunFolder,
    kernel_log: tuple[KernelTrouble, ...] | None,
    *,
    why: str = "",
    stopped: bool = False,
) -> CaseFailure:
    """The failure of a repetition, by case id and number. ``why`` stands before the reason;
    ``stopped``: somebody asked iogate to end."""
    case_id, repetition = place
    faultless = stopped or isinstance(error, RefusedError)
    return CaseFailure(
        case_id,
        repetition,
        f"{why}{_reason(error, kernel_log)}",
        errors={} if faultless else told_errors(folder.raw_file(case_id, repetition)),
        kernel_log=kernel_log,
        faultless=faultless,
    )


def again_within(
    failure: CaseFailure, before: Iterable[Measurement | CaseFailure], spoiled: int, most: int
) -> CaseFailure:
    """The failure, marked where it is measured again: its own disk failed, nothing else, and of
    ``most`` repetitions (in a comparison: blocks) that may be, so many are ``spoiled`` so far.
    ``before`` are those of the run until now."""
    # Its tenth line in five seconds is the last that a kernel writes of I/O errors.
    told = any(
        own_troubles(attempt.kernel_log)
        for attempt in (failure, *before)
        if attempt.case_id == failure.case_id
    )
    if not told or not _is_of_a_disk(failure):
        return failure
    if spoiled < most:
        text = "its own disk failed, so it is measured again"
        return replace(failure, reason=f"{failure.reason}; {text}", again=True)
    text = f"its own disk failed, and it is measured again at most {most} times (validity.again)"
    return replace(failure, reason=f"{failure.reason}; {text}")


def _is_of_a_disk(failure: CaseFailure) -> bool:
    """Every error that the engine counted is. One that crashed, or was slow, has counted none:
    then there may be more to it."""
    names = {name for job in failure.errors.values() for name, count in job.items() if count}
    return bool(names) and names <= _OF_A_DISK and not failure.faultless


def told_errors(raw: Path) -> dict[str, dict[str, int]]:
    """The errors of each job, by the name of their errno, that a result tells of; empty where
    there is none, or nobody counted."""
    try:
        document = last_document(read_bytes(raw, DOCUMENT_BYTES).decode(errors="replace"))
        result = parse_result(document) if document else None
    except (OSError, EngineError):
        return {}
    errors: dict[str, dict[str, int]] = {}
    for job in result.jobs if result else ():
        counts = errors.setdefault(job.name, {})
        for name, count in job.errors.items():
            counts[name] = counts.get(name, 0) + count
    return errors if any(errors.values()) else {}


def faults_around(
    case: Case, kernel_log: Sequence[KernelTrouble] | None
) -> tuple[Disturbance, ...]:
    """What the kernel told of the target's own stack while a repetition went on: its numbers are
    those of a disk in trouble, whatever limits count the fault itself. Nothing for a case whose
    spec has a limit on ``kernel_errors``: there they are a part of what is measured."""
    lines = own_troubles(kernel_log) or 0
    if not lines or any(each.metric == KERNEL_ERRORS for each in case.thresholds):
        return ()
    own = [trouble for trouble in kernel_log or () if trouble.whose is Whose.TARGET]
    text = f"the kernel told of the target: {in_words(own)}"
    return (Disturbance(KERNEL_ERRORS, lines, 0, "", text),)


def _reason(error: IogateError, log: tuple[KernelTrouble, ...] | None) -> str:
    """Why a repetition gave nothing, with what the kernel told of the target and the host."""
    told = [trouble for trouble in log or () if trouble.whose is not Whose.ELSEWHERE]
    return f"{error.what}; the kernel's log: {in_words(told)}" if told else error.what
