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
    noises = page.run.verdict.noise if page.run.verdict else ()
    if not noises:
        return None
    blocks = sorted({visible.blocks for each in noises for visible in each.visible})
    return {
        "blocks": blocks,
        "rows": [_row(page, noise, blocks) for noise in noises[:MOST_SHOWN]],
        "left_out": max(len(noises) - MOST_SHOWN, 0),
    }


def _row(page: Page, noise: HostNoise, blocks: list[int]) -> dict[str, object]:
    data = page.by_id.get(noise.case_id)
    visible = {seen.blocks: seen.change for seen in noise.visible}
    needed = noise.blocks_for_limit
    return {
        "case": short(data.case.name if data else noise.case_id),
        "anchor": data.anchor if data else "",
        "metric": short(noise.metric, 80),
        "sd": f"{noise.sd * 100:.1f} %",
        "source": f"{plural(noise.runs, 'run')}, {_SOURCES[noise.source]}",
        "date": moment(noise.started_ns),
        "visible": [signed(visible.get(n)) for n in blocks],
        "needed": plural(needed, "block") if needed else "over 999 blocks",
    }
