"""The one exception tree.

    IogateError            exit 4
    ├── UsageError         exit 2   the call is wrong
    │   └── SpecError      exit 2   the spec is wrong: file:line:column
    │       └── AbsentFileError     a file that it names is not there
    ├── RefusedError       exit 3   safety or environment: nothing was touched
    └── RunError           exit 4   the run itself failed
        ├── EngineError             the engine is missing, crashed or gave nonsense
        ├── NewerError              a document was written by a newer version
        └── StoreError              the history cannot be read or written

Every message says what happened, where, and what to do next. Only ``cli`` prints.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class ExitCode(IntEnum):
    """What ``iogate`` exits with. The table in the documentation is made from this."""

    PASS = 0
    FAIL = 1
    USAGE = 2
    REFUSED = 3
    RUN_FAILED = 4
    INCONCLUSIVE = 5

    @property
    def meaning(self) -> str:
        return _MEANINGS[self]


_MEANINGS = {
    ExitCode.PASS: "every limit holds, or only warned",
    ExitCode.FAIL: "a limit failed",
    ExitCode.USAGE: "the spec or the call is wrong",
    ExitCode.REFUSED: "refused for safety or because of the environment; nothing was touched, "
    "or, in the middle of a run, nothing more",
    ExitCode.RUN_FAILED: "the run itself failed; what was measured before is kept",
    ExitCode.INCONCLUSIVE: "inconclusive or no baseline, where the spec says that this blocks",
}


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a text file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class IogateError(Exception):
    """Base of everything that iogate raises on purpose.

    ``what`` is one sentence, ``remedy`` the next step for the person who reads it,
    ``where`` the place in the file that is at fault.
    """

    exit_code = ExitCode.RUN_FAILED

    def __init__(self, what: str, *, remedy: str = "", where: Location | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy
        self.where = where

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}\n  {self.remedy}" if self.remedy else text


class UsageError(IogateError):
    """The call is wrong."""

    exit_code = ExitCode.USAGE


class SpecError(UsageError):
    """The spec is wrong; several problems may be reported at once through ``others``."""

    def __init__(
        self,
        what: str,
        *,
        remedy: str = "",
        where: Location | None = None,
        others: tuple[SpecError, ...] = (),
    ) -> None:
        super().__init__(what, remedy=remedy, where=where)
        self.others = others


class AbsentFileError(SpecError):
    """A file that the spec names is not there."""


class RefusedError(IogateError):
    """Refused for safety or because of the environment; nothing was touched."""

    exit_code = ExitCode.REFUSED


class RunError(IogateError):
    """The run itself failed."""


class EngineError(RunError):
    """The engine is missing, crashed, or its output cannot be read."""


class NewerError(RunError):
    """A document was written by a newer version."""


class StoreError(RunError):
    """The history cannot be read or written."""


def lacking(what: str, error: ModuleNotFoundError, extra: str, otherwise: str = "") -> UsageError:
    """The error where a package is missing that only an extra of iogate brings."""
    package = str(error.name).partition(".")[0].replace("_", "-")
    remedies = (f"install it: pip install 'iogate[{extra}]'", otherwise)
    return UsageError(
        f"{what} needs the package {package}, which is not installed",
        remedy=", ".join(filter(None, remedies)),
    )
