"""Runs the native engine, and Debian's fio beside it, on job texts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

NATIVE = Path(__file__).resolve().parents[2] / "native"
TIMEOUT_S = 120


@cache
def built_engine() -> Path:
    """The engine of this checkout, built when it is not current."""
    command = ["make", "-s", "-C", str(NATIVE)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return NATIVE / "build" / "iogate-engine"


@dataclass(frozen=True, slots=True)
class Ran:
    """One execution: what it printed, and the folder it worked in."""

    status: int
    out: str
    err: str
    folder: Path

    def document(self, *, notes: bool = False) -> dict[str, Any]:
        """Its JSON; the run must have worked and printed nothing else to stdout.

        ``notes`` allows text before it: fio prints its remarks to stdout, too.
        """
        assert self.status == 0, self.err
        document = json.loads(self.out[self.out.index("{") :] if notes else self.out)
        assert isinstance(document, dict)
        return document


def run(
    program: str | Path,
    arguments: Sequence[str],
    folder: Path,
    text: str = "",
    *,
    timeout_s: float = TIMEOUT_S,
) -> Ran:
    """Run an engine in ``folder`` (made when missing) with ``text`` on stdin."""
    folder.mkdir(parents=True, exist_ok=True)
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [str(program), *arguments], cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as process:
        try:
            out, err = process.communicate(text, timeout=timeout_s)
        except BaseException:
            _kill_all(process.pid)
            raise
    return Ran(process.returncode, out, err, folder)


def _kill_all(pid: int) -> None:
    """A process, and those that it has started: a job of fio's that hangs would keep a CPU busy
    for as long as the machine is up."""
    with suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            _kill_all(int(child))
        os.kill(pid, signal.SIGKILL)


def paths(value: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """Every path of a JSON document with the type of its value; ``[]`` is any element,
    and the bins of a histogram, whose names are latencies, are one path."""
    if isinstance(value, dict):
        for key, member in value.items():
            name = "<ns>" if at.endswith(".bins") else key
            yield from paths(member, f"{at}.{name}")
    elif isinstance(value, list):
        for member in value:
            yield from paths(member, f"{at}[]")
    else:
        yield at, type(value).__name__


def written_blocks(path: Path, block: int = 4096) -> set[int]:
    """The numbers of the blocks of a file that hold anything but zeros."""
    zeros = bytes(block)
    found = set()
    with path.open("rb") as stream:
        number = 0
        while piece := stream.read(block):
            if piece != zeros[: len(piece)]:
                found.add(number)
            number += 1
    return found


def files(folder: Path) -> dict[str, int]:
    """Size of every regular file below a folder, by its relative name."""
    return {
        str(path.relative_to(folder)): path.stat().st_size
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
