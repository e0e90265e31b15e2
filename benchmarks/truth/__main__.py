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

from truth import disks, limits, numbers
from truth.measure import DISK_AT_ONCE, Row, engine

from support.slow_disk import slow_disk

HERE = Path(__file__).parents[1]
RESULT = HERE / "results" / "truth.md"
TABLES = (
    disks.delays, disks.elsewhere, disks.depths,
    limits.throttles, limits.counters, limits.stalls,
)  # fmt: skip
HEAD = """\
# truth

Made by `make bench-truth`. {machine}; the load average was {load:.1f} when it began.

Injected or seen by the kernel, against what the engine says of the same I/Os; and how far fio is
off, measured the same way against the kernel's times of its own I/Os. The disk is a FUSE image that
takes as long as it is told, behind a loop device. The kernel's times are from `block_bio_queue` to
`block_rq_complete`. A system call begins before and returns after: clat of psync has to be longer
by the way into the kernel and by the wake-up of the process that waits. (Only polling would spare
it, `hipri`, which no loop, zram or FUSE device offers.) How long the wake-up takes is up to the
machine, so the disk and the engine share one CPU, with real-time priority: there it is a switch of
processes. Rows "until it ran again" take the kernel's time up to that switch (`sched_switch`), and
rows "on any CPU" show what the machine adds where the kernel places both. The way in and out takes
4 to 6 µs, ours and fio's, by how busy the machine is: at 200 µs, where the goal is 5 µs, the bare
difference is told and the one until it ran again is judged. Latencies were measured in three
rounds, ours and fio in turn; each row is the round with the median difference.

| what | truth | measured | difference | fio's difference | goal | |
|---|---|---|---|---|---|---|
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
    with ThreadPoolExecutor(1) as pool, slow_disk(folder, prefix=DISK_AT_ONCE) as disk:
        minute = pool.submit(engine, folder / "clock", pause)
        for table in TABLES:
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
