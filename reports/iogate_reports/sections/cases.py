"""Each case in detail: charts, the job file, how to run it again."""

from __future__ import annotations

import re
from collections.abc import Mapping

from iogate.model.plan import Case
from iogate_reports.charts import CASE_CHARTS
from iogate_reports.data import CaseData, Page
from iogate_reports.sections.base import View
from iogate_reports.text import command_line, plural, short, without_options
from iogate_reports.words import ERROR, OUTCOMES, Word

ALL_OPEN = 8
"""With so few cases all stand open; else those that did not pass, up to this many more."""
LONGEST_JOB_FILE = 20_000


def view(page: Page) -> View | None:
    """The cases in plan order; None for a spec without any."""
    if not page.cases:
        return None
    views = [_case(page, one) for one in page.cases]
    wanted = [one for one in views if _wants_look(one)]
    opened = views if len(views) <= ALL_OPEN else wanted[: ALL_OPEN * 2]
    return {"cases": views, "opened": {one["anchor"] for one in opened}}


def _wants_look(one: Mapping[str, object]) -> bool:
    word = one["word"]
    return isinstance(word, Word) and word.key != "pass"


def _case(page: Page, one: CaseData) -> dict[str, object]:
    figures = [figure for chart in CASE_CHARTS.values() for figure in chart(one)]
    text, exact = job_file(page.job_files, one.case)
    return {
        "anchor": one.anchor,
        "name": short(one.case.name),
        "description": short(one.case.description, 600),
        "word": worst(one),
        "count": plural(len(one.measurements), "repetition"),
        "figures": figures,
        "missing": _missing(one),
        "job_file": text,
        "exact": exact,
        "command": reproduce(page, one.case),
        "id": short(one.case.id, 40),
        "tags": [short(tag, 40) for tag in one.case.tags],
        "raw": [short(m.raw_file, 200) for m in one.measurements if m.raw_file],
    }


def worst(one: CaseData) -> Word | None:
    """The case's word: not measured, else its worst threshold's; None without any."""
    if one.failures and not one.measurements:
        return ERROR
    words = [OUTCOMES[verdict.outcome] for verdict in one.thresholds]
    return min(words, key=lambda word: word.rank, default=None)


def _missing(one: CaseData) -> str:
    """Why a chart that a reader expects is not there."""
    if not one.measurements:
        return "No repetition of this case gave a measurement, so there is nothing to draw."
    jobs = [job for m in one.measurements for job in m.jobs]
    gaps = []
    if not any(job.series and job.series.intervals for job in jobs):
        gaps.append("no time series")
    if not any(d.clat and d.clat.histogram for job in jobs for d in job.directions.values()):
        gaps.append("no latency histogram")
    return f"The engine kept {' and '.join(gaps)} for this case." if gaps else ""


def job_file(job_files: Mapping[str, str], case: Case) -> tuple[str, bool]:
    """The job file's text, and whether it is the file that ran (else the case's options)."""
    text = job_files.get(case.id)
    if text is not None:
        return _cut(text), True
    parts = []
    for job in case.jobs:
        lines = [f"[{short(job.name)}]"]
        lines += [f"{key}={value}" for key, value in job.options.items()]
        parts.append("\n".join(lines))
    return _cut("\n\n".join(parts)), False


def _cut(text: str) -> str:
    if len(text) <= LONGEST_JOB_FILE:
        return text
    return text[:LONGEST_JOB_FILE] + "\n… cut here; the run folder holds the whole file"


def reproduce(page: Page, case: Case) -> str:
    """The run's own command, narrowed to one case."""
    if not page.run.command:
        return ""
    # Options take globs: a bracket makes each special character stand for itself.
    pattern = re.sub(r"([*?\[])", r"[\1]", case.name)
    again = without_options(page.run.command, ("--case", "--output"))
    return short(command_line((*again, "--case", pattern)), 1000)
