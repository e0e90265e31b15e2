"""How two arms were compared: by which rule, how far each limit got, and what the host's noise
lets one see."""

from __future__ import annotations

from collections.abc import Iterator

from iogate.model.comparison import Comparison
from iogate.model.verdict import Outcome, ThresholdVerdict
from iogate_reports.data import Page
from iogate_reports.labels import OUTCOMES, describe_change, interval_text
from iogate_reports.limit_rows import sees
from iogate_reports.sections.base import View
from iogate_reports.text import plural, short

MOST_SHOWN = 500


def view(page: Page) -> View | None:
    """A row a limit that was judged by blocks; None where no arms were compared."""
    compared, verdict = page.run.plan.comparison, page.run.verdict
    if compared is None or verdict is None:
        return None
    judged = [one for one in verdict.thresholds if one.threshold.limit.relative]
    return {
        "told": tuple(_told(page, compared)),
        "rows": [_row(page, one, compared) for one in judged[:MOST_SHOWN]],
        "left_out": max(len(judged) - MOST_SHOWN, 0),
        "sides": page.sides,
        "canary": compared.canary,
    }


def _told(page: Page, compared: Comparison) -> Iterator[str]:
    done = max((m.block for m in page.run.measurements), default=0)
    yield f"{plural(done, 'block')} of at most {compared.most_blocks} were measured."
    yield "Each block runs both arms, in an order drawn for it."
    yield (
        "A case ends as soon as each of its limits is decided."
        if compared.sequential
        else "All blocks are measured, whatever they show."
    )
    yield f"Seed {compared.seed} gives the same order again."


def _row(page: Page, one: ThresholdVerdict, compared: Comparison) -> dict[str, object]:
    data = page.by_id.get(one.case_id)
    return {
        "word": OUTCOMES[one.outcome],
        "case": short(data.case.name if data else one.case_id),
        "anchor": data.anchor if data else "",
        "metric": short(one.threshold.metric, 80),
        "limit": short(one.threshold.limit.text.removeprefix("vs baseline "), 60),
        "change": describe_change(one.change, one.better, one.change_interval),
        "interval": _interval(one),
        "blocks": f"{one.blocks} of {compared.most_blocks}",
        "ended": _ended(one, compared),
        "sees": sees(one) or "–",
        "order": _order(page, one),
    }


def _interval(one: ThresholdVerdict) -> str:
    around = one.change_interval
    return "–" if around is None else interval_text(around)


def _ended(one: ThresholdVerdict, compared: Comparison) -> str:
    if one.decided_at:
        return f"decided at block {one.decided_at}"
    if one.outcome is not Outcome.INCONCLUSIVE or not compared.sequential:
        return "–"
    needed = one.blocks_needed
    return f"not decided; about {needed} blocks would" if needed else "not decided"


def _order(page: Page, one: ThresholdVerdict) -> str:
    """Which arm ran first, a letter a block: ``ABBAB``; A is the base."""
    data = page.by_id.get(one.case_id)
    if data is None:
        return "–"
    base, other = ({m.block: m.started_ns for m in s} for s in (data.baseline, data.measurements))
    both = sorted(base.keys() & other.keys())
    return "".join("A" if base[n] < other[n] else "B" for n in both) or "–"
