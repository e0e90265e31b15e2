"""Revisions that are kernels, on a machine that only says that it boots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from iogate.bisect import boots, drive
from iogate.bisect.boots import Boots, make_boots
from iogate.bisect.drive import Bisection, Step
from iogate.bisect.ends import Ends, Key, Side
from iogate.bisect.search import ListSearch
from iogate.engine.base import Stop
from iogate.errors import RefusedError, RunError
from iogate.metrics import metric
from iogate.run.request import Request
from iogate.sut.bootable import WrongKernelError
from iogate.vm.kernels import NoKernelError
from iogate.vm.packages import BrokenPackageError
from support import samples as s

KEY = Key("oltp/bs=4k", "write.iops")
ENDS = Ends(KEY, metric(KEY.metric), 1000, 500, 700)


@dataclass
class Machine:
    """A machine whose kernels come up, or do not, and go down in the boots of ``falls``."""

    console: Path
    boots_at_all: bool = True
    is_virtual: bool = True
    lacks: Exception | None = None
    wrong: bool = False
    falls: Sequence[int] = ()
    booted: list[str] = field(default_factory=list)

    @property
    def up(self) -> bool:
        return len(self.booted) not in self.falls

    def kernel(self, text: str) -> Any:
        if self.lacks:
            raise self.lacks
        return SimpleNamespace(image=text)

    def check_builds(self) -> None:
        """It boots any."""

    def wake(self, kernel: Any) -> None:
        raise NotImplementedError

    def settle(self, kernel: Any) -> None:
        raise NotImplementedError

    def boot(self, kernel: Any) -> None:
        self.booted.append(kernel.image)
        self.console.write_text(f"boot {len(self.booted)}")
        if self.wrong:
            raise WrongKernelError("the wrong kernel came up on lab: release 5.10")
        if not self.boots_at_all:
            raise RunError("kernel 6.1 ended: no init", remedy="its console")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "console")


def step(monkeypatch: pytest.MonkeyPatch, folder: Path, machine: Machine, **failing: Any) -> Step:
    """What becomes of the middle one of three kernels, each of whose repetitions is 480."""

    def execute(request: Request, *_: object) -> SimpleNamespace:
        if failing:
            raise failing["error"]
        assert request.repetitions == 1
        return SimpleNamespace(run=s.run("a", measurements=s.repetitions([480])), errors=())

    monkeypatch.setattr(drive, "execute", execute)
    monkeypatch.setattr(drive, "make_request_plan", lambda _request: None)
    booting = Boots(machine, folder / "tree", folder)
    request = Request(spec=folder / "spec.yaml", sut=Mock())
    one = Bisection(
        request, folder, lambda _build: None, (), folder, Mock(), Stop(), boots=booting
    )  # fmt: skip
    (step,) = one.steps(ListSearch(["good", "middle", "bad"]), ENDS)
    return step


def test_each_repetition_has_a_boot(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: Machine
) -> None:
    assert step(monkeypatch, tmp_path, machine) == Step("middle", Side.BAD, (480, 480, 480))
    assert machine.booted == [str(tmp_path / "tree")] * 3
    assert (tmp_path / "boot-003.log").read_text() == "boot 3"


def test_of_a_kernel_that_says_very_much_the_end_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: Machine
) -> None:
    monkeypatch.setattr(boots, "LOG_BYTES", 3)
    assert step(monkeypatch, tmp_path, machine).side is Side.BAD
    said = (tmp_path / "boot-003.log").read_text()
    assert said == "(3 bytes before this are left out)\nt 3"


def test_a_console_that_cannot_be_kept_ends_the_search(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: Machine
) -> None:
    """It is no kernel's fault: the search would go around each."""
    (tmp_path / "boot-001.log").mkdir()
    with pytest.raises(RunError, match=r"cannot keep the console in .*boot-001\.log") as told:
        step(monkeypatch, tmp_path, machine)
    assert "make room there" in told.value.remedy


def test_a_kernel_that_does_not_come_up_cannot_be_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: Machine
) -> None:
    machine.boots_at_all = False
    found = step(monkeypatch, tmp_path, machine)
    assert (found.side, found.why) == (Side.UNCLEAR, "kernel 6.1 ended: no init")
    assert len(machine.booted) == 1
    assert (tmp_path / "boot-001.log").exists()


def test_a_kernel_that_goes_down_cannot_be_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: Machine
) -> None:
    machine.falls = (2,)
    found = step(monkeypatch, tmp_path, machine)
    assert (found.side, found.values) == (Side.UNCLEAR, ())
    assert len(machine.booted) == 2


@pytest.mark.parametrize(
    "left", [NoKernelError("it holds no kernel"), BrokenPackageError("it holds no kernel")]
)
def test_no_kernel_left_by_the_build(
    left: Exception, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: Machine
) -> None:
    machine.lacks = left
    found = step(monkeypatch, tmp_path, machine)
    assert (found.side, found.why) == (Side.UNCLEAR, "it holds no kernel")
    assert not machine.booted


@pytest.mark.parametrize("error", [RefusedError("no dpkg-deb"), RunError("no space left")])
def test_what_this_machine_lacks_is_not_the_kernels_fault(
    error: Exception, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: Machine
) -> None:
    machine.lacks = error
    with pytest.raises(type(error), match=str(error)):
        step(monkeypatch, tmp_path, machine)


def test_another_kernel_that_comes_up_ends_the_search(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: Machine
) -> None:
    """What was measured would be that of another revision."""
    machine.wrong = True
    with pytest.raises(RunError, match="the wrong kernel came up on lab"):
        step(monkeypatch, tmp_path, machine)


def test_what_is_wrong_with_the_host_ends_the_search(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: Machine
) -> None:
    with pytest.raises(RunError, match="no space"):
        step(monkeypatch, tmp_path, machine, error=RunError("no space left"))


def test_the_fall_of_a_kernel_is_not_the_hosts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: Machine
) -> None:
    machine.falls = (1,)
    found = step(monkeypatch, tmp_path, machine, error=RunError("the line is gone"))
    assert (found.side, found.why) == (Side.UNCLEAR, "the line is gone")


def test_a_machine_that_boots_nothing(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="this machine boots none"):
        make_boots(Mock(spec=[]), tmp_path, tmp_path)
