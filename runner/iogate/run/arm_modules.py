"""The module of an arm: put into what its kernel boots with, and looked for once it is up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from iogate.boot.standing import build_id
from iogate.errors import RefusedError, RunError
from iogate.host.facts import Fact
from iogate.model.comparison import Arm
from iogate.sut.base import Sut
from iogate.sut.bootable import Bootable, Bootee
from iogate.vm.added_module import AddedModule, read_module
from iogate.vm.kernels import Kernel


def kernel_of(machine: Bootable, arm: Arm) -> Bootee:
    """What is booted for an arm, with its module. RefusedError where there is no such kernel, the
    module is not one of it, or the machine is a real one."""
    kernel = machine.kernel(arm.kernel)
    if not arm.module:
        return kernel
    if not isinstance(kernel, Kernel):
        raise RefusedError(
            f"arm {arm.name} is a module, and only a virtual machine is given one",
            remedy="measure in one, iogate --machine vm:FILE ab …; or install the module with a "
            "kernel of its own on that host, and compare the kernels",
        )
    return replace(kernel, added=read_module(Path(arm.module), arm.parameters, kernel.release))


def module_facts(sut: Sut, kernel: Bootee, console: Path | None = None) -> dict[str, Fact]:
    """What the kernel that is up says of the module that was put beside it: ``kernel.module.*``.
    RunError where it has not loaded it (``console`` says why), or another one."""
    module = kernel.added if isinstance(kernel, Kernel) else None
    if module is None:
        return {}
    folder = f"/sys/module/{module.name}"
    notes = sut.read_many([f"{folder}/notes/.note.gnu.build-id"])
    raw = next((each.data for each in notes.values() if each.data), b"")
    loaded = {
        "srcversion": (sut.read_text(f"{folder}/srcversion") or "").strip(),
        "build_id": build_id(raw),
    }
    if sut.stat(folder) is None:
        raise RunError(
            f"kernel {kernel.release} did not load the module {module.name}",
            remedy=f"a symbol, a parameter or a signature: its console says which ({console})",
        )
    _check_is(module, kernel, loaded)
    facts = {"name": module.name, "sha256": module.digest, "parameters": module.parameters}
    said = {**loaded, "version": (sut.read_text(f"{folder}/version") or "").strip(), **facts}
    return {f"kernel.module.{key}": value for key, value in sorted(said.items()) if value}


def _check_is(module: AddedModule, kernel: Bootee, loaded: dict[str, str]) -> None:
    wanted = {"srcversion": module.source, "build_id": module.build_id}
    for key, value in wanted.items():
        if value and loaded[key] and loaded[key] != value:
            raise RunError(
                f"kernel {kernel.release} has another module {module.name}: its {key} is "
                f"{loaded[key]}, and that of the arm's is {value}",
                remedy="boot a kernel that has it neither built in nor loaded by another module",
            )
