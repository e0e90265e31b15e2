"""How to read the page: every word it uses for a verdict or a change."""

from __future__ import annotations

from iogate_reports.data import CURVE_BASELINES, Page
from iogate_reports.history import DAYS
from iogate_reports.labels import CHANGE_WORDS, ERROR, outcomes
from iogate_reports.sections.base import View


def view(page: Page) -> View:
    """The words, and the numbers of the baseline rule."""
    rule = page.run.plan.baseline
    return {
        "words": (*outcomes(page.run).values(), ERROR),
        "changes": CHANGE_WORDS,
        "days": DAYS,
        "compared": page.run.plan.comparison is not None,
        "window": rule.window,
        "min_samples": rule.min_samples,
        "curves": CURVE_BASELINES,
    }
