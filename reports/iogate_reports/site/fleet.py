"""The same spec on several hosts: where each stands among the others, and who stands out."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from iogate.model.units import Better, format_value
from iogate_reports.charts import svg
from iogate_reports.lines import Line, SpecTrend
from iogate_reports.text import short
from iogate_reports.words import Change, Word, describe_change

FEWEST = 4
"""With fewer hosts none can be told to stand out."""
FAR, LEAST = 3.5, 0.02
"""A host stands out when it is further from the median than FAR robust standard deviations,
and by at least LEAST of it."""
OUTLIER = Word("fail", "stands out", 0, "")
TYPICAL = Word("steady", "typical", 1, "")
WIDTH, HEIGHT = 300.0, 26.0


@dataclass(frozen=True, slots=True)
class Member:
    """A host's newest series of a case and metric. ``away`` is its level against the median
    of all hosts, a fraction; ``score`` the same in robust standard deviations."""

    line: Line
    away: float | None
    score: float | None

    @property
    def stands_out(self) -> bool:
        return (
            self.score is not None
            and self.away is not None
            and abs(self.score) > FAR
            and abs(self.away) > LEAST
        )


def members(lines: Sequence[Line]) -> list[Member]:
    """One for each host, furthest away first."""
    newest: dict[str, Line] = {}
    for line in lines:
        known = newest.get(line.series.machine_id)
        if known is None or line.times[-1] > known.times[-1]:
            newest[line.series.machine_id] = line
    levels = [line.series.level for line in newest.values()]
    middle = statistics.median(levels)
    spread = 1.4826 * statistics.median(abs(v - middle) for v in levels)
    found = [_member(line, middle, spread, len(levels)) for line in newest.values()]
    return sorted(found, key=lambda one: -abs(one.away or 0.0))


def _member(line: Line, middle: float, spread: float, count: int) -> Member:
    away = line.series.level / middle - 1 if middle else None
    if count < FEWEST:
        return Member(line, away, None)
    off = line.series.level - middle
    score = off / spread if spread else math.copysign(math.inf, off) if off else 0.0
    return Member(line, away, score)


@dataclass(frozen=True, slots=True)
class Group:
    """A case and metric over the hosts."""

    case: str
    metric: str
    better: str
    middle: str
    outliers: int
    picture: Markup
    rows: tuple[tuple[Word, str, str, str, Change | None, str, int], ...]


def groups(spec: SpecTrend, pages: dict[str, str]) -> list[Group]:
    """Those that more than one host measured, with outliers first."""
    found: dict[tuple[str, str], list[Line]] = {}
    for line in spec.lines:
        found.setdefault((line.series.case_id, line.series.metric), []).append(line)
    shown = [
        _group(members(lines), pages.get(case, ""))
        for (case, _), lines in found.items()
        if len({line.series.machine_id for line in lines}) > 1
    ]
    return sorted(shown, key=lambda one: -one.outliers)


def _group(found: Sequence[Member], page: str) -> Group:
    first = found[0].line.series
    return Group(
        short(first.case),
        short(first.metric, 60),
        "lower is better" if first.better is Better.LOW else "higher is better",
        format_value(statistics.median(m.line.series.level for m in found), first.unit),
        sum(one.stands_out for one in found),
        Markup(draw(found)),  # noqa: S704 - our own SVG
        tuple(_rows(found, page)),
    )


def _rows(
    found: Sequence[Member], page: str
) -> Iterator[tuple[Word, str, str, str, Change | None, str, int]]:
    for one in found:
        series = one.line.series
        yield (
            OUTLIER if one.stands_out else TYPICAL,
            short(series.host, 40),
            f"{page}#{one.line.anchor}",
            format_value(series.level, series.unit),
            describe_change(one.away, series.better, overlap=not one.stands_out),
            "–" if one.score is None else "∞" if math.isinf(one.score) else f"{one.score:+.1f}",
            len(series.values),
        )


def draw(found: Sequence[Member]) -> str:
    """A dot a host on an axis of its distance from the median, which is the middle."""
    away = [one.away for one in found if one.away is not None]
    reach = max((abs(v) for v in away), default=0.0) or 1.0

    def x(value: float) -> float:
        return WIDTH / 2 + (WIDTH / 2 - 8) * value / reach

    ordered = sorted((m for m in found if m.away is not None), key=lambda m: m.stands_out)
    dots = "".join(
        svg.element(
            "path",
            d=f"M{svg.num(x(one.away or 0.0))} {HEIGHT / 2:.0f}h0",
            class_="dot worse" if one.stands_out else "dot",
        )
        for one in ordered
    )
    rule = f'<path class="rule" d="M8 {HEIGHT / 2:.0f}H{WIDTH - 8:.0f}M{WIDTH / 2:.0f} 3v20"/>'
    told = f"{len(found)} hosts, furthest {reach * 100:.1f} % from the median"
    return svg.document((WIDTH, HEIGHT), "Hosts about their median", told, [rule, dots], "strip")
