"""What a host can see, as `iogate plan` and `iogate canary` show it."""

from __future__ import annotations

from collections.abc import Sequence

from iogate.cli.table import printable, table
from iogate.history.planning import Prospect
from iogate.metrics.thin import LEAST_IOS_BEYOND
from iogate.model.units import format_change


def prospect_table(found: Sequence[Prospect], blocks: Sequence[int]) -> str:
    """A row for each relative limit, a column for each number of blocks."""
    head = ("case", "metric", "limit", "noise", *(f"{n} blocks see" for n in blocks), "limit needs")
    return table(
        head, [_row(each, len(blocks)) for each in found], right=tuple(range(3, 5 + len(blocks)))
    )


def _row(each: Prospect, columns: int) -> tuple[str, ...]:
    return (
        printable(each.case.name),
        printable(each.threshold.metric),
        printable(each.threshold.limit.text),
        _noise(each),
        *(format_change(change) for change in _visible(each, columns)),
        _needs(each),
    )


def _noise(each: Prospect) -> str:
    noise = each.noise
    return f"{noise.sd:.1%} ({noise.runs} runs, {noise.source})" if noise else "unknown"


def _visible(each: Prospect, columns: int) -> Sequence[float | None]:
    if each.noise is None or each.thin is not None:
        return [None] * columns
    return [seen.change for seen in each.noise.visible]


def _needs(each: Prospect) -> str:
    if each.thin is not None:
        longer = LEAST_IOS_BEYOND / max(each.thin, 1)
        return f"{longer:.{0 if longer >= 10 else 1}f} times the I/Os (too thin)"
    if each.noise is None:
        return "–"
    needed = each.noise.blocks_for_limit
    return f"{needed} blocks" if needed else "over 999 blocks"
