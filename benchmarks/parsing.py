"""What it takes to read a job file, by its length: ten times the lines, ten times the work.

Counted in instructions by callgrind, so a busy machine changes nothing. Each row holds the longer
file against ten of the shorter one.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import Comparison

ENGINE = Path(sys.executable).parent / "iogate-engine"
MOST = 1.1  # of ten times
_COUNT = re.compile(r"Collected : (\d+)")


def jobs(n: int) -> str:
    """A section a job."""
    return "".join(f"[job{i}]\nrw=randread\nbs=4k\nsize=1m\n" for i in range(n))


def turns(n: int) -> str:
    """A global section before each job."""
    return "".join(f"[global]\nbs=4k\n[job{i}]\nrw=randread\nsize=1m\n" for i in range(n // 2))


def iologs(n: int) -> str:
    """Jobs that each write a log of their own name."""
    return "".join(f"[job{i}]\nrw=randread\nwrite_iolog=l{i}\nsize=1m\n" for i in range(n))


def globals_(n: int) -> str:
    """Global sections alone, and one job."""
    return "[global]\nrw=randread\nsize=1m\n" * n + "[a]\n"


def keys(n: int) -> str:
    """One section with many lines."""
    return "[a]\n" + "".join(f"size={i + 1}m\nbs=4k\n" for i in range(n))


def dollars(n: int) -> str:
    """One line with many variables that are none."""
    return f"[a]\nsize=1m\ndescription={'$x' * n}\n"


CASES: tuple[tuple[str, Callable[[int], str], int, tuple[str, ...]], ...] = (
    ("jobs", jobs, 400, ()),
    ("jobs, one of them chosen by --section", jobs, 1000, ("--section=job7",)),
    ("global sections and jobs in turn", turns, 800, ()),
    ("jobs with an I/O log each", iologs, 400, ()),
    ("global sections", globals_, 1000, ()),
    ("lines of one section", keys, 1000, ()),
    ("variables of one line", dollars, 3000, ()),
)


def comparisons(_rounds: int) -> Iterator[Comparison]:
    """A row a kind of file."""
    if not shutil.which("valgrind"):
        sys.exit("valgrind is not installed: apt-get install valgrind")
    for what, maker, n, words in CASES:
        longer, shorter = _million(maker(10 * n), words), _million(maker(n), words)
        yield Comparison(f"{10 * n} {what}, against {n}", "M", longer, 10 * shorter, MOST)


def _million(text: str, words: tuple[str, ...]) -> float:
    """Instructions to read and print a job file."""
    with TemporaryDirectory() as folder:
        job = Path(folder) / "long.fio"
        job.write_text(text)
        tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        done = subprocess.run(
            [*tool, str(ENGINE), "--showcmd", *words, str(job)],
            capture_output=True,
            text=True,
            check=True,
        )
    match = _COUNT.search(done.stderr)
    assert match, done.stderr
    return int(match[1]) / 1e6
