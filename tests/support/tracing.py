"""The system calls of a run of the engine, as strace shows them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def calls_of(
    engine: Path, names: str, text: str, folder: Path, *, with_pid: bool = False
) -> list[str]:
    """A line each of the calls ``names`` (comma separated) that the job file ``text`` makes; with
    the process in front, also of those that another one goes on beside, in two parts."""
    if not shutil.which("strace"):
        pytest.skip("strace is not here")
    trace = folder.parent / f"{folder.name}.trace"
    command = ["strace", "-f", "-qq", "-o", str(trace), "-e", f"trace={names}", str(engine), "-"]
    done = subprocess.run(
        command, cwd=folder, input=text, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    lines = trace.read_text().splitlines()
    if with_pid:
        return [line for line in lines if "---" not in line and "+++" not in line]
    return [line.partition(" ")[2].strip() for line in lines if "(" in line and "---" not in line]
