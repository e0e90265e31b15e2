"""Makes the reports in a process of its own, so that its memory is that of nothing else.

usage: python -m reporting.making report|site FOLDER    prints JSON
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

from iogate_reports import render_report
from iogate_reports.site import Site, SpecTrend, write_site
from reporting.runs import many_cases
from support.years import Story, analysed, history, year

ROUNDS = 5
SERIES, NIGHTS, CASES = 200, 365, 200


def timed(work: Callable[[], object]) -> float:
    """Seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def report(folder: Path) -> dict[str, float]:
    """Times (s) and size (bytes) of a diff report, and what it took above its data."""
    run, baseline = many_cases(CASES)
    before = peak_mib()
    times = sorted(timed(lambda: render_report(run, baseline)) for _ in range(ROUNDS))
    text = render_report(run, baseline)
    (folder / "report.html").write_text(text, "utf-8")
    size = len(text.encode("utf-8"))
    return {"s": times[ROUNDS // 2], "bytes": size, "mib": peak_mib(), "data_mib": before}


def site(folder: Path) -> dict[str, float]:
    """Times (s) of a whole site, and of one more night, which changes every page."""
    less = _trend(NIGHTS - 1)
    more = _trend(NIGHTS)
    target = folder / "site"
    cold = timed(lambda: write_site(target, Site([less]).pages()))
    nights = []
    began = processor_s()
    for round_ in range(ROUNDS):
        spec = SpecTrend((more if round_ % 2 == 0 else less).trend)
        nights.append(timed(lambda spec=spec: write_site(target, Site([spec]).pages())))  # type: ignore[misc]
    cpu = (processor_s() - began) / ROUNDS
    size = sum(path.stat().st_size for path in target.rglob("*.html"))
    pages = len(list(target.rglob("*.html")))
    night = sorted(nights)[ROUNDS // 2]
    lines, past = history(SERIES // 2, story=Story(NIGHTS))
    analysis = timed(lambda: analysed("xfs-nightly", lines, past))
    times = {"cold_s": cold, "night_s": night, "night_cpu_s": cpu, "analysis_s": analysis}
    helper = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    memory = {"mib": peak_mib(), "helper_mib": helper}
    return times | {"bytes": size, "pages": pages} | memory


def _trend(nights: int) -> SpecTrend:
    return year(SERIES // 2, story=Story(nights))


def processor_s() -> float:
    """Of this process and those that it has begun and that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def peak_mib() -> float:
    """The largest that this process has been."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    work = {"report": report, "site": site}[sys.argv[1]]
    print(json.dumps(work(Path(sys.argv[2]))))
