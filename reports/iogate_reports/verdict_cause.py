"""The verdict in one sentence with its cause, as the first screen says it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from iogate.model.verdict import Outcome, RunVerdict
from iogate_reports.data import Page
from iogate_reports.limit_rows import Row, needs_reason, rows, tells_change, why
from iogate_reports.text import plural, true_minus

_ENDED = {
    "fail": "failed",
    "warn": "failed with a warning only",
    "inconclusive": "inconclusive",
    "missing": "without a baseline",
}
_NEXT = "Runs that are accepted from now on become the baseline."


@dataclass(frozen=True, slots=True)
class Cause:
    """``headline`` names the worst limit; ``detail`` is its numbers, ``rest`` the others."""

    headline: str
    detail: str = ""
    rest: str = ""


def cause(page: Page, sentence: str) -> Cause:
    """What decided the run; ``sentence`` where no single limit did."""
    told = _cause(page, sentence)
    return Cause(*map(true_minus, (told.headline, told.detail, told.rest)))


def _cause(page: Page, sentence: str) -> Cause:
    verdict = page.run.verdict
    if verdict is None or not verdict.thresholds:
        return Cause(_capital(sentence))
    if verdict.failed_cases and verdict.decisive is None:
        return Cause(_capital(sentence))
    limits = rows(page)
    if verdict.outcome is Outcome.PASS:
        return Cause(_capital(sentence), _moved(limits))
    wanted = _deciding(verdict, limits)
    counted = _rest(limits, but="missing" if wanted.word.key == "missing" else "")
    rest = " ".join(filter(None, (counted, *_remarks(verdict))))
    if wanted.word.key == "missing":
        return Cause(_uncompared(limits), why(wanted.verdict), f"{rest} {_NEXT}".strip())
    if wanted.word.key == "inconclusive" and wanted.reason != _detail(wanted):
        rest = f"{wanted.reason}. {rest}" if wanted.reason else rest
    return Cause(_headline(wanted), _detail(wanted), rest)


def _deciding(verdict: RunVerdict, limits: list[Row]) -> Row:
    """The limit that the verdict names. One of an earlier version named none: there it is the
    worst limit of the run's own outcome, or the worst of all."""
    named = verdict.decisive
    if named is not None:
        asked = named.case_id, named.threshold
        return next(r for r in limits if (r.verdict.case_id, r.verdict.threshold) == asked)
    return next((row for row in limits if row.verdict.outcome is verdict.outcome), limits[0])


def _moved(limits: list[Row]) -> str:
    """Of a run that passes: what got worse the most, else better; or that nothing is clear."""
    changed = [row for row in limits if row.change is not None]
    clear = [row for row in changed if row.change and row.change.key != "same"]
    if not clear:
        return "No change is statistically clear" if changed else ""
    most = max(clear, key=_how_far)
    return f"Largest change: {_subject(most)} {_change(most)}, {_detail(most)}"


def _subject(row: Row) -> str:
    return f"{row.metric} of {row.case}" if not row.members else f"the pooled change of {row.case}"


def _how_far(row: Row) -> tuple[bool, float]:
    worse = row.change is not None and row.change.key == "bad"
    return worse, abs(row.verdict.change or 0.0)


def _uncompared(limits: list[Row]) -> str:
    alone = sum(row.word.key == "missing" for row in limits)
    return f"{alone} of {plural(len(limits), 'limit')} cannot be judged yet: no baseline"


def _headline(row: Row) -> str:
    subject = _capital(_subject(row)) if row.members else _subject(row)
    limit = row.limit.removeprefix("vs baseline ")
    if needs_reason(row.verdict):
        clear = tells_change(row.verdict) and row.change and row.change.key != "same"
        told = f": {_change(row)}, and its limit is {limit}" if clear else ""
        return f"{subject} is inconclusive{told}"
    if row.word.key == "inconclusive":
        return f"{subject} is inconclusive: within noise of its limit {limit}"
    if row.verdict.threshold.limit.relative and row.change is not None:
        return f"{subject} is {_change(row)}; the limit is {limit}"
    return f"{subject} is {row.value}; the limit is {row.limit}"


def _detail(row: Row) -> str:
    """``368 µs → 442 µs, 95 % CI +18.1 … +22.0 %, n = 3 vs 9``."""
    if needs_reason(row.verdict) and not tells_change(row.verdict):
        return row.reason
    parts = [f"{row.baseline} → {row.value}" if row.verdict.baseline is not None else row.value]
    if row.word.key == "inconclusive" and row.change and _change(row) not in _headline(row):
        parts.append(_change(row))
    around = row.change_interval or row.value_interval
    return ", ".join((*parts, *([around] if around else []), f"n = {row.count}"))


def _change(row: Row) -> str:
    change = row.change
    return f"{change.text} {change.arrow} {change.word}" if change else ""


def _rest(limits: list[Row], but: str = "") -> str:
    """``Of 16 limits: 4 failed, 2 inconclusive.``; nothing where all that there is to count is
    what the headline did."""
    counts = Counter(row.word.key for row in limits)
    told = {key: f"{counts[key]} {word}" for key, word in _ENDED.items() if counts[key]}
    if not told.keys() - {but}:
        return ""
    return f"Of {plural(len(limits), 'limit')}: {', '.join(told.values())}."


def _remarks(verdict: RunVerdict) -> list[str]:
    """What else the run has to tell, a sentence each; one that passes has it in its headline."""
    parts = verdict.sentence_parts
    if parts is None:
        return []
    broken = [f"Not all was measured: {told}." for told in parts.broken]
    return broken + [f"{_capital(remark)}." for remark in parts.remarks]


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
