"""A machine at the end of a line, and what it gives, as the protocols in ``base`` have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

from iogate import errors
from iogate.errors import IogateError, RunError
from iogate.files.bounds import FETCHED_BYTES
from iogate.sut.calls import MACHINE, Call, calls_of
from iogate.sut.transfer import new_file, room_for
from iogate.sut.wire import GOODBYE, WireError, receive, receive_bytes, send, typed

_T = TypeVar("_T")
_SILENT = "it was not waited for any longer"
_CUTS = 20
"""After so many cuts in one answer it will not come: something on the way does not let it pass."""
_MOST_WORDS = 4000  # of an error
_KINDS = (
    errors.UsageError,
    errors.RefusedError,
    errors.RunError,
    errors.EngineError,
    errors.NewerError,
    errors.StoreError,
)


Ends = tuple[IO[bytes], IO[bytes]]
"""What is written into a line, and what is read from it."""


class CutError(Exception):
    """The line was cut, and there is another one: what had no answer has to be asked once more."""


class Line:
    """One message at a time, each a round trip: a call, or several. ``lost`` makes the error that
    ends all when nobody answers any more; it is raised by each call from then on. ``again``, where
    there is a way back, opens another line to the same agent, or raises such an error."""

    again: Callable[[], Ends] | None = None

    def __init__(self, out: IO[bytes], into: IO[bytes], lost: Callable[[str], IogateError]) -> None:
        self._out, self._in, self._lost = out, into, lost
        self._end: IogateError | None = None
        self._count = self._room = 0
        self._due = self._getting = False  # an answer that was not waited for; a file before it
        self._waiting: list[dict[str, Any]] = []

    @property
    def ended(self) -> bool:
        """Whether nobody answers any more."""
        return self._end is not None

    def message(self) -> dict[str, Any]:
        """The next message from the machine."""
        return self._safely(lambda: receive(self._in))

    def frame(self) -> bytes:
        """The next frame of a file. The line ends with a machine that sends more of it than it was
        asked for."""
        return self._safely(self._frame)

    def _frame(self) -> bytes:
        data = receive_bytes(self._in)
        self._room -= len(data)
        if self._room < 0:
            raise WireError("the machine sends more of a file than it was asked for")
        return data

    def ask(self, number: int, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call, and wait for the answer; what the machine says went wrong is raised."""
        call = {"on": number, "call": name, "with": arguments}
        if name == "get":  # its answer is more than a message
            self._room = arguments["most"]
            if self._waiting:
                self.ask_all([])
        if not self._waiting:
            return self._asked(call)
        return self.ask_all([call])[0]

    def later(self, call: dict[str, Any]) -> None:
        """What is done before anything else that is asked, with it: nobody waits for its answer.
        What goes wrong is raised there."""
        self._waiting.append(call)

    def ask_all(self, calls: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Several calls in one round trip, done in this order, and their answers. The first that
        goes wrong is raised; those after it are not done."""
        first, self._waiting = self._waiting, []
        said = self._asked({"calls": [*first, *calls]})
        answers = said.get("answers")
        if not isinstance(answers, list) or not all(isinstance(each, dict) for each in answers):
            raise WireError("the line carries no answers")
        wrong = next((each["error"] for each in answers if "error" in each), None)
        if wrong is not None:
            raise _error(wrong)
        if len(answers) != len(first) + len(calls):
            raise WireError("the line carries fewer answers than were asked for")
        return answers[len(first) :]

    def _asked(self, what: Mapping[str, Any]) -> dict[str, Any]:
        if self._due:
            self._pass_over()
        self._getting = what.get("call") == "get"
        self._count += 1
        message = {"number": self._count, **what}
        for _ in range(_CUTS):
            with suppress(CutError):
                self._safely(lambda: send(self._out, message))
                return self.answer()
        raise self.given_up()

    def given_up(self) -> IogateError:
        """The error of a line that is cut in the same answer again and again."""
        self._end = self._lost(f"it is cut in each of {_CUTS} tries to get one answer")
        return self._end

    def answer(self) -> dict[str, Any]:
        """The answer to what was asked."""
        said = self.message()
        if "error" in said:
            raise _error(said["error"])
        return said

    def _safely(self, act: Callable[[], _T]) -> _T:
        if self._end is not None:
            raise self._end
        try:
            return act()
        except (EOFError, OSError, ValueError) as error:
            self._reopen()
            raise CutError from error
        except WireError as error:
            self._end = self._lost(error.what)
            raise self._end from error
        except KeyboardInterrupt:
            self._interrupted()
            raise

    def _interrupted(self) -> None:
        """A Ctrl-C while an answer is waited for: it is still to come. With the next one somebody
        says that he does not want to wait for it."""
        if self._due:
            self._end = self._lost(_SILENT)
        self._due = True

    def _pass_over(self) -> None:
        """The answer that nobody waits for any more."""
        try:
            if self._getting:
                self._reopen()
            else:
                self._safely(lambda: receive(self._in))
        except CutError:  # it will not come by this line
            pass
        self._due = False

    def _reopen(self) -> None:
        try:
            if self.again is None:
                raise self._lost("")
            self._out, self._in = self.again()
        except IogateError as error:
            self._end = error
            raise
        except KeyboardInterrupt:
            self._end = self._lost(_SILENT)
            raise

    def goodbye(self) -> None:
        """Nothing more is asked, and nothing answered."""
        if self._waiting and self._end is None:
            with suppress(IogateError):
                self.ask_all([])
        self._end = self._end or RunError("the line is closed")
        with suppress(OSError, ValueError):
            send(self._out, {"call": GOODBYE})


@dataclass(frozen=True, slots=True)
class FarCall:
    """A call of what has a number at the end of a line."""

    line: Line
    number: int
    name: str
    call: Call

    def __call__(self, *words: object, **named: object) -> Any:
        packed = self.call.packed(words, named)
        return self.value(self.line.ask(self.number, self.name, packed))

    def message(self, words: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        """The call as it goes over the line."""
        return {"on": self.number, "call": self.name, "with": self.call.packed(words, named)}

    def value(self, said: Mapping[str, Any]) -> Any:
        """What an answer gives."""
        if self.call.gives is None:
            return typed(said.get("value"), self.call.result)
        if "object" not in said:
            return None
        number, pid = typed([said["object"], said.get("pid")], tuple[int, int])
        return Far(self.line, self.call.gives, number, pid)


class Far:
    """What has a number there: its protocol's calls go over the line."""

    def __init__(self, line: Line, protocol: type, number: int, pid: int = 0) -> None:
        self._line, self._protocol, self._number = line, protocol, number
        self.pid = pid

    def __getattr__(self, name: str) -> Any:
        call = calls_of(self._protocol).get(name)
        if call is None:
            raise AttributeError(name)

        return FarCall(self._line, self._number, name, call)


class FarMachine(Far):
    """A machine. What does not change is asked once."""

    is_here = False

    def __init__(self, line: Line, mounts: str, name: str) -> None:
        super().__init__(line, MACHINE, 0)
        self.name, self.mounts = name, mounts
        self._about: Any = None

    def about(self) -> Any:
        """As ``Sut.about`` says."""
        if self._about is None:
            self._about = self.__getattr__("about")()
        return self._about

    def get(self, path: str, into: str, *, most: int = FETCHED_BYTES) -> bool:
        """As ``Sut.get`` says; no more than there is room for here."""
        most = min(most, room_for(into))
        for _ in range(_CUTS):
            try:
                return self._got(path, into, most)
            except CutError:
                Path(into).unlink(missing_ok=True)  # it was new
        raise self._line.given_up()

    def _got(self, path: str, into: str, most: int) -> bool:
        asked = {"path": path, "into": into, "most": most}
        if not typed(self._line.ask(0, "get", asked).get("value"), bool):
            return False
        frames = iter(self._line.frame, b"")
        try:
            with new_file(into, path) as out:
                out.writelines(frames)
        except RunError:
            for _ in frames:  # those that could not be kept
                pass
            self._line.answer()
            raise
        self._line.answer()
        return True


def _error(said: Any) -> IogateError:
    try:
        texts = (" ".join(text.splitlines()) for text in typed(said, list[str]))
        kind, what, remedy = (text[:_MOST_WORDS] for text in texts)
    except ValueError:
        return WireError("the line carries an error that is none")
    made = next((each for each in _KINDS if each.__name__ == kind), RunError)
    return made(what, remedy=remedy)
