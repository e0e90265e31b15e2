"""What a program says of itself: its segments, libraries and sections."""

from __future__ import annotations

import subprocess
from pathlib import Path

from repository.tree import ROOT


def read_elf(program: str | Path) -> str:
    """The headers, segments and dynamic section of a program."""
    call = ["readelf", "--wide", "--file-header", "--segments", "--dynamic", str(program)]
    return subprocess.run(call, check=True, capture_output=True, text=True).stdout


def assert_is_one_file(program: str | Path) -> None:
    """It names no loader and no library, and carries no symbols or sources for debuggers."""
    told = read_elf(program)
    assert "INTERP" not in told
    assert "(NEEDED)" not in told
    sections = ["readelf", "--wide", "--sections", str(program)]
    names = subprocess.run(sections, check=True, capture_output=True, text=True).stdout
    assert ".debug_info" not in names
    assert ".symtab" not in names
    assert str(ROOT).encode() not in Path(program).read_bytes()
