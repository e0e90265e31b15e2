"""How soon Chromium has painted a page from disk, and what its scripts hold."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from iogate_reports.site import SpecTrend
from iogate_reports.trend_lines import Line

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
SETTLED = """async () => {
  await window.drawn;
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  return [performance.now(), performance.memory.usedJSHeapSize];
}"""


@dataclass(frozen=True, slots=True)
class Painted:
    """Medians: from the start of the navigation to the second frame after everything was
    drawn, in ms; the heap in bytes; and the page's size."""

    ms: float
    heap: float
    size: int


def libraries() -> Path:
    """The folder of what npm's lock file names."""
    web = ROOT / "build" / "bench-web"
    web.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, web)
    installed, lock = web / "node_modules" / ".lock", web / "package-lock.json"
    if not installed.is_file() or installed.read_bytes() != lock.read_bytes():
        npm = shutil.which("npm") or "npm"
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(command, cwd=web, check=True, stdout=subprocess.DEVNULL)
        shutil.copy(lock, installed)
    return web / "node_modules"


def eager_pages(spec: SpecTrend, folder: Path) -> dict[str, Path]:
    """The same series, all drawn at once. ``uPlot`` and ``Plotly`` draw each as the site does
    once it is looked at, in that size: with axes, a cursor, a legend, and the band as two more
    lines. ``uPlot bare`` draws a line and nothing else. ``blank`` is the floor: a page that
    holds a word."""
    series = [_columns(line) for line in spec.lines]
    library_folder = libraries()
    uplot, plotly = (
        library_folder / "uplot" / "dist",
        library_folder / "plotly.js-basic-dist-min",
    )
    uplot_code, style = _text(uplot / "uPlot.iife.min.js"), _text(uplot / "uPlot.min.css")
    large, small = (1100, 280), (240, 30)
    pages = {
        "uPlot": _page(series, uplot_code, UPLOT, large, style),
        "Plotly": _page(series, _text(plotly / "plotly-basic.min.js"), PLOTLY, large),
        "uPlot bare": _page([columns[:2] for columns in series], uplot_code, BARE, small, style),
        "blank": "<!doctype html><title>blank</title>blank",
    }
    paths = {name: folder / f"{name}.html" for name in pages}
    for name, text in pages.items():
        paths[name].write_text(text, "utf-8")
    return paths


def _text(path: Path) -> str:
    return path.read_text("utf-8").replace("</script", "<\\/script")


def _columns(line: Line) -> list[list[float]]:
    """Times (s), values, and the ends of the band."""
    ends: list[list[float]] = [[], []]
    for segment in line.segments:
        ends[0] += [segment.low] * (segment.last - segment.first + 1)
        ends[1] += [segment.high] * (segment.last - segment.first + 1)
    return [[t * 60 for t in line.times], list(line.series.values), *ends]


def _page(
    series: Sequence[object], library: str, draw: str, size: tuple[int, int], style: str = ""
) -> str:
    cells = f'<div class="c" style="width:{size[0]}px;height:{size[1]}px"></div>' * len(series)
    return (
        f"<!doctype html><meta charset=utf-8><title>eager</title><style>{style}</style>{cells}"
        f"<script>{library}</script><script>const data = {json.dumps(series)};"
        f"const cells = document.querySelectorAll('.c'), W = {size[0]}, H = {size[1]};{draw}"
        "</script>"
    )


UPLOT = """
const lines = ['#0072b2', '#999', '#999'].map((stroke, i) => ({label: 'series ' + i, stroke}));
data.forEach((d, i) => new uPlot({width: W, height: H - 60, series: [{}, ...lines]}, d, cells[i]));
window.drawn = Promise.resolve();
"""
BARE = """
const none = {axes: [{show: false}, {show: false}], legend: {show: false}, cursor: {show: false}};
const line = {stroke: '#0072b2', points: {show: false}};
data.forEach((d, i) => new uPlot({width: W, height: H, series: [{}, line], ...none}, d, cells[i]));
window.drawn = Promise.resolve();
"""
PLOTLY = """
window.drawn = Promise.all(data.map((d, i) => {
  const x = d[0].map(t => new Date(t * 1000));
  const traces = d.slice(1).map(y => ({x, y, mode: 'lines'}));
  return Plotly.newPlot(cells[i], traces, {width: W, height: H});
}));
"""


@dataclass(frozen=True, slots=True)
class Shown:
    """A page by its address. ``drawn`` is a script that waits until its charts are."""

    address: str
    size: int
    drawn: str = "async () => {}"


def from_disk(path: Path) -> Shown:
    """A page that is a file."""
    return Shown(path.as_uri(), path.stat().st_size)


def painted(pages: Mapping[str, Shown], rounds: int) -> dict[str, Painted]:
    """Each page in turn, each time in a context of its own; what is a file, offline."""
    chromium = os.environ.get("IOGATE_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as engine:
        flags = ["--no-sandbox", "--enable-precise-memory-info"]
        browser = engine.chromium.launch(executable_path=chromium, args=flags)
        seen: dict[str, list[tuple[float, float]]] = {name: [] for name in pages}
        for _ in range(rounds + 1):
            for name, page in pages.items():
                seen[name].append(_once(browser, page))
        browser.close()
    return {
        name: Painted(
            statistics.median(ms for ms, _ in timings[1:]),
            statistics.median(heap for _, heap in timings[1:]),
            pages[name].size,
        )
        for name, timings in seen.items()
    }


def _once(browser: Browser, shown: Shown) -> tuple[float, float]:
    offline = shown.address.startswith("file:")
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=offline)
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.goto(shown.address)
    page.evaluate(shown.drawn)
    ms, heap = page.evaluate(SETTLED)
    context.close()
    return float(ms), float(heap)
