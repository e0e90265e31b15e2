"""Ctrl-C while a host is being reached."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def test_a_client_that_still_connects_is_ended(tmp_path: Path) -> None:
    client, spec = tmp_path / "ssh", tmp_path / "spec.yaml"
    client.write_text('#!/bin/sh\necho $$ >"$0.new" && mv "$0.new" "$0.pid"\nexec sleep 60\n')
    client.chmod(0o755)
    spec.write_text("version: 1\nname: x\n")
    call = subprocess.Popen(
        # In the background of a shell nothing hears of it otherwise.
        [
            "env",
            "--default-signal=INT",
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
    call.send_signal(signal.SIGINT)
    _, said = call.communicate()
    assert "interrupted" in said
    assert not Path(f"/proc/{note.read_text().strip()}").exists()
