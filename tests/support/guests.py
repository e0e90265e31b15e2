"""Virtual machines that tests boot: kernels of Debian's in an emulated computer."""

from __future__ import annotations

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
