"""What a program asks of the kernel, as strace shows it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest


def calls_of(engine: Path, name: str, options: Sequence[str], folder: Path) -> str:
    """The system calls of that name (or names, with commas) of a run, a line each; the test is
    skipped where strace is not here."""
    if not shutil.which("strace"):
        pytest.skip("strace is not here")
    done = subprocess.run(
        ["strace", "-f", "-qq", "-e", f"trace={name}", str(engine), *options],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr
