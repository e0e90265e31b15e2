"""Repetitions that gave no measurement, and warnings of those that did."""

from __future__ import annotations

from iogate_reports.data import Page
from iogate_reports.sections.base import View
from iogate_reports.text import short

SHOWN = 200


def view(page: Page) -> View | None:
    """What was not measured; None where all went well."""
    run = page.run
    failures = [
        (_name(page, failure.case_id), str(failure.repetition), short(failure.reason, 1000))
        for failure in run.failures
    ]
    warnings = [
        (_name(page, measurement.case_id), str(measurement.repetition), short(text, 1000))
        for measurement in run.measurements
        for text in measurement.warnings
    ]
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


def _name(page: Page, case_id: str) -> str:
    data = page.by_id.get(case_id)
    return short(data.case.name if data else case_id)
