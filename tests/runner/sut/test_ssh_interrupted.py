"""A signal while a host is being reached."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL], ids=lambda n: n.name
)
def test_a_client_that_still_connects_is_ended(tmp_path: Path, number: signal.Signals) -> None:
    client, spec = tmp_path / "ssh", tmp_path / "spec.yaml"
    client.write_text('#!/bin/sh\necho $$ >"$0.new" && mv "$0.new" "$0.pid"\nexec sleep 60\n')
    client.chmod(0o755)
    spec.write_text("version: 1\nname: x\n")
    call = subprocess.Popen(
        # In the background of a shell nothing hears of it otherwise.
        [
            "env",
            "--default-signal=INT,HUP",
            sys.executable,
            "-m",
            "iogate",
            "--machine=ssh:there",
            "run",
            str(spec),
        ],
        cwd=tmp_path,
        env={**os.environ, "IOGATE_SSH": str(client)},
        stderr=subprocess.PIPE,
        text=True,
    )
    note = tmp_path / "ssh.pid"
    while not note.exists() and call.poll() is None:
        time.sleep(0.02)
    call.send_signal(number)
    _, said = call.communicate()
    assert "interrupted" in said or number is signal.SIGKILL
    client_there = Path(f"/proc/{note.read_text().strip()}")
    end = time.monotonic() + 20
    while client_there.exists() and time.monotonic() < end:
        time.sleep(0.02)
    assert not client_there.exists()
