"""Real comparisons of a device with itself on a loaded machine: no fail, and no green that saw
nothing. That other work disturbs them is not looked for, or none would be judged: it is noise
here, for the verdict to stand."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any

LIMIT, SEES = 0.02, 3.0  # of the specs, and what compare.sees is unless a spec says other
_BURST = "x = 0\nwhile True: x = x * 1103515245 + 12345 & 0xffffffff"
_WRITES = """\
import os, sys
while True:
    with open(sys.argv[1], "wb", buffering=0) as file:
        for _ in range(64): file.write(bytes(1 << 20))
        os.fsync(file.fileno())
"""
UNWATCHED = "validity: { off: [all] }\n"
HEAD = """\
| with itself | metric | of | fail | pass | inconclusive | change | sees | blocks | seconds |
|---|---|---|---|---|---|---|---|---|---|
"""


@contextmanager
def load(folder: Path) -> Iterator[None]:
    """What a busy machine does beside: a process a CPU that computes, and one that writes."""
    writer = [sys.executable, "-c", _WRITES, str(folder / "written")]
    burners = [[sys.executable, "-c", _BURST]] * (os.cpu_count() or 1)
    with ExitStack() as stack:
        for command in (writer, *burners):
            stack.enter_context(_running(command))
        time.sleep(1)
        yield


@contextmanager
def _running(command: Sequence[str]) -> Iterator[None]:
    process = subprocess.Popen(command)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Markdown: a line for each device and metric."""
    text = HEAD
    for what in dict.fromkeys(row["what"] for row in rows):
        runs = [row for row in rows if row["what"] == what]
        for metric in dict.fromkeys(limit["metric"] for row in runs for limit in row["thresholds"]):
            text += _line(what, metric, runs)
    loads = sorted(row["load"] for row in rows)
    return f"{text}\nThe load average was {loads[0]:.1f} to {loads[-1]:.1f}.\n"


def _line(what: str, metric: str, runs: Sequence[Mapping[str, Any]]) -> str:
    limits = [limit for row in runs for limit in row["thresholds"] if limit["metric"] == metric]
    counts = [sum(limit["outcome"] == name for limit in limits) for name in ("fail", "pass")]
    cells = (
        what, f"`{metric}`", len(limits), *counts, len(limits) - sum(counts),
        _span(limits, "change"), _span(limits, "visible_change"),
        f"{fmean(limit['blocks'] for limit in limits):.1f}",
        f"{fmean(row['seconds'] for row in runs):.0f}",
    )  # fmt: skip
    return f"| {' | '.join(str(cell) for cell in cells)} |\n"


def _span(limits: Sequence[Mapping[str, Any]], key: str) -> str:
    values = sorted(100 * limit[key] for limit in limits if limit.get(key) is not None)
    return f"{values[0]:+.1f} … {values[-1]:+.1f} %" if values else "–"


def broken(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What was promised of them and is not so, a sentence each."""
    limits = [(row, limit) for row in rows for limit in row["thresholds"]]
    return [
        f"{row['what']}, seed {row['seed']}, {limit['metric']}: {wrong}"
        for row, limit in limits
        if (wrong := _wrong(limit))
    ]


def _wrong(limit: Mapping[str, Any]) -> str:
    if limit["outcome"] == "fail":
        return f"failed at {limit['change']:+.1%}"
    if limit["outcome"] != "pass" or _is_within(limit):
        return ""
    sees = limit.get("visible_change")
    # So many times the limit as ratios go: three times +2 % is 1.02 cubed.
    if sees is not None and abs(math.log1p(sees)) <= SEES * abs(math.log1p(_limit(limit))) + 1e-9:
        return ""
    return f"passed, and its blocks see {sees if sees is None else format(sees, '+.1%')}"


def _is_within(limit: Mapping[str, Any]) -> bool:
    """Whether all of the interval is on the right side of the limit."""
    interval = limit.get("change_interval")
    if not interval:
        return False
    bound = _limit(limit)
    return bool(interval["low"] >= bound if bound < 0 else interval["high"] <= bound)


def _limit(limit: Mapping[str, Any]) -> float:
    return -LIMIT if limit["metric"].endswith("iops") else LIMIT
