"""What a host can see, as `iogate plan` and `iogate canary` show it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from iogate.cli.table import printable, table
from iogate.gate.sentences import percentile_words
from iogate.history.planning import Prospect
from iogate.metrics.thin_quantiles import allowed_error
from iogate.model.units import format_change


def prospect_table(expected: Sequence[Prospect], blocks: Sequence[int]) -> str:
    """A row for each relative limit, a column for each number of blocks."""
    head = (
        "case",
        "metric",
        "limit",
        "noise",
        *(f"{n} blocks detect" for n in blocks),
        "a pass needs",
    )
    return table(
        head, [_row(each, len(blocks)) for each in expected], right=tuple(range(3, 5 + len(blocks)))
    )


def thin_lines(expected: Sequence[Prospect]) -> list[str]:
    """Why limits on percentiles will not be decided, and what to do, a line each."""
    return [
        printable(
            f"{each.threshold.metric} of {each.case.name}, {each.threshold.limit.text}: too few"
            f" I/Os (about {each.ios:,} in a run): {percentile_words(each.threshold, each.thin)}:"
            " run longer, or set a wider limit, or one on a lower percentile"
        )
        for each in expected
        if each.thin is not None
    ]


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
        longer = (each.thin / allowed_error(each.threshold.limit)) ** 2
        if math.isinf(longer):
            return "more I/Os (too few)"
        return f"{longer:.{0 if longer >= 10 else 1}f} times the I/Os (too few)"
    if each.noise is None:
        return "–"
    needed = each.noise.blocks_for_limit
    return f"{needed} blocks" if needed else "over 999 blocks"
