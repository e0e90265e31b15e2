"""A machine elsewhere that is asked and may never answer."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from iogate.errors import IogateError, RunError
from iogate.sut.far import Ends, FarMachine, Line
from iogate.sut.wire import send, send_bytes

SOON_S = 0.05


class Machine:
    """One that says what the test has it say, over a pipe. ``again`` is another line to it."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.line = Line(*self.again(), self._lost)
        self.there = FarMachine(self.line, "", "there")

    def again(self) -> Ends:
        """As ``Line.again``."""
        into, out = os.pipe()
        self.said = self._stack.enter_context(os.fdopen(out, "wb"))
        asked = self._stack.enter_context(os.fdopen(os.open(os.devnull, os.O_WRONLY), "wb"))
        return asked, self._stack.enter_context(os.fdopen(into, "rb"))

    def says(self, value: object) -> None:
        send(self.said, {"value": value})

    @staticmethod
    def _lost(why: str) -> IogateError:
        return RunError(f"lost: {why}")


@pytest.fixture
def machine() -> Iterator[Machine]:
    with ExitStack() as stack:
        yield Machine(stack)


@contextmanager
def ctrl_c() -> Iterator[None]:
    """Soon."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, SOON_S)
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_an_answer_that_comes_late_is_no_other_ones(machine: Machine) -> None:
    with ctrl_c():
        machine.there.list_dir("/")
    machine.says(["late"])
    machine.says("/real")
    assert machine.there.real_path("/") == "/real"


def test_who_interrupts_twice_waits_for_nothing_any_more(machine: Machine) -> None:
    for _ in range(2):
        with ctrl_c():
            machine.there.list_dir("/")
    with pytest.raises(RunError, match="not waited for any longer"):
        machine.there.clocks()


def test_a_file_that_was_interrupted_is_no_answer(machine: Machine, tmp_path: Path) -> None:
    def again() -> Ends:
        ends = machine.again()
        machine.says("/real")
        return ends

    machine.line.again = again
    machine.says(value=True)
    send_bytes(machine.said, b"half of it")
    with ctrl_c():
        machine.there.get("/result", str(tmp_path / "result"))
    assert machine.there.real_path("/") == "/real"


def test_a_line_that_is_opened_again_may_be_interrupted(machine: Machine) -> None:
    def again() -> Ends:
        signal.pause()
        return machine.again()

    machine.line.again = again
    machine.said.close()
    with ctrl_c():
        machine.there.list_dir("/")
    with pytest.raises(RunError, match="not waited for any longer"):
        machine.there.list_dir("/")


@pytest.mark.parametrize("gets", [False, True])
def test_an_answer_that_never_gets_through_is_given_up(
    machine: Machine, tmp_path: Path, *, gets: bool
) -> None:
    """Something on the way may let short ones pass alone."""
    tries = 0

    def again() -> Ends:
        nonlocal tries
        tries += 1
        machine.said.close()
        ends = machine.again()
        if gets:
            machine.says(value=True)
        machine.said.write(b"\1")
        machine.said.close()
        return ends

    def asked() -> object:
        there = machine.there
        return there.get("/x", str(tmp_path / "x")) if gets else there.list_dir("/")

    machine.line.again = again
    machine.said.close()
    with pytest.raises(RunError, match="lost: it is cut in each of 20 tries"):
        asked()
    assert tries in (20, 21)
    assert not (tmp_path / "x").exists()
