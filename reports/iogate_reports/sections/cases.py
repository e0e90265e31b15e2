"""Each case in detail: charts, the job file, how to run it again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from markupsafe import Markup

from iogate.model.measurement import Measurement
from iogate.model.plan import Case
from iogate_reports.cases_in_full import in_full, worst
from iogate_reports.charts import CASE_CHARTS, glance
from iogate_reports.charts.base import Figure
from iogate_reports.charts.waits import waits
from iogate_reports.data import CaseData, Page, called
from iogate_reports.labels import Word
from iogate_reports.sections.base import View
from iogate_reports.sections.observations import as_text, metrics
from iogate_reports.text import command_line, plural, short, without_options

ALL_OPEN = 8
"""With so few cases all stand open; else those that did not pass, up to this many more."""
MOST_SHOWN = 400
"""Beyond so many, cases that passed are counted, not shown."""
LONGEST_JOB_FILE = 20_000
_RAW = re.compile(r"(?:raw|logs/[\w-]{1,120})/[\w.-]{1,120}")


def view(page: Page) -> View | None:
    """The cases in plan order; None for a spec without any."""
    if not page.cases:
        return None
    full = in_full(page)
    shown = _shown(page.cases, full)
    views = [
        _full(page, data) if data.anchor in full else _at_a_glance(page, data) for data in shown
    ]
    wanted = [case_view for case_view in views if _wants_look(case_view)]
    opened = views if len(views) <= ALL_OPEN else wanted[: ALL_OPEN * 2]
    return {
        "cases": views,
        "opened": {case_view["anchor"] for case_view in opened},
        "caption": glance.CAPTION if len(full) < len(views) else "",
        "left_out": len(page.cases) - len(shown),
        "zooms": [f.zoom for case_view in views for f in _of(case_view) if f.zoom is not None],
    }


def _shown(cases: Sequence[CaseData], full: frozenset[str]) -> list[CaseData]:
    """As many as fit, those in full among them; in plan order."""
    if len(cases) <= MOST_SHOWN:
        return list(cases)
    room = MOST_SHOWN - len(full)
    others = [data.anchor for data in cases if data.anchor not in full][:room]
    kept = full.union(others)
    return [data for data in cases if data.anchor in kept]


def _of(view: Mapping[str, object]) -> Sequence[Figure]:
    figures = view["figures"]
    return figures if isinstance(figures, tuple) else ()


def _wants_look(case_view: Mapping[str, object]) -> bool:
    word = case_view["word"]
    return isinstance(word, Word) and word.key != "pass"


def _at_a_glance(page: Page, data: CaseData) -> dict[str, object]:
    return _common(page, data) | {
        "description": "",
        "metrics": None,
        "metrics_text": as_text(data),
        "glance": Markup(glance.draw(data)),  # noqa: S704 - our own SVG
        "figures": (),
        "missing": "" if data.measurements else _missing(data),
        "command": "",
        "id": "",
        "tags": (),
    }


def _full(page: Page, data: CaseData) -> dict[str, object]:
    return _common(page, data) | {
        "description": short(data.case.description, 600),
        "glance": "",
        "metrics": metrics(data),
        "metrics_text": "",
        "figures": tuple(_figures(data)),
        "missing": _missing(data),
        "command": reproduce(page, data.case),
        "id": short(data.case.id, 40),
        "tags": [short(tag, 40) for tag in data.case.tags],
    }


def _figures(data: CaseData) -> Iterator[Figure]:
    """All charts of a case. Those that can be zoomed have an id, and zoom together."""
    figures = (figure for chart in CASE_CHARTS.values() for figure in chart(data))
    for index, figure in enumerate(figures):
        if figure.zoom is None:
            yield figure
        else:
            name = f"{data.anchor}-{index}"
            zoom = replace(figure.zoom, id=name, group=data.anchor)
            yield replace(figure, id=name, zoom=zoom)


def _common(page: Page, data: CaseData) -> dict[str, object]:
    text, exact = job_file(page.job_files, data.case)
    return {
        "anchor": data.anchor,
        "name": short(data.case.name),
        "word": worst(data),
        "count": _count(data),
        "hidden": [told for each in waits(data.measurements) if (told := each.told())],
        "job_file": text,
        "exact": exact,
        "raw": _raw_results(page, data),
    }


def _own(data: CaseData) -> list[Measurement]:
    """What this run measured of the case, in the order it ran; in a comparison of both arms."""
    arms = [m for m in data.baseline if m.arm]
    return sorted((*data.measurements, *data.disturbed, *arms), key=lambda m: m.started_ns)


def _raw_results(page: Page, data: CaseData) -> dict[str, list[tuple[str, str, str]]]:
    """Each arm's, or the run's under no name: what a result is called, its file, its address."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    own = _own(data)
    for name, one in zip(called(own), own, strict=True):
        if one.raw_file:
            raw = name, *_raw(one.raw_file, page.in_folder)
            found.setdefault(short(one.arm, 40), []).append(raw)
    return found


def _count(data: CaseData) -> str:
    blocks = {m.block for m in data.measurements if m.arm}
    text = plural(len(blocks), "block") if blocks else plural(len(data.measurements), "repetition")
    spoiled = sum(m.disturbed for m in data.disturbed)
    return f"{text}, and {spoiled} disturbed" if spoiled else text


def _raw(file: str, beside: bool) -> tuple[str, str]:
    """A raw file's name, and its address where it lies beside the report."""
    return short(file, 200), file if beside and _RAW.fullmatch(file) else ""


def _missing(data: CaseData) -> str:
    """Why a chart that a reader expects is not there."""
    if not data.measurements and data.disturbed:
        shown = any(observation.disturbed for observation in data.observations)
        so = "their values are pale dots, and not judged" if shown else "there is nothing to draw"
        return f"Every repetition of this case was disturbed: {so}."
    if not data.measurements:
        return "No repetition of this case gave a measurement, so there is nothing to draw."
    jobs = [job for m in data.measurements for job in m.jobs]
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
