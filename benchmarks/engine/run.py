"""One run of an engine, and what it cost: rates as it says, CPU time as the kernel says."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

VALGRIND_TIMEOUT_S = 300


@dataclass(frozen=True, slots=True)
class Rate:
    """I/Os a second, and CPU time of an I/O in µs, children and kernel threads of the
    process included."""

    iops: float
    user_us: float
    total_us: float


def measured(engine: str, options: Sequence[str]) -> Rate:
    """One run. The CPU time is taken from outside: what each engine counts as its own differs
    (fio leaves out the kernel's io_uring workers)."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        with subprocess.Popen(
            [engine, "--name=j", "--output-format=json", f"--output={out}", *options],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, [engine, *options])
        text = out.read_text(encoding="utf-8")
    jobs = json.loads(text[text.index("{") :])["jobs"]
    ios = sum(job[way]["total_ios"] for job in jobs for way in ("read", "write"))
    iops = sum(job[way]["iops"] for job in jobs for way in ("read", "write"))
    return Rate(iops, usage.ru_utime / ios * 1e6, (usage.ru_utime + usage.ru_stime) / ios * 1e6)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Ours and theirs, round by round."""

    ours: list[Rate]
    theirs: list[Rate]

    def ratios(self) -> list[float]:
        """Ours to theirs in IOPS, of each round, ascending."""
        pairs = zip(self.ours, self.theirs, strict=True)
        return sorted(ours.iops / theirs.iops for ours, theirs in pairs)


def measure_pairs(engines: tuple[str, str], options: Sequence[str], rounds: int) -> Pairs:
    """Both engines in turns, each first in every other round: a noisy minute hits both, and
    so does what a run leaves behind."""
    rates: tuple[list[Rate], list[Rate]] = ([], [])
    for i in range(rounds):
        for which in (0, 1) if i % 2 == 0 else (1, 0):
            rates[which].append(measured(engines[which], options))
    return Pairs(*rates)


def middle(rates: Sequence[Rate]) -> Rate:
    """Their medians."""
    return Rate(
        statistics.median(r.iops for r in rates),
        statistics.median(r.user_us for r in rates),
        statistics.median(r.total_us for r in rates),
    )


def interval(ordered: Sequence[float]) -> tuple[float, float]:
    """Between which two of the values, ascending, their median lies with 95 % confidence; the
    outermost ones where there are too few to say."""
    n, cut = len(ordered), 0
    below = 1.0  # how many of the 2**n ways have the median among the lowest cut + 1
    while (below := below + math.comb(n, cut + 1)) <= 0.025 * 2**n:
        cut += 1
    return ordered[cut], ordered[-1 - cut]


@contextmanager
def first_in_line() -> Iterator[None]:
    """What else the machine does waits, as far as one is allowed to ask for that. Niceness
    would not do: it counts within a session, and each of fio's jobs has one of its own."""
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


@dataclass(frozen=True, slots=True)
class Instructions:
    """User-space instructions of an I/O, and where they are: function and share of them."""

    each: float
    functions: list[tuple[str, float]]


def instructions(engine: str, options: Sequence[str], ios: tuple[int, int]) -> Instructions:
    """By callgrind, as the difference of two lengths: start and end cancel out. Counts are of
    the process that did most, the job's own."""
    short, long = (_counts(engine, options, n) for n in ios)
    span = ios[1] - ios[0]
    delta = {name: (n - short.get(name, 0)) / span for name, n in long.items()}
    functions = sorted(delta.items(), key=lambda item: -item[1])
    return Instructions(sum(delta.values()), functions[:8])


def _counts(engine: str, options: Sequence[str], ios: int) -> dict[str, int]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                "valgrind", "--quiet", "--tool=callgrind", "--compress-strings=no",
                f"--callgrind-out-file={folder}/cg.%p", engine, "--name=j",
                f"--number_ios={ios}", "--output=out.json", *options,
            ],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=VALGRIND_TIMEOUT_S,
        )  # fmt: skip
        profiles = [_profile(path) for path in Path(folder).glob("cg.*")]
    return max(profiles, key=lambda profile: sum(profile.values()))


def _profile(path: Path) -> dict[str, int]:
    """Own instructions by function, of one callgrind file."""
    counts: dict[str, int] = {}
    function, called = "", False
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("fn="):
            function = line[3:]
        elif line.startswith("calls="):
            called = True
        elif line[:1] in "+-*0123456789" and line:
            if not called:
                counts[function] = counts.get(function, 0) + int(line.split()[1])
            called = False
    return counts
