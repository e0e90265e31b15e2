"""The verdict in one sentence with its cause, as the first screen says it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from iogate.model.run import Run
from iogate.model.verdict import Outcome
from iogate_reports.data import Page
from iogate_reports.rows import Row, needs_reason, rows
from iogate_reports.text import plural

_TELLING = (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.WARN)
_ENDED = {
    "fail": "broken",
    "warn": "broken, but only warns",
    "inconclusive": "undecided",
    "missing": "without a baseline",
}


@dataclass(frozen=True, slots=True)
class Cause:
    """``headline`` names the worst limit; ``detail`` is its numbers, ``rest`` the others."""

    headline: str
    detail: str = ""
    rest: str = ""


def cause(page: Page, sentence: str) -> Cause:
    """What decided the run; ``sentence`` where no single limit did."""
    found = rows(page) if _has_cause(page.run) else []
    wanted = _deciding(page.run, found)
    if wanted is None:
        return Cause(_capital(sentence))
    return Cause(_headline(wanted), _detail(wanted), _rest(found))


def _has_cause(run: Run) -> bool:
    verdict = run.verdict
    return verdict is not None and verdict.outcome in _TELLING and not verdict.failed_cases


def _deciding(run: Run, found: list[Row]) -> Row | None:
    """The worst limit of the run's own outcome; by the spec's policy that may be a milder
    word than any of its limits has."""
    outcome = run.verdict.outcome if run.verdict else None
    own = (row for row in found if row.verdict.outcome is outcome)
    first = next(own, None) or next(iter(found), None)
    return None if first is None or first.word.key in ("pass", "missing") else first


def _headline(row: Row) -> str:
    subject = f"{row.metric} of {row.case}"
    if needs_reason(row.verdict):
        return f"{subject} is inconclusive"
    if row.word.key == "inconclusive":
        limit = row.limit.removeprefix("vs baseline ")
        return f"{subject} cannot be told from its limit {limit}"
    if row.verdict.threshold.limit.relative and row.change is not None:
        change = row.change
        limit = row.limit.removeprefix("vs baseline ")
        return f"{subject} is {change.text} {change.arrow} {change.word}; the limit is {limit}"
    return f"{subject} is {row.value}; the limit is {row.limit}"


def _detail(row: Row) -> str:
    """``368 µs → 442 µs, 95 % CI +18.1 … +22.0 %, n = 3 vs 9``."""
    if needs_reason(row.verdict):
        return row.reason
    parts = [f"{row.baseline} → {row.value}" if row.verdict.baseline is not None else row.value]
    if row.word.key == "inconclusive" and row.change is not None:
        parts.append(f"{row.change.text} {row.change.arrow} {row.change.word}")
    around = row.change_interval or row.value_interval
    return ", ".join((*parts, *([around] if around else []), f"n = {row.count}"))


def _rest(found: list[Row]) -> str:
    """``4 of 16 limits are broken, 2 undecided``."""
    counts = Counter(row.word.key for row in found)
    told = [f"{counts[key]} {word}" for key, word in _ENDED.items() if counts[key]]
    return f"Of {plural(len(found), 'limit')}: {', '.join(told)}."


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
