"""Speed and memory against others, as ratios within one run.

usage: scripts/bench [BENCHMARK…] [--rounds N]

Prints a Markdown table with the machine's facts and writes it to benchmarks/results. Exits 1
when a promised ratio did not hold. Not a test: the numbers are this machine's, now.
"""

from __future__ import annotations

import argparse
import importlib
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from measure import Comparison

RESULTS = Path(__file__).parent / "results"
BENCHMARKS = ("startup", "validity", "confine")
APART = (
    "history",
    "quiet",
    "parsing",
)  # what make bench does not do: see scripts/bench-history, bench-quiet


def version(*command: str) -> str:
    """The first line of what a command says of itself."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[0]


def machine() -> str:
    """What the numbers depend on."""
    cpu = "unknown"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            cpu = line.partition(":")[2].strip()
            break
    counts = len([line for line in Path("/proc/stat").read_text().splitlines() if "cpu" in line])
    return ", ".join(
        [
            f"{cpu} ({counts - 1} CPUs)",
            f"Linux {platform.release()}",
            f"Python {platform.python_version()}",
            version(str(Path(sys.executable).parent / "iogate-engine"), "--version"),
            version(shutil.which("fio") or "fio", "--version"),
        ]
    )


def row(c: Comparison) -> str:
    """One line of the table."""
    held = "holds" if c.holds else "**does not hold**"
    return (
        f"| {c.what} | {c.ours:.1f} {c.unit} | {c.theirs:.1f} {c.unit} "
        f"| {c.ratio:.2f} | ≤ {c.limit:.2f} | {held} |"
    )


def run(name: str, rounds: int) -> bool:
    """Run one benchmark, print and keep its table; whether every promise held."""
    comparisons = list(importlib.import_module(name).comparisons(rounds))
    lines = [
        f"# {name}",
        "",
        f"{machine()}; medians of {rounds} interleaved rounds or more.",
        "",
        "| what | iogate | other | ratio | promised | |",
        "|---|---|---|---|---|---|",
        *map(row, comparisons),
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
    return all(c.holds for c in comparisons)


def main() -> int:
    """Run what was asked for, else all."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=(__doc__ or "")[:60])
    parser.add_argument("benchmark", nargs="*", help=f"of {', '.join(BENCHMARKS)}; default: all")
    parser.add_argument("--rounds", type=int, default=7, help="default: 7")
    asked = parser.parse_args()
    for name in asked.benchmark:
        if name not in BENCHMARKS + APART:
            parser.error(f"no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    held = [run(name, asked.rounds) for name in asked.benchmark or BENCHMARKS]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
