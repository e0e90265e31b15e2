"""The action's middle step: with stand-ins for what is slow, and run for real."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from repository.tree import ROOT
from support.quiet import never_disturbed

STEP = ROOT / ".github" / "actions" / "iogate" / "run"
SPEC = """\
version: 1
name: tiny
targets:
  here: { directory: . }
on_missing_baseline: pass
workloads:
  reads:
    target: here
    fio: { ioengine: psync, rw: randread, bs: 4k, size: 1m, number_ios: 64 }
    repetitions: { min: 1, max: 1 }
"""
AGAINST_HISTORY = 'read.clat.mean: ["vs baseline < +10%"]'
HOLDS = 'read.iops: ["> 0"]'


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)


def step(folder: Path, venv: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """What the step says of x.yaml in the folder, with its summary and output beside it."""
    return subprocess.run(
        [STEP],
        capture_output=True,
        text=True,
        check=False,
        env={
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "TMPDIR": str(folder),
            "RUNNER_TEMP": str(folder),
            "XDG_STATE_HOME": str(never_disturbed(folder / "state")),
            "IOGATE_VENV": str(venv),
            "IOGATE_DIRECTORY": str(folder),
            "IOGATE_SPEC": "x.yaml",
            "IOGATE_ARGS": "",
            "IOGATE_STORE": str(folder / "history.sqlite"),
            "IOGATE_WAIT": "10m",
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            "GITHUB_OUTPUT": str(folder / "output"),
            **more,
        },
    )


def test_what_iogate_said_reaches_the_summary_though_tee_is_slow(tmp_path: Path) -> None:
    program(tmp_path / "venv" / "bin" / "python", "echo '100 % wrong' >&2; exit 4")
    program(tmp_path / "bin" / "tee", 'sleep 0.5; PATH=/usr/bin:/bin exec tee "$@"')
    done = step(tmp_path, tmp_path / "venv")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "100 % wrong\n"
    assert done.stdout == "::error title=iogate::100 %25 wrong\n"
    assert (tmp_path / "summary").read_text() == "\n    100 % wrong\n"
    assert "exit-code=4" in (tmp_path / "output").read_text().splitlines()


@pytest.mark.parametrize(
    ("limits", "word"),
    [
        (HOLDS, "pass"),
        (AGAINST_HISTORY, "not judged"),
        (f"{HOLDS}, {AGAINST_HISTORY}", "partly judged"),
        ("", "not judged"),
    ],
)
def test_a_run_that_could_judge_nothing_is_no_pass(tmp_path: Path, limits: str, word: str) -> None:
    (tmp_path / "x.yaml").write_text(SPEC + (f"    thresholds: {{ {limits} }}\n" if limits else ""))
    done = step(tmp_path, Path(sys.prefix))
    told = (tmp_path / "output").read_text().splitlines()
    assert "exit-code=0" in told, done.stderr
    assert f"verdict={word}" in told


@pytest.mark.parametrize("name", ["iogate", "json", "click"])
def test_nothing_in_the_working_directory_becomes_a_part_of_iogate(
    tmp_path: Path, name: str
) -> None:
    """It may be a checkout of a pull request's, of which only the spec is meant to be read."""
    (tmp_path / "x.yaml").write_text(SPEC)
    (tmp_path / f"{name}.py").write_text("open('pwned', 'w')\n")
    done = step(tmp_path, Path(sys.prefix), IOGATE_ARGS="--dry-run")
    assert not (tmp_path / "pwned").exists()
    assert "exit-code=0" in (tmp_path / "output").read_text().splitlines(), done.stderr


@pytest.mark.parametrize(
    ("command", "called"),
    [
        ("run", "run --output FOLDER --wait 10m --x=1 --store STORE -- x.yaml"),
        ("ab", "ab --output FOLDER --wait 10m --x=1 --store STORE -- x.yaml"),
        ("trend", "trend show --x=1 --store STORE -- x.yaml"),
        ("site", "site --x=1 --store STORE -- FOLDER/site"),
    ],
)
def test_each_command_of_the_action(tmp_path: Path, command: str, called: str) -> None:
    program(tmp_path / "venv" / "bin" / "python", 'echo "$@" >&2')
    done = step(tmp_path, tmp_path / "venv", IOGATE_COMMAND=command, IOGATE_ARGS="--x=1")
    assert done.returncode == 0, done.stderr
    told = dict(line.split("=", 1) for line in (tmp_path / "output").read_text().splitlines())
    assert (told["exit-code"], told["verdict"]) == ("0", "none")
    words = done.stderr.replace(str(tmp_path / "history.sqlite"), "STORE")
    assert words == f"-P -m iogate {called}\n".replace("FOLDER", told["folder"])


def test_the_action_measures_another_machine(tmp_path: Path) -> None:
    program(tmp_path / "venv" / "bin" / "python", 'echo "$@" >&2')
    done = step(tmp_path, tmp_path / "venv", IOGATE_COMMAND="ab", IOGATE_MACHINE="vm:guest.yaml")
    assert done.stderr.startswith("-P -m iogate --machine vm:guest.yaml ab --output")


def test_the_action_has_no_other_command(tmp_path: Path) -> None:
    program(tmp_path / "venv" / "bin" / "python", "touch called")
    done = step(tmp_path, tmp_path / "venv", IOGATE_COMMAND="history")
    assert done.returncode == 2
    assert "no such command" in done.stdout
    assert not (tmp_path / "called").exists()
