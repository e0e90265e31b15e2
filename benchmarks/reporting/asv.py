"""The same series as airspeed velocity shows them: its results format, published, and served.

Its page takes its libraries from three hosts of the network; here they come from npm's lock file
and stand beside it, which does it no harm.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from iogate_reports.site import SpecTrend

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
COLUMNS = ["result", "params", "version"]
LOCAL = {
    "jquery-3.3.1.min.js": "jquery/dist/jquery.min.js",
    "jquery.flot.min.js": "jquery-flot/jquery.flot.js",
    "jquery.flot.time.min.js": "jquery-flot/jquery.flot.time.js",
    "jquery.flot.selection.min.js": "jquery-flot/jquery.flot.selection.js",
    "jquery.flot.categories.min.js": "jquery-flot/jquery.flot.categories.js",
    "jquery.flot.orderBars.js": "flot-orderbars/js/jquery.flot.orderBars.js",
    "stupidtable.min.js": "stupid-table-plugin/stupidtable.min.js",
    "md5.min.js": "blueimp-md5/js/md5.min.js",
    "bootstrap.min.js": "bootstrap/dist/js/bootstrap.min.js",
    "bootstrap.min.css": "bootstrap/dist/css/bootstrap.min.css",
}
DRAWN = """async () => {
  const due = () => [...document.querySelectorAll('.benchmark-plot')].filter(one => {
    const {top, bottom} = one.getBoundingClientRect();
    return bottom >= 0 && top <= innerHeight;
  });
  while (!due().length || !due().every(one => one.querySelector('canvas'))) {
    await new Promise(done => setTimeout(done, 2));
  }
}"""
"""As its own page decides: a chart is made once it is in view."""


def published(spec: SpecTrend, folder: Path, libraries: Path) -> tuple[Path, float]:
    """The folder of pages that asv makes of the series, and how many seconds that took."""
    work = folder / "asv"
    work.mkdir()
    commits = list(_repository(work / "repo", [n.started_ns // 10**9 for n in spec.trend.nights]))
    _write(work / "asv.conf.json", _configuration())
    _write(work / "results" / "benchmarks.json", _benchmarks(spec))
    _write(work / "results" / "lab" / "machine.json", _MACHINE)
    lines = [dict(zip(line.series.nights, line.series.values, strict=True)) for line in spec.lines]
    for night, commit in enumerate(commits):
        rows: dict[str, list[object]] = {
            f"suite.series_{i}": [[values[night]], [], "1"]
            for i, values in enumerate(lines)
            if night in values
        }
        _write(work / "results" / "lab" / f"{commit[:8]}-env.json", _result(commit, rows))
    began = time.perf_counter()
    command = [str(_installed()), "publish", "--config", "asv.conf.json"]
    subprocess.run(command, cwd=work, check=True, capture_output=True)
    took = time.perf_counter() - began
    _localise(work / "html", libraries)
    return work / "html", took


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of its index: it reads its data by requests, which a file may not."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Nothing."""

    handler = partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/index.html"
        server.shutdown()


def _installed() -> Path:
    """asv in an environment of its own, from its own lock file."""
    venv = ROOT / "build" / "bench-asv"
    if not (venv / "bin" / "asv").is_file():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        lock = HERE / "requirements-asv.lock"
        pip = [str(venv / "bin" / "pip"), "install", "--quiet", "--require-hashes", "-r", str(lock)]
        subprocess.run(pip, check=True)
    return venv / "bin" / "asv"


def _repository(folder: Path, times: list[int]) -> Iterator[str]:
    """A commit for each night; their names, oldest first."""
    git = ["git", "-C", str(folder)]
    subprocess.run(["git", "init", "--quiet", "-b", "main", str(folder)], check=True)
    stream = "".join(
        f"commit refs/heads/main\ncommitter A <a@b.c> {at} +0000\ndata 5\nnight\n" for at in times
    )
    subprocess.run([*git, "fast-import", "--quiet"], input=stream, text=True, check=True)
    log = [*git, "log", "--reverse", "--format=%H", "main"]
    yield from subprocess.run(log, capture_output=True, text=True, check=True).stdout.split()


def _write(path: Path, document: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), "utf-8")


def _configuration() -> dict[str, object]:
    return {
        "version": 1,
        "project": "series",
        "repo": "repo",
        "branches": ["main"],
        "benchmark_dir": "benchmarks",
        "results_dir": "results",
        "html_dir": "html",
        "show_commit_url": "",
    }


_FACTS = {"arch": "x", "cpu": "x", "machine": "lab", "num_cpu": "2", "os": "x", "ram": "1"}
_MACHINE = {**_FACTS, "version": 1}


def _benchmarks(spec: SpecTrend) -> dict[str, object]:
    described: dict[str, object] = {"version": 2}
    for index, line in enumerate(spec.lines):
        name = f"suite.series_{index}"
        described[name] = {
            "name": name,
            "pretty_name": f"{line.series.case} {line.series.metric}",
            "code": "",
            "type": "track",
            "unit": line.series.unit.value,
            "param_names": [],
            "params": [],
            "timeout": 60,
            "version": "1",
        }
    return described


def _result(commit: str, rows: dict[str, list[object]]) -> dict[str, object]:
    return {
        "version": 2,
        "commit_hash": commit,
        "env_name": "env",
        "date": 0,
        "params": {**_FACTS, "python": "3.11"},
        "python": "3.11",
        "requirements": {},
        "env_vars": {},
        "result_columns": COLUMNS,
        "results": rows,
        "durations": {},
    }


def _localise(html: Path, libraries: Path) -> None:
    for name, source in LOCAL.items():
        shutil.copy(libraries / source, html / name)
    text = (html / "index.html").read_text("utf-8")
    text = re.sub(r'(src|href)="https://[^"]*/([^"/]+\.(?:js|css))"', r'\1="\2"', text)
    text = re.sub(r' (?:integrity|crossorigin|referrerpolicy)="[^"]*"', "", text)
    (html / "index.html").write_text(text, "utf-8")
