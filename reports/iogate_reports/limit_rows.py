"""One row of the table of limits: a threshold against a case, ready to be shown."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import PurePath

from iogate.model.spec import Level
from iogate.model.units import format_value
from iogate.model.verdict import Interval, Outcome, ThresholdVerdict
from iogate_reports.data import CaseData, Page
from iogate_reports.labels import OUTCOMES, Change, Word, describe_change, interval_text, share_text
from iogate_reports.text import median, overlap, plural, relative_change, short, signed

_PLAIN = re.compile(r"[A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Row:
    """Texts of one row. ``effect`` is how many pairs of a repetition here and one of the
    baseline (in a comparison: how many blocks) came out worse, or better, where the change is
    clear. ``reason`` is empty where the row's numbers say it all; ``where`` is the limit's
    place in the spec, for one that did not pass. ``id`` is for links to the row: the case and
    the metric, the same in every report of the spec."""

    verdict: ThresholdVerdict
    word: Word
    case: str
    workload: str
    anchor: str
    metric: str
    limit: str
    note: str
    value: str
    value_interval: str
    baseline: str
    change: Change | None
    change_interval: str
    effect: str
    count: str
    reason: str
    where: str
    id: str = ""


def rows(page: Page) -> list[Row]:
    """All rows: the worst word first, within it the furthest past its limit, then plan order."""
    verdict, wanted = page.run.verdict, page.run.plan.baseline.min_samples
    verdicts = verdict.thresholds if verdict else ()
    found = _named(_row(one, page.by_id.get(one.case_id), wanted) for one in verdicts)
    return sorted(found, key=lambda row: (row.word.rank, -row.verdict.excess))


def _named(found: Iterable[Row]) -> Iterator[Row]:
    """Each with its id; several limits on one metric are counted."""
    seen: Counter[str] = Counter()
    for row in found:
        name = f"{row.anchor.removeprefix('case-')[:8]}.{row.metric}"
        name = name if _PLAIN.fullmatch(name) else f"limit-{len(seen)}"
        seen[name] += 1
        yield replace(row, id=name if seen[name] == 1 else f"{name}.{seen[name]}")


def _row(one: ThresholdVerdict, data: CaseData | None, wanted: int) -> Row:
    one = _with_baseline(one, data)
    threshold = one.threshold
    word = OUTCOMES[one.outcome]
    change = describe_change(
        one.change,
        one.better,
        one.change_interval,
        overlap=overlap(one.samples, one.baseline_samples),
    )
    return Row(
        verdict=one,
        word=word,
        case=short(data.case.name if data else one.case_id),
        workload=data.case.workload if data else "",
        anchor=data.anchor if data else "",
        metric=short(threshold.metric, 80),
        limit=short(threshold.limit.text, 60),
        note=_note(one),
        value=format_value(one.value, one.unit),
        value_interval=_value_interval(one),
        baseline=format_value(one.baseline, one.unit),
        change=change,
        change_interval=_change_interval(one, wanted),
        effect=_effect(one) if change and change.key != "same" else "",
        count=_count(one),
        reason=short(_why(one) if needs_reason(one) else _remark(one), 600),
        where="" if word.key == "pass" else _place(one),
    )


def _with_baseline(one: ThresholdVerdict, data: CaseData | None) -> ThresholdVerdict:
    """A limit that is not relative is judged without a baseline. Its row shows one all the
    same: from a relative limit on the same metric, else from what was observed."""
    if data is None or one.threshold.limit.relative or one.baseline is not None:
        return one
    metric = one.threshold.metric
    for other in data.thresholds:
        if other.threshold.metric == metric and other.change is not None:
            return replace(
                one,
                baseline=other.baseline,
                change=other.change,
                change_interval=other.change_interval,
                baseline_samples=other.baseline_samples,
            )
    seen = next((o for o in data.observations if o.metric == metric), None)
    if seen is None:
        return one
    before = median(seen.baseline_samples)
    same = before is not None and one.value == before
    change = 0.0 if same else relative_change(one.value, before)
    return replace(one, baseline=before, change=change, baseline_samples=seen.baseline_samples)


def needs_reason(one: ThresholdVerdict) -> bool:
    """Whether the row's numbers leave open why it ended so."""
    if one.value is None:
        return True
    return one.outcome is Outcome.INCONCLUSIVE and not _straddles(one)


def _straddles(one: ThresholdVerdict) -> bool:
    """Whether the interval reaches past both sides of the limit."""
    limit = one.threshold.limit
    around = one.change_interval if limit.relative else one.value_interval
    return around is not None and around.low <= limit.value <= around.high


def _why(one: ThresholdVerdict) -> str:
    """The reason without its subject, which the row already names."""
    return _sentence(one.reason_parts.predicate if one.reason_parts else one.reason)


def _remark(one: ThresholdVerdict) -> str:
    """What the reason adds to the row's numbers."""
    if one.threshold.limit.relative and one.outcome is Outcome.PASS:
        return ""
    if one.reason_parts is None:  # of an earlier version: where numbers say it all, they do
        return one.reason if one.outcome is Outcome.MISSING_BASELINE else ""
    return _sentence(one.reason_parts.remark)


def _sentence(text: str) -> str:
    return text if text.startswith("iogate") else text[:1].upper() + text[1:]


def _place(one: ThresholdVerdict) -> str:
    """``gate.yaml:33:9``: the folder is known to who reads the report of a spec."""
    where = one.threshold.where
    if where is None:
        return ""
    return f"{short(PurePath(where.file).name, 80)}:{where.line}:{where.column}"


def _note(one: ThresholdVerdict) -> str:
    parts = ["only warns"] if one.threshold.level is Level.WARN else []
    if one.point:
        few = "runs" if one.threshold.limit.relative else "values"
        parts.append(f"a point: too few {few} to claim a confidence")
    if one.blocks and one.outcome is Outcome.PASS and _straddles(one) and sees(one):
        parts.append(f"no regression found; {plural(one.blocks, 'block')} see {sees(one)}")
    if one.threshold.when:
        parts.append(
            "when "
            + short(", ".join(f"{key}={value}" for key, value in one.threshold.when.items()), 80)
        )
    return "; ".join(parts)


def sees(one: ThresholdVerdict) -> str:
    """A worsening by what the blocks see, as a change of the metric; empty where unknown."""
    change = one.visible_change
    if change is None:
        return ""
    return signed(one.better.worsening(change))


def _count(one: ThresholdVerdict) -> str:
    own = str(len(one.samples))
    return f"{own} vs {len(one.baseline_samples)}" if one.baseline_samples else own


def _effect(one: ThresholdVerdict) -> str:
    """``27 of 27 pairs worse``; empty where nothing was compared, or all came out the same."""
    if not one.samples or not one.baseline_samples:
        return ""
    pairs, what = _pairs(one)
    worse = sum((now - before) * one.better.worse > 0 for now, before in pairs)
    better = sum((now - before) * one.better.worse < 0 for now, before in pairs)
    if not better and not worse:
        return ""
    most, word = (worse, "worse") if worse >= better else (better, "better")
    return f"{most} of {len(pairs)} {what} {word}"


def _pairs(one: ThresholdVerdict) -> tuple[list[tuple[float, float]], str]:
    now, before = one.samples, one.baseline_samples
    if one.blocks and len(now) == len(before):
        return list(zip(now, before, strict=True)), "blocks"
    return list(product(now, before)), "pairs"


def _value_interval(one: ThresholdVerdict) -> str:
    around = one.value_interval
    if around is None or not _real(around) or around.low == around.high:
        return ""
    low, high = format_value(around.low, one.unit), format_value(around.high, one.unit)
    number, _, unit = low.partition(" ")
    return f"{share_text(around)} {number if high.endswith(f' {unit}') else low} … {high}"


def _change_interval(one: ThresholdVerdict, wanted: int) -> str:
    if one.outcome is Outcome.MISSING_BASELINE:
        return f"{len(one.baseline_samples)} of {max(wanted, 1)} samples needed"
    around = one.change_interval
    if around is None or not _real(around):
        return ""
    return interval_text(around)


def _real(around: Interval) -> bool:
    return math.isfinite(around.low) and math.isfinite(around.high)
