"""How much runs differ on this host when nothing changes, and what a comparison would see."""

from __future__ import annotations

from iogate.model.verdict import HostNoise, NoiseSource
from iogate_reports.data import Page
from iogate_reports.sections.base import View
from iogate_reports.text import moment, plural, short, signed

MOST_SHOWN = 500
_SOURCES = {NoiseSource.CANARY: "canary", NoiseSource.HISTORY: "repetitions of a run"}


def view(page: Page) -> View | None:
    """A row a case and metric of which the history knows the noise; None without any."""
    found = page.run.verdict.noise if page.run.verdict else ()
    if not found:
        return None
    blocks = sorted({one.blocks for each in found for one in each.visible})
    return {
        "blocks": blocks,
        "rows": [_row(page, one, blocks) for one in found[:MOST_SHOWN]],
        "left_out": max(len(found) - MOST_SHOWN, 0),
    }


def _row(page: Page, one: HostNoise, blocks: list[int]) -> dict[str, object]:
    data = page.by_id.get(one.case_id)
    visible = {seen.blocks: seen.change for seen in one.visible}
    needed = one.blocks_for_limit
    return {
        "case": short(data.case.name if data else one.case_id),
        "anchor": data.anchor if data else "",
        "metric": short(one.metric, 80),
        "sd": f"{one.sd * 100:.1f} %",
        "source": f"{plural(one.runs, 'run')}, {_SOURCES[one.source]}",
        "date": moment(one.started_ns),
        "visible": [signed(visible.get(n)) for n in blocks],
        "needed": plural(needed, "block") if needed else "over 999 blocks",
    }
