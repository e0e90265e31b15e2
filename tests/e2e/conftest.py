"""iogate as a person or a CI job calls it: a process of its own, the real engine, real
files; with a history, a state folder and a host lock that only this test uses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from support.quiet import never_disturbed

T = TypeVar("T")
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Done:
    """A call of iogate that ended."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        return self.out + self.err


class Iogate:
    """Calls iogate in a folder of the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._started: list[subprocess.Popen[str]] = []
        self.store = folder / "data/iogate/history.sqlite"
        self.env = {
            **{key: value for key, value in os.environ.items() if not key.startswith("GITHUB_")},
            "PYTHONPATH": f"{ROOT / 'runner'}:{ROOT / 'reports'}",
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_STATE_HOME": str(never_disturbed(folder / "state")),
            "IOGATE_SCRATCH": str(folder),
        }

    def spec(self, text: str, name: str = "spec.yaml") -> Path:
        path = self.folder / name
        path.write_text(text)
        return path

    def start(
        self, *words: object, before: Sequence[str] = (), **env: str
    ) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*before, sys.executable, "-m", "iogate", *map(str, words)],
            cwd=self.folder,
            env={**self.env, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._started.append(process)
        return process

    def end_all(self) -> None:
        """What a test that failed left running, which the next one would be blamed for."""
        for process in self._started:
            if process.poll() is None:
                process.kill()
            for pipe in (process.stdout, process.stderr):
                if pipe and not pipe.closed:
                    pipe.close()
            process.wait()

    def end(self, process: subprocess.Popen[str], timeout_s: float = 120) -> Done:
        out, err = process.communicate(timeout=timeout_s)
        assert "Traceback" not in out + err, err
        return Done(process.returncode, out, err)

    def __call__(self, *words: object, before: Sequence[str] = (), **env: str) -> Done:
        return self.end(self.start(*words, before=before, **env), timeout_s=600)

    @property
    def latest(self) -> Path:
        return (self.folder / "iogate-runs/latest").resolve()

    def run_document(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.latest / "run.json").read_text())
        return found

    def left_behind(self) -> list[Path]:
        """Scratch directories that are still there."""
        return [path for path in self.folder.glob("iogate-*") if path.name != "iogate-runs"]


@pytest.fixture
def iogate(tmp_path: Path) -> Iterator[Iogate]:
    made = Iogate(tmp_path)
    yield made
    made.end_all()


def wait_for(what: Callable[[], T], timeout_s: float = 60) -> T:
    """Until ``what`` says something true; what it said. Asked again, it may say otherwise: of a
    process that becomes another program nothing is known for a moment."""
    deadline = time.monotonic() + timeout_s
    while not (said := what()):
        assert time.monotonic() < deadline, "it does not happen"
        time.sleep(0.02)
    return said


def engines_of(folder: Path, job_file: str = ".fio") -> list[int]:
    """Processes of engines that run a job file under ``folder``, the oldest first;
    ``job_file`` is how its name ends."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        runs_here = any(word.startswith(f"{folder}/") and word.endswith(job_file) for word in words)
        if entry.name.isdigit() and words[0].endswith(("iogate-engine", "/fio")) and runs_here:
            found.append(int(entry.name))
    return sorted(found)


def kill(pid: int) -> None:
    """Of a family of processes the others end with the first that is killed."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
