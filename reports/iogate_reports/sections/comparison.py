"""How two arms were compared: by which rule, how far each limit got, and what the host's noise
lets one see."""

from __future__ import annotations

from collections.abc import Iterator

from iogate.model.comparison import Comparison
from iogate.model.verdict import Decision, Ground, Outcome, ThresholdVerdict
from iogate_reports.data import Page
from iogate_reports.labels import OUTCOMES, describe_change, interval_text
from iogate_reports.limit_rows import sees
from iogate_reports.sections.base import View
from iogate_reports.text import plural, short

MOST_SHOWN = 500
_GROUNDS = {
    Ground.PAST: "past the limit",
    Ground.WITHIN: "within the limit",
    Ground.SEES: "no regression found",
}


def view(page: Page) -> View | None:
    """A row a limit that was judged by blocks; None where no arms were compared."""
    compared, verdict = page.run.plan.comparison, page.run.verdict
    if compared is None or verdict is None:
        return None
    judged = [limit for limit in verdict.thresholds if limit.threshold.limit.vs_baseline]
    return {
        "told": tuple(_told(page, compared)),
        "rows": [_row(page, limit, compared) for limit in judged[:MOST_SHOWN]],
        "left_out": max(len(judged) - MOST_SHOWN, 0),
        "sides": page.sides,
        "canary": compared.canary,
    }


def _told(page: Page, compared: Comparison) -> Iterator[str]:
    done = max((m.block for m in page.run.measurements), default=0)
    yield f"{plural(done, 'block')} of at most {compared.most_blocks} were measured."
    if compared.per_boot > 1:
        yield (
            "Each block boots both arms, which one first is drawn, and measures each case"
            f" {compared.per_boot} times in a boot: to the verdict that is one value, their mean."
        )
    else:
        yield "Each block runs both arms; which one first is drawn."
    yield (
        "A case ends as soon as each of its limits is decided."
        if compared.sequential
        else "All blocks are measured, whatever their results."
    )
    yield f"Seed {compared.seed} gives the same order again."


def _row(page: Page, verdict: ThresholdVerdict, compared: Comparison) -> dict[str, object]:
    data = page.by_id.get(verdict.case_id)
    return {
        "word": OUTCOMES[verdict.outcome],
        "case": page.named(verdict.case_id),
        "anchor": data.anchor if data else "",
        "metric": short(verdict.threshold.metric, 80),
        "limit": short(verdict.threshold.limit.text.removeprefix("vs baseline "), 60),
        "change": describe_change(verdict.change, verdict.better, verdict.change_interval),
        "interval": _interval(verdict),
        "blocks": f"{verdict.blocks} of {compared.most_blocks}",
        "ended": _ended(verdict, compared),
        "sees": sees(verdict) or "–",
        "order": _order(page, verdict),
    }


def _interval(verdict: ThresholdVerdict) -> str:
    around = verdict.change_interval
    return "–" if around is None else interval_text(around)


def _ended(verdict: ThresholdVerdict, compared: Comparison) -> str:
    if verdict.decision:
        return _decided(verdict.decision)
    if verdict.decided_at:
        return f"decided at block {verdict.decided_at}"
    if verdict.outcome is not Outcome.INCONCLUSIVE or not compared.sequential:
        return "–"
    needed = verdict.blocks_needed
    return f"not decided; about {needed} blocks would" if needed else "not decided"


def _decided(made: Decision) -> str:
    """By what, when, and of a fail at which level."""
    text = f"{_GROUNDS[made.ground]}, decided at block {made.block}"
    return text if made.level is None else f"{text} (level {made.level * 100:.2g} %)"


def _order(page: Page, verdict: ThresholdVerdict) -> str:
    """Which arm ran first, a letter a block: ``ABBAB``; A is the base."""
    data = page.by_id.get(verdict.case_id)
    if data is None:
        return "–"
    base, other = ({m.block: m.started_ns for m in s} for s in (data.baseline, data.measurements))
    both = sorted(base.keys() & other.keys())
    return "".join("A" if base[n] < other[n] else "B" for n in both) or "–"
