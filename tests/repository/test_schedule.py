"""The order in which files are handed to the processes of pytest."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from repository.tree import ROOT
from support.schedule import LONGEST, TOGETHER, LongestFirst

FIRST, SECOND = LONGEST[0], LONGEST[1]
BESIDE, THERE = next(iter(TOGETHER.items()))
TESTS = [
    *(f"tests/many.py::test_{n}" for n in range(9)),
    *(f"tests/{SECOND}::test_{n}" for n in range(3)),
    f"tests/{BESIDE}::test_of_the_log",
    *(f"tests/{THERE}::test_{n}" for n in range(3)),
    *(f"tests/{FIRST}::test_{n}" for n in range(3)),
]


@dataclass(eq=False)
class Process:
    """Takes down what it is given to do."""

    given: list[list[str]] = field(default_factory=list)
    shutting_down: bool = False

    def send_runtest_some(self, numbers: list[int]) -> None:
        self.given.append([TESTS[number].removeprefix("tests/") for number in numbers])

    def shutdown(self) -> None:
        self.shutting_down = True


def handed_out() -> list[list[str]]:
    """The pieces of work, in the order in which one process gets them."""
    process = Process()
    config: Any = SimpleNamespace(
        getvalue=lambda _name: ["popen"], option=SimpleNamespace(loadscopereorder=True)
    )
    order = LongestFirst(config)
    order.add_node(process)
    order.add_node_collection(process, TESTS)
    order.schedule()
    done = 0
    while not process.shutting_down:
        for name in process.given[done]:
            order.mark_test_complete(process, TESTS.index(f"tests/{name}"))
        done += 1
    return process.given


def test_the_long_files_begin_first() -> None:
    files = [piece[-1].partition("::")[0] for piece in handed_out()]
    assert files == [FIRST, SECOND, THERE, "many.py"]


def test_files_that_would_be_in_each_others_way_are_one_piece() -> None:
    (piece,) = (piece for piece in handed_out() if f"{THERE}::test_0" in piece)
    assert f"{BESIDE}::test_of_the_log" in piece
    assert len(piece) == 4


def test_every_file_that_is_named_is_there() -> None:
    named = {*LONGEST, *TOGETHER, *TOGETHER.values()}
    assert [name for name in sorted(named) if not (ROOT / "tests" / name).is_file()] == []
