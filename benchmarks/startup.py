"""What it costs to start: the engine around a one-second job, and the command line."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import Comparison, interleaved, memory, wall_ms

BIN = Path(sys.executable).parent
RUNTIME_MS = 1000
JOB = """\
[one]
ioengine=psync
rw=randread
bs=4k
size=16m
directory={folder}
time_based
runtime=1
"""


def comparisons(rounds: int) -> Iterator[Comparison]:
    """Every comparison of this file."""
    with engines() as (ours, theirs):
        yield overhead(ours, theirs, rounds)
        yield from resident(ours, theirs)
    yield help_text(3 * rounds)


@contextmanager
def engines() -> Iterator[tuple[list[str], list[str]]]:
    """The same job for both engines, each with a file of its own."""
    fio = shutil.which("fio")
    if not fio:
        sys.exit("fio is not installed: apt-get install fio")
    with TemporaryDirectory() as folder:
        commands = []
        for engine in (str(BIN / "iogate-engine"), fio):
            place = Path(folder) / Path(engine).name
            place.mkdir()
            job = place / "one.fio"
            job.write_text(JOB.format(folder=place))
            commands.append(
                [engine, str(job), "--output-format=json", f"--output={place}/out.json"]
            )
        yield commands[0], commands[1]


def overhead(ours: list[str], theirs: list[str], rounds: int) -> Comparison:
    """Start to end of a job of one second, without that second."""
    a, b = interleaved(lambda: wall_ms(ours), lambda: wall_ms(theirs), rounds)
    return Comparison(
        "start to end of `runtime=1`, less the second", "ms", a - RUNTIME_MS, b - RUNTIME_MS, 1 / 3
    )


def resident(ours: list[str], theirs: list[str]) -> Iterator[Comparison]:
    """Memory in the middle of that second."""
    a, b = memory(ours, 0.7), memory(theirs, 0.7)
    yield Comparison("peak RSS of the largest process", "KiB", a.largest_kib, b.largest_kib, 1)
    yield Comparison("PSS of all its processes", "KiB", a.together_kib, b.together_kib, 1)


def help_text(rounds: int) -> Comparison:
    """``iogate --help`` against Python that does nothing."""
    iogate, python = [str(BIN / "iogate"), "--help"], [sys.executable, "-c", "pass"]
    a, b = interleaved(lambda: wall_ms(iogate), lambda: wall_ms(python), rounds)
    return Comparison("`iogate --help` against `python -c pass`", "ms", a, b, 3)
