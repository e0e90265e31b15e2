"""Calls of dispatch and of machines that cannot be meant so."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

SPEC = """\
version: 1
name: tiny
targets: { folder: { directory: auto } }
workloads:
  w: { target: folder, fio: { rw: read, size: 1m } }
"""
SINFO = "#!/bin/sh\necho 'n1|idle|nvme|none|storage*'\n"


def called(folder: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    (folder / "spec.yaml").write_text(SPEC)
    return subprocess.run(
        [sys.executable, "-m", "iogate", *words],
        cwd=folder,
        env={**os.environ, "XDG_DATA_HOME": str(folder), **env},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = called(tmp_path, "dispatch", "spec.yaml", "--to=ssh:there", "--output=file/runs")
    assert done.returncode == 3
    assert f"cannot write {tmp_path}/file/runs: Not a directory" in done.stderr
    assert "--output" in done.stderr


EVIL = "\x1b]0;title\x07\x1b[2J\n::error::no\n##[group]\u202e"
SAYS_EVIL = f"""\
import json, struct, sys
said = json.dumps({{"error": ["RunError", "bad" + {EVIL!r}, "then" + {EVIL!r}]}}).encode()
mark = b"\\0iogate: the line is open\\n"
sys.stdout.buffer.write(2 * mark + struct.pack("<I", len(said)) + said)
sys.stdout.flush()
sys.stdin.read()
"""
DRAWS = "printf '\\033[2J\\007evil' >&2; exit 1"


@pytest.mark.parametrize("client", [[sys.executable, "-c", SAYS_EVIL], ["sh", "-c", DRAWS]])
@pytest.mark.parametrize("words", [("run", "spec.yaml"), ("doctor",)])
def test_a_machine_elsewhere_draws_nothing_here(
    client: list[str], words: tuple[str, ...], tmp_path: Path
) -> None:
    done = called(tmp_path, "--machine=ssh:there", *words, IOGATE_SSH=shlex.join([*client, "x"]))
    assert done.returncode in {3, 4}
    assert "bad" in done.stderr or "evil" in done.stderr
    assert not [c for c in done.stderr if (ord(c) < 32 and c != "\n") or c == "\u202e"]
    assert not re.search("^(::|##)", done.stderr, re.MULTILINE)


BISECT = ("bisect", "spec.yaml", "--good=a", "--bad=b")


def test_a_folder_of_a_bisection_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = called(tmp_path, *BISECT, "--output=file/runs")
    assert done.returncode == 3
    assert f"cannot write {tmp_path}/file/runs: Not a directory" in done.stderr
    assert "--output" in done.stderr


@pytest.mark.parametrize("words", [BISECT, ("dispatch", "spec.yaml", "--to=ssh:there")])
def test_no_folder_is_made_through_a_link(words: tuple[str, ...], tmp_path: Path) -> None:
    """A checkout may bring one."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "iogate-runs").symlink_to("elsewhere")
    done = called(tmp_path, *words)
    assert done.returncode == 2
    assert "./iogate-runs is a link" in done.stderr
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        ("IOGATE_SSH", ("--machine=ssh:there", "run", "spec.yaml")),
        ("IOGATE_ON_NODES", ("dispatch", "spec.yaml", "--to=slurm", "--output=runs")),
    ],
)
def test_a_command_without_its_last_quotation_mark_is_told(
    variable: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "sinfo").write_text(SINFO)
    (tmp_path / "sinfo").chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = called(tmp_path, *words, **{variable: "ssh 'x", "PATH": path})
    assert done.returncode == 2, done.stderr
    assert f"{variable} is no command: No closing quotation" in done.stderr
