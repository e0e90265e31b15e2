"""Ctrl-C while a virtual machine boots."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from iogate.errors import ExitCode
from support.guests import OLD, describe

SPEC = """\
version: 1
name: interrupted
targets: { disk: { directory: auto } }
workloads: { w: { target: disk, fio: { rw: read, bs: 4k, size: 4k } } }
"""


def test_the_first_ends_the_machine_at_once(tmp_path: Path) -> None:
    """There is nothing to be kept, and a boot may take minutes."""
    program = tmp_path / "bin/qemu-system-x86_64"
    program.parent.mkdir()
    mark = f"iogate-boots-{os.getpid()}"
    program.write_text(f'#!/bin/sh\n[ "$1" != -help ] || exit 0\n: >"{tmp_path}/{mark}"\n'
                       f'exec sh -c "sleep 600; : {mark}"\n')  # fmt: skip
    program.chmod(0o755)
    (tmp_path / "spec.yaml").write_text(SPEC)
    machine = describe(tmp_path, name=mark, more=f"kernel: '{OLD}'", disk="size: 1m")
    words = [sys.executable, "-m", "iogate", f"--machine=vm:{machine}", "run", "spec.yaml"]
    call = subprocess.Popen(
        ["env", "--default-signal=INT", *words],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"},
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (tmp_path / mark).exists() and call.poll() is None:
        time.sleep(0.02)
    call.send_signal(signal.SIGINT)
    _, told = call.communicate()
    assert "interrupted; what was measured is kept" in told
    assert call.returncode == ExitCode.RUN_FAILED
    assert not [each for each in Path("/proc").glob("[0-9]*/cmdline") if holds(each, mark)]


def holds(path: Path, text: str) -> bool:
    try:
        return text.encode() in path.read_bytes()
    except OSError:
        return False
