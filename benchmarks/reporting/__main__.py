"""How long reports take to make, how large they are, and how soon a browser shows them.

usage: scripts/bench-reports [--rounds N]

Writes benchmarks/results/reports.md and prints it. Exits 1 when a promise did not hold. Not a
test: the numbers are this machine's, now.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from reporting import asv
from reporting.browser import Painted, Shown, eager_pages, from_disk, libraries, painted
from reporting.making import CASES, NIGHTS, SERIES
from support.years import Story, year

RESULT = Path(__file__).parents[1] / "results" / "reports.md"


def made(what: str, folder: Path) -> dict[str, float]:
    """What ``reporting.making`` says of itself."""
    command = [sys.executable, "-m", "reporting.making", what, str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds: dict[str, float] = json.loads(done.stdout)
    return seconds


class Table:
    """Rows of a Markdown table, and whether every promise in it held."""

    def __init__(self) -> None:
        self.rows: list[str] = []
        self.holds = True

    def add(self, what: str, value: float, unit: str, most: float | None) -> None:
        """``most`` is what is promised at most."""
        holds = most is None or value <= most
        self.holds = self.holds and holds
        promised = "" if most is None else f"≤ {most:g} {unit}"
        word = "" if most is None else "holds" if holds else "**does not hold**"
        self.rows.append(f"| {what} | {value:.3g} {unit} | {promised} | {word} |")


def fill(table: Table, folder: Path, rounds: int) -> None:
    """All that is measured."""
    report = made("report", folder)
    table.add(f"diff report of {CASES} cases, made in", report["s"], "s", 1.5)
    table.add("its size", report["bytes"] / 1e6, "MB", 1.0)
    table.add("memory of the process, with the run's data", report["mib"], "MiB", None)
    table.add("of which the data alone", report["data_mib"], "MiB", None)
    site = made("site", folder)
    table.add(f"trend site of {SERIES} series × {NIGHTS} nights, cold", site["cold_s"], "s", 3.0)
    table.add("one more night (every page changes)", site["night_s"], "s", 0.5)
    table.add("processor time of that", site["night_cpu_s"], "s", None)
    table.add("finding the changes of level, before that", site["analysis_s"], "s", None)
    table.add("memory of the process, with the analysis", site["mib"], "MiB", 250)
    table.add("of each that helps it, mostly shared with it", site["helper_mib"], "MiB", None)
    table.add(f"its {site['pages']:.0f} pages", site["bytes"] / 1e6, "MB", None)
    seen = _seen(folder, rounds, table)
    ours = seen["index"]
    table.add("its index, painted in", ours.ms, "ms", None)
    for name, most in (("uPlot", 0.25), ("Plotly", 0.1), ("uPlot bare", None)):
        ratio = ours.ms / seen[name].ms
        table.add(f"against {name}, all drawn at once", ratio, "×", most)
    above = (ours.ms - seen["blank"].ms) / (seen["uPlot bare"].ms - seen["blank"].ms)
    table.add("the same, each above a blank page", above, "×", None)
    table.add("against asv's page, from this machine", ours.ms / seen["asv"].ms, "×", None)
    table.rows.extend(_browser_rows(seen))


def _seen(folder: Path, rounds: int, table: Table) -> dict[str, Painted]:
    spec = year(SERIES // 2, story=Story(NIGHTS))
    files = {"index": folder / "site" / "index.html", **eager_pages(spec, folder)}
    files["diff report"] = folder / "report.html"
    pages = {name: from_disk(path) for name, path in files.items()}
    html, took = asv.published(spec, folder, libraries())
    size = sum(path.stat().st_size for path in html.rglob("*") if path.is_file())
    table.add("asv 0.6.6, the same series, published in", took, "s", None)
    with asv.served(html) as address:
        pages["asv"] = Shown(address, size, asv.DRAWN)
        return painted(pages, rounds)


def _browser_rows(seen: dict[str, Painted]) -> Iterator[str]:
    for name, page in seen.items():
        yield (
            f"| {name}: painted, heap, page | {page.ms:.0f} ms, {page.heap / 1e6:.1f} MB, "
            f"{page.size / 1e6:.2f} MB | | |"
        )


def main() -> int:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="scripts/bench-reports")
    parser.add_argument("--rounds", type=int, default=5, help="of the browser; default: 5")
    rounds = parser.parse_args().rounds
    table = Table()
    with tempfile.TemporaryDirectory() as name:
        fill(table, Path(name), rounds)
    load = os.getloadavg()[0]
    head = [
        "# reports",
        "",
        f"Made by `make bench-reports`: medians, {os.cpu_count()} CPUs, load {load:.1f} at the",
        "end; pages opened from disk by headless Chromium, offline. The index shows every series",
        "small and still, and a chart is made once it is looked at; uPlot and Plotly make all of",
        "those charts at once, in the size and with the axes that the site gives them. uPlot bare",
        "draws 240 × 30 px lines and nothing else; blank is a page with a word in it, the least",
        "that any page takes. asv draws what is in view, as we do; its libraries and data come",
        "from a server on this machine, and its size is that of all it wrote.",
        "",
        "| what | measured | promised | |",
        "|---|---|---|---|",
    ]
    text = "\n".join([*head, *table.rows]) + "\n"
    print(text)
    RESULT.write_text(text, encoding="utf-8")
    return 0 if table.holds else 1


if __name__ == "__main__":
    sys.exit(main())
