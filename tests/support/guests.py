"""Virtual machines that tests boot: kernels of Debian's in an emulated computer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PARTS = Path(sys.prefix) / "vm"
"""Where scripts/test unpacks two kernels and a QEMU."""
OLD, NEW = "6.1", "6.12"
_TEXT = """\
version: 1
name: {name}
kernels: [{parts}/6.1, {parts}/6.12]
accelerator: tcg
{more}
disks:
{disks}
"""


def describe(folder: Path, *, name: str = "guest", more: str = "", **disks: str) -> Path:
    """The file of a machine: each disk as ``size: 64m, iops: 1000``."""
    lines = "\n".join(f"  {disk}: {{ {said} }}" for disk, said in disks.items())
    path = folder / f"{name}.yaml"
    path.write_text(_TEXT.format(name=name, parts=PARTS, more=more, disks=lines))
    return path


def build_module(folder: Path, name: str = "probe", value: int = 0) -> Path:
    """A module for the older kernel, which holds a number and does nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    text = (
        f"#include <linux/module.h>\nstatic int pace = {value};\nmodule_param(pace, int, 0444);\n"
    )
    (folder / f"{name}.c").write_text(f'{text}MODULE_LICENSE("GPL");\nMODULE_VERSION("{value}");\n')
    (folder / "Makefile").write_text(f"obj-m := {name}.o\n")
    argv = ["make", "-s", "-C", str(PARTS / "headers/build"), f"M={folder}", "modules"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / f"{name}.ko"
