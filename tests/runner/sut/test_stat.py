"""/proc/PID/stat, of real processes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from iogate.sut.stat import parse_stat


def test_a_process_of_any_name_is_read(tmp_path: Path) -> None:
    odd = tmp_path / "a) R 1 (b"
    odd.symlink_to("/bin/sleep")
    with subprocess.Popen([odd, "60"]) as child:
        found = parse_stat(Path(f"/proc/{child.pid}/stat").read_text())
        child.kill()
    assert found is not None
    assert (found.pid, found.name, found.parent) == (child.pid, "a) R 1 (b", os.getpid())
    assert found.started > 0


def test_what_is_no_line_of_it_is_none() -> None:
    assert parse_stat("") is None
    assert parse_stat("1 (x) S 0") is None
    assert parse_stat("1 (x) S " + "many " * 50) is None
