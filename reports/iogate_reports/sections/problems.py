"""Repetitions that gave no measurement, and warnings of those that did."""

from __future__ import annotations

from collections.abc import Iterator

from iogate.model.measurement import Measurement
from iogate_reports.data import Page
from iogate_reports.sections.base import View
from iogate_reports.text import plural, short

SHOWN = 200


def view(page: Page) -> View | None:
    """What was not measured; None where all went well."""
    run = page.run
    failures = [
        (_name(page, failure.case_id), str(failure.repetition), short(failure.reason, 1000))
        for failure in run.failures
    ]
    warnings = list(_warnings(page))
    empty = not run.measurements
    if not failures and not warnings and not empty and not page.broken:
        return None
    return {
        "broken": [short(text, 1000) for text in page.broken[:SHOWN]],
        "failures": failures[:SHOWN],
        "warnings": warnings[:SHOWN],
        "empty": empty,
        "more": max(len(failures) - SHOWN, 0)
        + max(len(warnings) - SHOWN, 0)
        + max(len(page.broken) - SHOWN, 0),
    }


def _warnings(page: Page) -> Iterator[tuple[str, str, str]]:
    """Each text once, with the case and the repetition that it is of, or how many there are."""
    told: dict[str, list[Measurement]] = {}
    for measurement in page.run.measurements:
        for text in dict.fromkeys(measurement.warnings):
            told.setdefault(short(text, 1000), []).append(measurement)
    for text, found in told.items():
        cases = dict.fromkeys(m.case_id for m in found)
        one, *others = cases
        name = plural(len(cases), "case") if others else _name(page, one)
        yield name, str(found[0].repetition) if len(found) == 1 else f"{len(found)} of them", text


def _name(page: Page, case_id: str) -> str:
    data = page.by_id.get(case_id)
    return short(data.case.name if data else case_id)
