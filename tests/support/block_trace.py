"""The kernel's own times of each I/O of a block device, by its tracepoints."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from support.devices import sh
from support.engine_runs import built_engine, run

EVENTS = ("block/block_bio_queue", "block/block_rq_complete", "sched/sched_switch")
LINE = re.compile(
    r"\s(?P<at>\d+(?:\.\d{6})?): (?:"
    r"(?P<event>block_\w+): (?P<major>\d+),(?P<minor>\d+) \w+ (?:\(\) )?(?P<sector>\d+) "
    r"\+ (?P<count>\d+)"
    r"|sched_switch: )"
)


@dataclass(frozen=True, slots=True)
class Traced:
    """One I/O: where it was, when it was queued (us of the trace's clock), and its time from the
    queue to its completion in us; and to the moment when the program that waits next ran."""

    sector: int
    queued_us: float
    took_us: float
    woke_us: float


@dataclass(slots=True)
class BlockTrace:
    """What was traced; complete when the block that makes it ends."""

    ios: list[Traced]


def _kernel_number(device: str) -> int:
    """As the kernel itself writes it: the I/O of others must not fill the buffer."""
    number = Path(device).stat().st_rdev
    return os.major(number) << 20 | os.minor(number)


@cache
def _counter_hz() -> float:
    """Rate of the time stamp counter, as the engine measures it; 0 where it has none to trust."""
    job = "[j]\nioengine=null\nrw=read\nsize=1m\n"
    ran = run(built_engine(), ["--output-format=json", "-"], Path("/tmp"), job)
    clock = ran.document()["iogate"]["clock"]
    return float(clock["frequency_hz"]) if clock["source"] == "tsc" else 0.0


def _take(text: str, device: str, ticks_per_s: float = 1.0) -> list[Traced]:
    number = Path(device).stat().st_rdev
    ours = str(os.major(number)), str(os.minor(number))
    queued: dict[int, float] = {}
    done: list[tuple[int, float, float]] = []  # sector, queued, completed; not yet seen
    ios = []
    for match in LINE.finditer(text):
        at = float(match["at"]) * 1e6 / ticks_per_s
        if match["event"] is None:
            ios += [Traced(sector, begin, end - begin, at - begin) for sector, begin, end in done]
            done.clear()
        elif (match["major"], match["minor"]) != ours:
            continue
        elif match["event"] == "block_bio_queue":
            ios += [_running(*io) for io in done]
            done.clear()
            queued[int(match["sector"])] = at
        else:
            # Neighbours that waited together are one request.
            first, end = int(match["sector"]), int(match["sector"]) + int(match["count"])
            ended = [each for each in queued if first <= each < end]
            done += [(sector, queued.pop(sector), at) for sector in ended]
    return ios + [_running(*io) for io in done]


def _running(sector: int, begin: float, end: float) -> Traced:
    """One whose completion the engine saw without having slept."""
    return Traced(sector, begin, end - begin, end - begin)


@contextmanager
def block_trace(device: str, folder: Path, program: str = "iogate-engine") -> Iterator[BlockTrace]:
    """Trace a device and when ``program`` runs, in a tracing instance of our own that others
    do not notice."""
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
        # Other clocks are printed in whole microseconds.
        ticks = _counter_hz()
        (instance / "trace_clock").write_text("x86-tsc" if ticks else "mono")
        (instance / "buffer_size_kb").write_text("32768")
        for event in EVENTS:
            runs, ours = f'next_comm == "{program}"', f"dev == {_kernel_number(device)}"
            (instance / "events" / event / "filter").write_text(
                runs if event.startswith("sched") else ours
            )
            (instance / "events" / event / "enable").write_text("1")
        yield trace
        (instance / "tracing_on").write_text("0")
        trace.ios.extend(_take((instance / "trace").read_text(), device, ticks or 1.0))
    finally:
        if instance.exists():
            instance.rmdir()
        sh("umount", str(point))
        point.rmdir()
