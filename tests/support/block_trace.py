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

EVENTS = ("block_bio_queue", "block_rq_complete")
LINE = re.compile(r"\s(\d+)\.(\d+): (block_\w+): (\d+),(\d+) \w+ (?:\(\) )?(\d+) \+ (\d+)")


@dataclass(frozen=True, slots=True)
class Traced:
    """One I/O: where it was, and its time from the queue to its completion in us."""

    sector: int
    took_us: int


@dataclass(slots=True)
class BlockTrace:
    """What was traced; complete when the block that makes it ends."""

    ios: list[Traced]
    lost: bool = False


def _take(text: str, device: str) -> list[Traced]:
    number = Path(device).stat().st_rdev
    queued: dict[int, int] = {}
    ios = []
    for match in LINE.finditer(text):
        seconds, fraction, event, major, minor, sector, _ = match.groups()
        if (int(major), int(minor)) != (os.major(number), os.minor(number)):
            continue
        at = int(seconds) * 1_000_000 + int(fraction.ljust(6, "0")[:6])
        if event == "block_bio_queue":
            queued[int(sector)] = at
        elif int(sector) in queued:
            ios.append(Traced(int(sector), at - queued.pop(int(sector))))
    return ios


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
            (instance / "events/block" / event / "enable").write_text("1")
        yield trace
        (instance / "tracing_on").write_text("0")
        trace.ios.extend(_take((instance / "trace").read_text(), device))
    finally:
        if instance.exists():
            instance.rmdir()
        sh("umount", str(point))
        point.rmdir()
