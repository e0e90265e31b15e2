"""The action's middle step, with stand-ins for iogate and for what is slow."""

import os
import subprocess
from pathlib import Path

from repository.tree import ROOT

STEP = ROOT / ".github" / "actions" / "iogate" / "run"


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)


def test_what_iogate_said_reaches_the_summary_though_tee_is_slow(tmp_path: Path) -> None:
    program(tmp_path / "venv" / "bin" / "python", "echo '100 % wrong' >&2; exit 4")
    program(tmp_path / "bin" / "tee", 'sleep 0.5; PATH=/usr/bin:/bin exec tee "$@"')
    summary, output = tmp_path / "summary", tmp_path / "output"
    done = subprocess.run(
        [STEP],
        capture_output=True,
        text=True,
        check=False,
        env={
            "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
            "TMPDIR": str(tmp_path),
            "RUNNER_TEMP": str(tmp_path),
            "IOGATE_VENV": str(tmp_path / "venv"),
            "IOGATE_DIRECTORY": str(tmp_path),
            "IOGATE_SPEC": "x.yaml",
            "IOGATE_ARGS": "",
            "IOGATE_STORE": "",
            "IOGATE_WAIT": "1s",
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_OUTPUT": str(output),
        },
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "100 % wrong\n"
    assert done.stdout == "::error title=iogate::100 %25 wrong\n"
    assert summary.read_text() == "\n    100 % wrong\n"
    assert "exit-code=4" in output.read_text().splitlines()
