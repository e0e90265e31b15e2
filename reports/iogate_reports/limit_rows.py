"""One row of the table of limits: a limit against a case, ready to be shown."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import PurePath

from iogate.model.spec import Level
from iogate.model.units import format_value
from iogate.model.verdict import Interval, Outcome, ThresholdVerdict
from iogate_reports.data import CaseData, Page
from iogate_reports.few_ios import few_ios
from iogate_reports.labels import OUTCOMES, Change, Word, describe_change, interval_text, share_text
from iogate_reports.text import median, overlap, plural, relative_change, short, signed, true_minus

MEMBERS_SHOWN = 100
_PLAIN = re.compile(r"[A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Row:
    """Texts of one row. ``effect`` is how many pairs of a repetition here and one of the
    baseline (in a comparison: how many blocks) came out worse, or better, where the change is
    clear. ``reason`` is empty where the row's numbers say it all; ``where`` is the limit's
    place in the spec, for one that did not pass. ``id`` is for links to the row: the case and
    the metric, the same in every report of the spec. ``members`` are those of a pool, the worst
    first, and ``members_title`` says what their changes are of."""

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
    members: tuple[str, ...] = ()
    members_title: str = ""


def rows(page: Page) -> list[Row]:
    """All rows: the worst word first, within it the furthest past its limit, then plan order."""
    verdict, wanted = page.run.verdict, page.run.plan.baseline.min_samples
    verdicts = verdict.thresholds if verdict else ()
    named = _named(
        _of_pool(page, judged, wanted)
        if judged.members
        else _row(judged, page.by_id.get(judged.case_id), wanted)
        for judged in verdicts
    )
    return sorted(named, key=lambda row: (row.word.rank, -row.verdict.excess))


def _named(unnamed: Iterable[Row]) -> Iterator[Row]:
    """Each with its id; several limits on one metric are counted."""
    seen: Counter[str] = Counter()
    for row in unnamed:
        own = row.verdict.case_id if row.members else row.anchor.removeprefix("case-")
        name = f"{own[:8]}.{row.metric}"
        name = name if _PLAIN.fullmatch(name) else f"limit-{len(seen)}"
        seen[name] += 1
        yield replace(row, id=name if seen[name] == 1 else f"{name}.{seen[name]}")


def _row(verdict: ThresholdVerdict, data: CaseData | None, wanted: int) -> Row:
    verdict = with_baseline(verdict, data)
    threshold = verdict.threshold
    word = OUTCOMES[verdict.outcome]
    change = describe_change(
        verdict.change,
        verdict.better,
        verdict.change_interval,
        overlap=overlap(verdict.samples, verdict.baseline_samples),
    )
    return Row(
        verdict=verdict,
        word=word,
        case=short(data.case.name if data else verdict.case_id),
        workload=data.case.workload if data else "",
        anchor=data.anchor if data else "",
        metric=short(threshold.metric, 80),
        limit=short(threshold.limit.text, 60),
        note=_note(verdict, few_ios(threshold.metric, data) if data else ""),
        value=format_value(verdict.value, verdict.unit),
        value_interval=_value_interval(verdict),
        baseline=format_value(verdict.baseline, verdict.unit),
        change=change,
        change_interval=_change_interval(verdict, wanted),
        effect=_effect(verdict) if change and change.key != "same" else "",
        count=_count(verdict),
        reason="" if _is_only_young(verdict) else why(verdict),
        where="" if word.key == "pass" else _place(verdict),
    )


def _of_pool(page: Page, verdict: ThresholdVerdict, wanted: int) -> Row:
    """It has no section of its own to lead to."""
    row, pool = _row(verdict, None, wanted), page.pools.get(verdict.case_id)
    return replace(
        row,
        case=page.named(verdict.case_id),
        workload=pool.workload if pool else "",
        members=member_lines(verdict, page.named),
        members_title=_members_title(verdict),
    )


def _members_title(verdict: ThresholdVerdict) -> str:
    """The changes of a pool's members are those that count in it: a limit of a member's own may
    have been decided by fewer blocks, or by another level of the baseline."""
    of = "each from its median in the baseline"
    if verdict.blocks:
        of = f"in the {plural(verdict.judged_blocks, 'block')} of the pool"
    return f"{plural(len(verdict.members), 'member')}, the worst first, {of}"


def member_lines(
    verdict: ThresholdVerdict,
    named: Callable[[str], str],
    shown: Callable[[float], str] = signed,
) -> tuple[str, ...]:
    """A line a member of a pool: ``read.iops of oltp/bs=4k: -3.2 %``."""
    lines = []
    for member in verdict.members[:MEMBERS_SHOWN]:
        change = f"left out, {short(member.left_out)}"
        if not member.left_out:
            change = "–" if member.change is None else shown(member.change)
        lines.append(f"{short(member.metric, 80)} of {named(member.case_id)}: {change}")
    left = len(verdict.members) - MEMBERS_SHOWN
    return (*lines, *([f"and {left} more"] if left > 0 else []))


def with_baseline(verdict: ThresholdVerdict, data: CaseData | None) -> ThresholdVerdict:
    """A limit that is not relative is judged without a baseline. Its row shows one all the
    same: from a relative limit on the same metric, else from what was observed. Not where that
    goes with another value than the row's: the arms of a comparison are shown in the middle of
    their blocks, and an absolute limit judges the candidate's median."""
    if data is None or verdict.threshold.limit.relative or verdict.baseline is not None:
        return verdict
    metric = verdict.threshold.metric
    for other in data.thresholds:
        if other.threshold.metric == metric and _is_from_baseline(other):
            if other.value != verdict.value:
                return verdict
            return replace(
                verdict,
                baseline=other.baseline,
                change=other.change,
                change_interval=other.change_interval,
                baseline_samples=other.baseline_samples,
            )
    seen = next((o for o in data.observations if o.metric == metric), None)
    if seen is None or median(seen.samples) != verdict.value:
        return verdict
    before = median(seen.baseline_samples)
    same = before is not None and verdict.value == before
    change = 0.0 if same else relative_change(verdict.value, before)
    return replace(verdict, baseline=before, change=change, baseline_samples=seen.baseline_samples)


def _is_from_baseline(verdict: ThresholdVerdict) -> bool:
    return verdict.threshold.limit.vs_baseline and verdict.change is not None


def needs_reason(verdict: ThresholdVerdict) -> bool:
    """Whether the row's numbers leave open why it ended so."""
    if verdict.value is None:
        return True
    if verdict.outcome is not Outcome.INCONCLUSIVE:
        return False
    return not _straddles(verdict) or _is_beyond(verdict)


def _is_beyond(verdict: ThresholdVerdict) -> bool:
    """Whether a change from the history is beyond its limit: the interval is not why it did not
    fail."""
    limit = verdict.threshold.limit
    return bool(verdict.baseline_runs) and limit.relative and verdict.excess > 0


def _straddles(verdict: ThresholdVerdict) -> bool:
    """Whether the interval reaches past both sides of the limit."""
    limit = verdict.threshold.limit
    around = verdict.change_interval if limit.relative else verdict.value_interval
    return around is not None and around.low <= limit.value <= around.high


def why(verdict: ThresholdVerdict) -> str:
    """Why it ended so, as far as its numbers do not tell; often nothing."""
    return true_minus(short(_why(verdict) if needs_reason(verdict) else _remark(verdict), 600))


def _is_only_young(verdict: ThresholdVerdict) -> bool:
    """Whether a baseline lacks samples and nothing more is known of it: the row counts them."""
    parts = verdict.reason_parts
    missing = verdict.outcome is Outcome.MISSING_BASELINE and verdict.value is not None
    return missing and parts is not None and len(parts.remarks) == 1


def _why(verdict: ThresholdVerdict) -> str:
    """The reason without its subject, and without the numbers of a change: the row has both."""
    parts = verdict.reason_parts
    if parts is None:
        return _sentence(verdict.reason)
    return _sentence((parts.remark if tells_change(verdict) else "") or parts.predicate)


def tells_change(verdict: ThresholdVerdict) -> bool:
    """Whether the numbers of its reason are those of its change."""
    parts, told = verdict.reason_parts, format_value(verdict.value, verdict.unit)
    relative = verdict.threshold.limit.relative and verdict.change is not None
    return relative and parts is not None and parts.detail.startswith(told)


def _remark(verdict: ThresholdVerdict) -> str:
    """What the reason adds to the row's numbers."""
    if verdict.threshold.limit.relative and verdict.outcome is Outcome.PASS:
        return ""
    if verdict.reason_parts is None:  # of an earlier version: where numbers say it all, they do
        return verdict.reason if verdict.outcome is Outcome.MISSING_BASELINE else ""
    return _sentence(verdict.reason_parts.remark)


def _sentence(text: str) -> str:
    return text if text.startswith("iogate") else text[:1].upper() + text[1:]


def _place(verdict: ThresholdVerdict) -> str:
    """``gate.yaml:33:9``: the folder is known to who reads the report of a spec."""
    where = verdict.threshold.where
    if where is None:
        return ""
    return f"{short(PurePath(where.file).name, 80)}:{where.line}:{where.column}"


def _note(verdict: ThresholdVerdict, few: str) -> str:
    parts = ["warning only"] if verdict.threshold.level is Level.WARN else []
    parts += [few] if few else []
    if verdict.point:
        few = "values for 95 % confidence"
        few = "runs to know how they vary" if verdict.threshold.limit.relative else few
        parts.append(f"a point estimate: too few {few}")
    if verdict.blocks and verdict.outcome is Outcome.PASS and _straddles(verdict) and sees(verdict):
        parts.append(
            f"no regression found; {plural(verdict.judged_blocks, 'block')} would detect"
            f" {sees(verdict)}"
        )
    if verdict.threshold.when:
        parts.append(
            "when "
            + short(
                ", ".join(f"{key}={value}" for key, value in verdict.threshold.when.items()), 80
            )
        )
    return "; ".join(parts)


def sees(verdict: ThresholdVerdict) -> str:
    """A worsening by what the blocks see, as a change of the metric; empty where unknown."""
    change = verdict.visible_change
    if change is None:
        return ""
    return signed(verdict.better.worsening(change))


def _count(verdict: ThresholdVerdict) -> str:
    own = str(len(verdict.samples))
    return f"{own} vs {len(verdict.baseline_samples)}" if verdict.baseline_samples else own


def _effect(verdict: ThresholdVerdict) -> str:
    """``27 of 27 pairs worse``; empty where nothing was compared, or all came out the same."""
    if not verdict.samples or not verdict.baseline_samples:
        return ""
    pairs, what = _pairs(verdict)
    worse = sum((now - before) * verdict.better.worse > 0 for now, before in pairs)
    better = sum((now - before) * verdict.better.worse < 0 for now, before in pairs)
    if not better and not worse:
        return ""
    most, word = (worse, "worse") if worse >= better else (better, "better")
    return f"{most} of {len(pairs)} {what} {word}"


def _pairs(verdict: ThresholdVerdict) -> tuple[list[tuple[float, float]], str]:
    now, before = verdict.samples, verdict.baseline_samples
    if verdict.blocks and len(now) == len(before):
        return list(zip(now, before, strict=True)), "blocks"
    return list(product(now, before)), "pairs"


def _value_interval(verdict: ThresholdVerdict) -> str:
    around = verdict.value_interval
    if around is None or not _real(around) or around.low == around.high:
        return ""
    low, high = format_value(around.low, verdict.unit), format_value(around.high, verdict.unit)
    number, _, unit = low.partition(" ")
    return f"{share_text(around)} {number if high.endswith(f' {unit}') else low} … {high}"


def _change_interval(verdict: ThresholdVerdict, wanted: int) -> str:
    if verdict.outcome is Outcome.MISSING_BASELINE:
        return f"{len(verdict.baseline_samples)} of {max(wanted, 1)} samples needed"
    around = verdict.change_interval
    if around is None or not _real(around):
        return ""
    return interval_text(around)


def _real(around: Interval) -> bool:
    return math.isfinite(around.low) and math.isfinite(around.high)
