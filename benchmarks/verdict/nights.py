"""How long trends take: the detector against Apache Otava's, and one new night of many series.

Otava is not a dependency: it gets an environment of its own in the user's cache, once. All are
CPU times, from the start of a process to its end: nothing here waits, so that is how long
it takes on a machine that does nothing else. The whole of ours is held against a fifth of what
Otava's analysis alone takes, without its imports and its reading.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from iogate.metrics import metric
from iogate.model.night import Night, RunFacts
from iogate.model.run import Host, Revision
from iogate.trend import Line, analyse

OTAVA = "0.8.0"
SERIES, POINTS = 500, 300
SHARE = 1 / 5
CASES, NIGHTS = 1250, 300
PROMISED_S = 5.0
_METRICS = ("write.iops", "write.bw", "write.clat.mean", "write.clat.p50", "write.clat.p99",
            "write.clat.p99.9", "cpu.usr", "cpu_per_io")  # fmt: skip
_OTAVA_SCRIPT = """
import json, sys, time
from otava.analysis import compute_change_points
series = [json.loads(line) for line in sys.stdin]
began = time.process_time()
for values in series:
    compute_change_points(values, window_len=50, max_pvalue=0.001, min_magnitude=0.0)
print(time.process_time() - began)
"""


def lines() -> list[str]:
    """Rows of the table: what, how long, the promise."""
    return [*_detect_lines(), *_night_lines()]


def _detect_lines() -> Iterator[str]:
    text = "".join(json.dumps(values.tolist()) + "\n" for values in _series())
    python = _otava_python()
    detect = [str(Path(sys.executable).parent / "iogate"), "trend", "detect"]
    otava = [str(python), "-c", _OTAVA_SCRIPT]
    rounds = [(_cpu_s(detect, text), _cpu_s(otava, text)) for _ in range(4)][1:]
    ours = float(np.median([mine for (mine, _), _ in rounds]))
    theirs = float(np.median([whole for _, (whole, _) in rounds]))
    alone = float(np.median([float(said) for _, (_, said) in rounds]))
    held = "holds" if ours <= SHARE * alone else "**does not hold**"
    yield (
        f"| `iogate trend detect`, {SERIES} series × {POINTS} points | {ours:.2f} s"
        f" | ≤ 1/5 of the {alone:.2f} s of Otava's analysis alone (1/{alone / ours:.1f};"
        f" 1/{theirs / ours:.1f} of its whole process) | {held} |"
    )


def _series() -> np.ndarray:
    """3 % noise; half of the series have a step of 10 % somewhere."""
    rng = np.random.default_rng(0)
    values = 1000 * (1 + 0.03 * rng.normal(size=(SERIES, POINTS)))
    for row in values[::2]:
        row[rng.integers(30, POINTS - 30) :] *= 0.9
    return values


def _cpu_s(command: list[str], text: str) -> tuple[float, str]:
    """CPU time of a process, and the last line that it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, input=text, text=True, check=True, stdout=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return used, done.stdout.splitlines()[-1]


def _otava_python() -> Path:
    """The Python of an environment that has Otava; made when it is missing."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "iogate-tools" / f"otava-{OTAVA}"
    python = folder / "bin" / "python"
    done = folder / "complete"
    if not done.exists():
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", f"apache-otava=={OTAVA}"]
        subprocess.run(install, check=True)
        done.touch()
    return python


def _night_lines() -> Iterator[str]:
    followed = [
        Line((f"{case:016x}",), f"case-{case}", metric(path))
        for case in range(CASES)
        for path in _METRICS
    ]
    nights = _nights(followed)
    took = []
    for _ in range(3):
        began, cpu = time.perf_counter(), time.process_time()
        trend = analyse("many", followed, nights, (), now_ns=10**19)
        took.append((time.perf_counter() - began, time.process_time() - cpu))
    used, seconds = min((cpu, clock) for clock, cpu in took)
    held = "holds" if used <= PROMISED_S else "**does not hold**"
    yield (
        f"| one new night of {len(trend.series):,} series, after {NIGHTS - 1} before"
        f" ({len(trend.alerts)} alerts), once they are read | {used:.1f} s"
        f" of CPU ({seconds:.1f} s by the clock, {os.getloadavg()[0]:.0f} at work on"
        f" {os.cpu_count()} CPUs; best of three)"
        f" | ≤ {PROMISED_S:.0f} s | {held} |"
    )


def _nights(followed: list[Line]) -> list[Night]:
    """3 % noise; one series in a hundred has a step of 10 %."""
    rng = np.random.default_rng(1)
    values = 1000 * (1 + 0.03 * rng.normal(size=(NIGHTS, len(followed))))
    values[NIGHTS - 40 :, ::100] *= 1.1
    keys = [(line.case_ids[0], line.metric.path) for line in followed]
    facts = [
        RunFacts(f"run-{n}", "many", Host("h", "m"), Revision(f"{n:040x}"), (n + 1) * 10**14)
        for n in range(NIGHTS)
    ]
    return [
        Night(fact, dict(zip(keys, row.tolist(), strict=True)))
        for fact, row in zip(facts, values, strict=True)
    ]
