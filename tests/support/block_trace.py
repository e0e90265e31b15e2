"""The kernel's own times of each I/O of a block device, by its tracepoints."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.devices import sh

EVENTS = ("block/block_bio_queue", "block/block_rq_complete", "sched/sched_switch")
FILTER = 'next_comm == "iogate-engine"'
LINE = re.compile(
    r"\s(?P<s>\d+)\.(?P<us>\d{6}): (?:"
    r"(?P<event>block_\w+): (?P<major>\d+),(?P<minor>\d+) \w+ (?:\(\) )?(?P<sector>\d+) \+"
    r"|sched_switch: )"
)


@dataclass(frozen=True, slots=True)
class Traced:
    """One I/O: where it was, and its time from the queue to its completion in us; and to the
    moment when the engine next ran."""

    sector: int
    took_us: int
    woke_us: int


@dataclass(slots=True)
class BlockTrace:
    """What was traced; complete when the block that makes it ends."""

    ios: list[Traced]
    lost: bool = False


def _kernel_number(device: str) -> int:
    """As the kernel itself writes it: the I/O of others must not fill the buffer."""
    number = Path(device).stat().st_rdev
    return os.major(number) << 20 | os.minor(number)


def _take(text: str, device: str) -> list[Traced]:
    number = Path(device).stat().st_rdev
    ours = str(os.major(number)), str(os.minor(number))
    queued: dict[int, int] = {}
    done: list[tuple[int, int, int]] = []  # sector, queued and completed; waiting for the engine
    ios = []
    for match in LINE.finditer(text):
        at = int(match["s"]) * 1_000_000 + int(match["us"])
        if match["event"] is None:
            ios += [Traced(sector, end - begin, at - begin) for sector, begin, end in done]
            done.clear()
        elif (match["major"], match["minor"]) != ours:
            continue
        elif match["event"] == "block_bio_queue":
            ios += [_running(*io) for io in done]
            done.clear()
            queued[int(match["sector"])] = at
        elif int(match["sector"]) in queued:
            sector = int(match["sector"])
            done.append((sector, queued.pop(sector), at))
    return ios + [_running(*io) for io in done]


def _running(sector: int, begin: int, end: int) -> Traced:
    """One whose completion the engine saw without having slept."""
    return Traced(sector, end - begin, end - begin)


@contextmanager
def block_trace(device: str, folder: Path) -> Iterator[BlockTrace]:
    """Trace a device, in a tracing instance of our own that others do not notice."""
    point = folder / "tracefs"
    point.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tracefs", "nodev", str(point)], check=False, capture_output=True
    )
    if mounted.returncode or not (point / "events/block").exists():
        point.rmdir()
        pytest.skip("needs tracefs with block events")
    instance = point / "instances" / f"iogate-{os.getpid()}"
    trace = BlockTrace([])
    try:
        instance.mkdir()
        (instance / "trace_clock").write_text("mono")
        (instance / "buffer_size_kb").write_text("8192")
        for event in EVENTS:
            ours = FILTER if event.startswith("sched") else f"dev == {_kernel_number(device)}"
            (instance / "events" / event / "filter").write_text(ours)
            (instance / "events" / event / "enable").write_text("1")
        yield trace
        (instance / "tracing_on").write_text("0")
        trace.ios.extend(_take((instance / "trace").read_text(), device))
    finally:
        if instance.exists():
            instance.rmdir()
        sh("umount", str(point))
        point.rmdir()
