"""How a command's time and memory are taken, and what they are compared as."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two medians of one run, in ``unit``, and the ratio that is promised at most."""

    what: str
    unit: str
    ours: float
    theirs: float
    limit: float

    @property
    def ratio(self) -> float:
        """Ours to theirs; less is better."""
        return self.ours / self.theirs

    @property
    def holds(self) -> bool:
        """Whether the promise was kept this time."""
        return self.ratio <= self.limit


def interleaved(
    ours: Callable[[], float], theirs: Callable[[], float], rounds: int
) -> tuple[float, float]:
    """Medians of both, measured in turns so that a noisy minute hits both; the first pair,
    which fills caches, does not count."""
    pairs = [(ours(), theirs()) for _ in range(rounds + 1)][1:]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def wall_ms(command: Sequence[str]) -> float:
    """How long a command takes from start to end, in ms."""
    start = time.perf_counter_ns()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (time.perf_counter_ns() - start) / 1e6


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of a running command and its children, in KiB."""

    largest_kib: float
    together_kib: float


def memory(command: Sequence[str], after_s: float) -> Memory:
    """Memory of a command ``after_s`` into its run: the peak of its largest process, and the
    proportional share of all of them (what is shared counts once)."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        time.sleep(after_s)
        pids = [process.pid, *_descendants(process.pid)]
        peaks = [_kib(f"/proc/{pid}/status", "VmHWM:") for pid in pids]
        shares = [_kib(f"/proc/{pid}/smaps_rollup", "Pss:") for pid in pids]
        ended = process.poll() is not None
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command))
    if ended or not shares[0]:
        raise TimeoutError(f"{command[0]} ended before its memory was read")
    return Memory(max(peaks), sum(shares))


def _descendants(pid: int) -> list[int]:
    """Children of every thread, and theirs. One that ends meanwhile has none."""
    numbers: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                numbers += [child, *_descendants(child)]
    return numbers


def _kib(path: str, key: str) -> float:
    """What a process says of itself; 0 when it has ended: its files go, or go empty."""
    with suppress(OSError):
        for line in Path(path).read_text().splitlines():
            if line.startswith(key):
                return float(line.split()[1])
    return 0.0
