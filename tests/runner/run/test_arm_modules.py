"""The module of an arm: whether the kernel that is up has loaded it, and not another."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import pytest

from iogate.errors import RefusedError, RunError
from iogate.model.comparison import Arm
from iogate.run.arm_modules import kernel_of, module_facts
from iogate.sut.base import Sut
from iogate.vm.added_module import AddedModule
from iogate.vm.kernels import Kernel
from support.guests import OLD, PARTS, build_module

(MODULES,) = (PARTS / OLD / "lib/modules").iterdir()
PLAIN = Kernel(Path("bzImage"), MODULES.name, None, None, "d")
ID = bytes(range(20))
NOTE = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0" + ID


def booted(**files: str) -> Sut:
    """A machine with a module in its sysfs."""
    at = "/sys/module/probe"
    sut: Any = Mock()
    sut.stat.side_effect = lambda path: Mock() if files and path == at else None
    sut.read_text.side_effect = lambda path: files.get(path.removeprefix(f"{at}/"))
    note = {f"{at}/notes/.note.gnu.build-id": Mock(data=NOTE)} if files else {}
    sut.read_many.return_value = note
    return cast("Sut", sut)


def kernel(source: str = "S1", build_id: str = ID.hex()) -> Kernel:
    module = AddedModule("probe", b"file", "pace=1", source, build_id)
    return Kernel(Path("bzImage"), "6.1", None, None, "d", module)


def test_what_the_kernel_says_of_it_becomes_facts() -> None:
    facts = module_facts(booted(srcversion="S1\n", version="2\n"), kernel())
    assert facts.pop("kernel.module.sha256")
    assert facts == {
        "kernel.module.name": "probe",
        "kernel.module.parameters": "pace=1",
        "kernel.module.srcversion": "S1",
        "kernel.module.build_id": ID.hex(),
        "kernel.module.version": "2",
    }
    assert module_facts(booted(), PLAIN) == {}


@pytest.mark.parametrize(
    ("there", "asked", "says"),
    [
        ({}, kernel(), "did not load the module probe"),
        ({"srcversion": "S2"}, kernel(), "another module probe: its srcversion is S2"),
        ({"srcversion": "S1"}, kernel(build_id="ff"), "another module probe: its build_id is"),
    ],
)
def test_another_module_than_the_arms_is_not_measured(
    there: dict[str, str], asked: Kernel, says: str
) -> None:
    with pytest.raises(RunError, match=says):
        module_facts(booted(**there), asked)


def test_it_is_put_beside_the_arms_kernel(tmp_path: Path) -> None:
    machine: Any = Mock()
    machine.kernel.return_value = PLAIN
    assert kernel_of(machine, Arm("a", kernel="6.1")) is PLAIN
    file = build_module(tmp_path)
    kernel = kernel_of(machine, Arm("a", module=str(file), parameters=("pace=2",)))
    assert isinstance(kernel, Kernel)
    found = kernel.added
    assert found is not None
    assert (found.name, found.parameters) == ("probe", "pace=2")
    machine.kernel.assert_called_with("")
    machine.kernel.return_value = Mock(release=MODULES.name)  # of a real host
    with pytest.raises(RefusedError, match="only a virtual machine"):
        kernel_of(machine, Arm("a", module=str(file)))
