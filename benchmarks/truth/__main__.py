"""Is what the engine measures what happened? Injected against measured, row by row.

usage: scripts/bench-truth [--minutes N]

Prints a Markdown table with the machine's facts and writes it to benchmarks/results/truth.md.
Exits 1 when a row did not hold. Needs root: it makes a disk of its own (FUSE and a loop
device) and reads the kernel's block tracepoints.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from truth import disks, numbers
from truth.measure import Row, engine

from support.slow_disk import slow_disk

HERE = Path(__file__).parents[1]
RESULT = HERE / "results" / "truth.md"
HEAD = """\
# truth

Made by `make bench-truth`. {machine}; the load average was {load:.1f} when it began.

Injected or seen by the kernel, against what the engine says. The disk is a FUSE image that takes
as long as it is told, behind a loop device; the kernel's times are from `block_bio_queue` to
`block_rq_complete` of the same I/Os. Between them and ours lie the system call and the wake-up of
the process that waits; that one runs with real-time priority, so that what else the machine does
delays it less, and rows "with the wake-up" take the kernel's time until it ran again
(`sched_switch`) as the truth.

| what | truth | measured | difference | goal | |
|---|---|---|---|---|---|
"""


def machine() -> str:
    """What the numbers depend on, as the other benchmarks say it."""
    spec = importlib.util.spec_from_file_location("benchmarks_main", HERE / "__main__.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.machine())


def rows(folder: Path, minutes: float) -> Iterator[Row]:
    """All of them; the clock's minute passes meanwhile, in a job that sleeps most of it."""
    pause = f"ioengine=null rw=read size=1m thinktime=50ms time_based runtime={minutes * 60:.0f}"
    with ThreadPoolExecutor(1) as pool, slow_disk(folder) as disk:
        minute = pool.submit(engine, folder / "clock", pause)
        for table in (disks.delays, disks.depths, disks.throttles, disks.counters, disks.stalls):
            yield from table(disk, folder)
        yield from numbers.histogram(folder)
        yield from numbers.clock(minute.result())


def main() -> int:
    """0 when every row held."""
    parser = argparse.ArgumentParser(prog="scripts/bench-truth", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="of the clock (1)")
    asked = parser.parse_args()
    text = HEAD.format(machine=machine(), load=os.getloadavg()[0])
    print(text, end="", flush=True)
    held = True
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(Path(folder), asked.minutes):
            print(row.markdown(), flush=True)
            text += row.markdown() + "\n"
            held = held and row.holds
    RESULT.write_text(text)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
