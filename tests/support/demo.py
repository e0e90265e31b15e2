"""The pages of the demo's year, as its script makes them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from repository.tree import ROOT

_PATHS = ":".join(str(ROOT / name) for name in ("runner", "reports", "tests"))


def make_demo(folder: Path) -> subprocess.CompletedProcess[str]:
    """The year and its pages, into a folder that is new or empty."""
    return subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "demo_reports.py", folder],
        capture_output=True, text=True, check=False, timeout=600,
        env={**os.environ, "PYTHONPATH": _PATHS},
    )  # fmt: skip
