"""The engine's speed and memory beside fio's, in one run.

usage: scripts/bench-engine [--rounds N] [--seconds S]

Prints Markdown tables with the machine's facts and writes them to
benchmarks/results/engine.md. Exits 1 when a goal was missed; then the last table says where
its instructions go. Not a test: the numbers are this machine's, now.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import signal
import statistics
import sys
from pathlib import Path

from engine.cases import COUNTED, TIMED, Counted, Place, Timed
from engine.places import places
from engine.run import (
    Instructions,
    first_in_line,
    instructions,
    interval,
    measure_pairs,
    middle,
)
from measure import memory

RESULT = Path(__file__).parents[1] / "results" / "engine.md"
IOS = (2000, 42000)
HEAD = """\
# engine

Made by `make bench-engine`. {machine}.

Instructions are those of user space, of the job's process, an I/O, by callgrind as the difference
of {short:,} and {long:,} I/Os. Rates are medians of {rounds} rounds of {seconds:g} s, both engines
in turns and each first in every other round, as real-time processes where the machine allows
them; a ratio of IOPS is the median over the rounds, with its 95 % interval. Where the interval
holds the goal, noise decides on which side a ratio falls: so it is where the device is the limit.
CPU time is what the kernel charged the whole process tree, its io_uring workers included.
"""


def machine() -> str:
    """What the numbers depend on, as the benchmarks beside this one say it."""
    path = Path(__file__).parents[1] / "__main__.py"
    spec = importlib.util.spec_from_file_location("bench", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.machine())


class Report:
    """Lines of the tables so far, and whether every goal was met."""

    def __init__(self, ours: str, theirs: str) -> None:
        self.engines = (ours, theirs)
        self.lines: list[str] = []
        self.missed: list[tuple[str, Instructions | None]] = []

    def add(self, line: str) -> None:
        """One line, at once on the screen, too."""
        print(line, flush=True)
        self.lines.append(line)

    def verdict(self, what: str, held: bool, counted: Instructions | None = None) -> str:
        """A cell; what is missed is kept for the end."""
        if not held:
            self.missed.append((what, counted))
        return "met" if held else "**missed**"


def count(report: Report, case: Counted, where: list[str]) -> None:
    """One row of instructions."""
    options = [*case.options.split(), *where]
    ours, theirs = (instructions(engine, options, IOS) for engine in report.engines)
    goal, held = "", True
    if case.most:
        goal, held = f"≤ {case.most:.0f}", ours.each <= case.most
    elif case.share:
        goal, held = "≤ 1/3 of fio's", ours.each <= case.share * theirs.each
    cell = report.verdict(case.what, held, ours) if goal else ""
    report.add(
        f"| {case.what} | {ours.each:.0f} | {theirs.each:.0f} "
        f"| {ours.each / theirs.each:.2f} | {goal} | {cell} |"
    )


def time_it(report: Report, case: Timed, where: list[str], rounds: int, seconds: float) -> None:
    """One row of rates and CPU time."""
    runtime = f"--runtime={seconds * 1000:.0f}ms"
    pairs = measure_pairs(
        report.engines, [*case.options.split(), *where, "--time_based=1", runtime], rounds
    )
    ours, theirs = middle(pairs.ours), middle(pairs.theirs)
    ratios = pairs.ratios()
    iops, (low, high) = statistics.median(ratios), interval(ratios)
    user, total = ours.user_us / theirs.user_us, ours.total_us / theirs.total_us
    goal, held = f"IOPS ≥ {case.iops:g}×", high >= case.iops
    if case.user and case.total:
        goal += f", user ≤ {case.user:g}×, total ≤ {case.total:g}×"
        held = held and user <= case.user and total <= case.total
    cell = report.verdict(case.what, held)
    if held and iops < case.iops:
        cell += ", as far as noise can tell"
    report.add(
        f"| {case.what} | {ours.iops / 1e3:.1f} k · {theirs.iops / 1e3:.1f} k "
        f"| {iops:.2f} ({low:.2f}–{high:.2f}) "
        f"| {ours.user_us:.2f} · {theirs.user_us:.2f} | {user:.2f} "
        f"| {ours.total_us:.2f} · {theirs.total_us:.2f} | {total:.2f} "
        f"| {goal} | {cell} |"
    )


def remember(report: Report, jobs: int) -> None:
    """One row of memory."""
    options = f"--ioengine=null --iodepth=32 --rw=randread --size=256m --numjobs={jobs}"
    extra = ["--time_based=1", "--runtime=4", "--group_reporting=1", "--thinktime=1ms"]
    command = ["--name=j", *options.split(), *extra]
    ours, theirs = (memory([engine, *command], 2.5) for engine in report.engines)
    ratio = ours.together_kib / theirs.together_kib
    report.add(
        f"| {jobs} | {ours.together_kib / 1024:.1f} · {theirs.together_kib / 1024:.1f} MiB "
        f"| {ratio:.2f} | ≤ 0.33 | {report.verdict(f'memory, {jobs} jobs', ratio <= 1 / 3)} |"
    )


def measure_all(
    report: Report, arguments: dict[Place, list[str]], rounds: int, seconds: float
) -> None:
    """Every row, table after table."""
    report.add(
        "\n| instructions an I/O | iogate | fio | ratio | goal | |\n|---|---|---|---|---|---|"
    )
    for counted in COUNTED:
        count(report, counted, arguments[counted.place])
    report.add(
        "\n| rates (iogate · fio) | IOPS | ratio | user µs an I/O | ratio | CPU µs an I/O | ratio "
        "| goal | |\n|---|---|---|---|---|---|---|---|---|"
    )
    for timed in TIMED:
        if timed.place in arguments:
            with first_in_line():
                time_it(report, timed, arguments[timed.place], rounds, seconds)
    report.add("\n| jobs | memory (iogate · fio) | ratio | goal | |\n|---|---|---|---|---|")
    for jobs in (1, 256):
        remember(report, jobs)


def explain(report: Report) -> None:
    """Where the instructions of missed goals go."""
    for what, counted in report.missed:
        if counted:
            parts = ", ".join(f"{name} {n:.0f}" for name, n in counted.functions if n >= 1)
            report.add(f"\nMissed: {what}; its instructions: {parts}.")


def main() -> int:
    """Measure all of it."""
    parser = argparse.ArgumentParser(prog="scripts/bench-engine", description=(__doc__ or "")[:60])
    parser.add_argument("--rounds", type=int, default=15, help="default: 15")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each run; default: 0.5")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that devices go, too
    beside = Path(sys.executable).parent / "iogate-engine"
    report = Report(os.environ.get("IOGATE_ENGINE", str(beside)), shutil.which("fio") or "fio")
    report.add(
        HEAD.format(
            machine=machine(), short=IOS[0], long=IOS[1], rounds=asked.rounds,
            seconds=asked.seconds,
        )
    )  # fmt: skip
    with places() as arguments:
        measure_all(report, arguments, asked.rounds, asked.seconds)
    explain(report)
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text("\n".join(report.lines) + "\n", encoding="utf-8")
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
