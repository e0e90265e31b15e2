"""A machine that the checks of validity find quiet, whatever runs beside a test: its limits are
off, as a canary could have set them. A spec that sets limits of its own is held to those."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
from pathlib import Path

CHECKS = ("cpu", "io", "memory", "steal", "clock", "clocksource")


def limits_text() -> str:
    """The limits as they are kept."""
    limits = dict.fromkeys(CHECKS, "off")
    return json.dumps({"schema": "validity-limits/1", "run": "", "limits": limits})


def never_disturbed(state: Path) -> Path:
    """A state folder (as $XDG_STATE_HOME names it) with these limits."""
    path = state / "iogate/validity.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(limits_text())
    path.chmod(0o600)
    return state


def take_quiet_state() -> None:
    """A state folder of this session's own, for everything that asks the environment."""
    folder = Path(tempfile.mkdtemp(prefix="iogate-tests-state-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["XDG_STATE_HOME"] = str(never_disturbed(folder))
