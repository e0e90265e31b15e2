"""The same spec on several hosts: where each stands among the others, and who stands out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from iogate.model.fleet import SharedFact
from iogate.model.units import format_value
from iogate.model.verdict import Interval
from iogate.stats.robust import MAD_TO_SIGMA, mad, median
from iogate_reports.charts import svg
from iogate_reports.history import MINUTE_NS
from iogate_reports.labels import Change, Word, describe_change
from iogate_reports.site.shared import shared_facts
from iogate_reports.text import day, percent, short, signed
from iogate_reports.trend_lines import Line, SpecTrend

FEWEST = 4
"""With fewer hosts none can be told to stand out."""
FAR, LEAST = 3.5, 0.02
"""A host stands out when it is further from the median than FAR robust standard deviations,
its own error among them, and by at least LEAST of the median."""
UNSTEADY, UNSTEADY_NIGHTS = 3.0, 8
"""The nights of a host vary more than those of the others when they spread over UNSTEADY times what
is usual among them, and by more than LEAST; fewer than UNSTEADY_NIGHTS nights say nothing of it."""
SURE = 1.96
"""So many standard deviations to either side hold 95 % of a normal."""
OF_A_MEDIAN = 1.2533
"""The standard error of a median against that of the mean, of many normal values: √(π/2)."""
OUTLIER = Word("fail", "stands out", 0, "")
VARIES = Word("warn", "varies more", 1, "")
TYPICAL = Word("steady", "typical", 1, "")
UNTOLD = Word("steady", "not told", 1, "")
WIDTH, HEIGHT, AIR = 300.0, 26.0, 8.0


@dataclass(frozen=True, slots=True)
class Member:
    """A host's newest series of a case and metric. ``away`` is its level against the median of all
    hosts, a fraction, and ``sure`` the 95 % interval of that, where there are hosts enough;
    ``ends`` those between which lie 95 % of the nights of its level, against that median too."""

    line: Line
    away: float | None
    sure: Interval | None = None
    stands_out: bool = False
    ends: tuple[float, float] = (0.0, 0.0)

    @property
    def is_worse(self) -> bool:
        """Whether it stands out, and not for the better."""
        return self.stands_out and (self.away or 0.0) * self.line.series.better.worse > 0

    @property
    def nights(self) -> int:
        """How many are on its level."""
        now = self.line.segments[-1]
        return now.last - now.first + 1

    @property
    def noise(self) -> float | None:
        """Half of what 95 % of its nights spread over, against the median; None of one night."""
        low, high = self.ends
        return (high - low) / 2 if high > low else None


def members(lines: Sequence[Line]) -> list[Member]:
    """One for each host, furthest away first."""
    newest: dict[str, Line] = {}
    for line in lines:
        known = newest.get(line.series.machine_id)
        if known is None or line.times[-1] > known.times[-1]:
            newest[line.series.machine_id] = line
    levels = [line.series.level for line in newest.values()]
    middle, spread = median(levels), MAD_TO_SIGMA * mad(levels)
    by_distance = [_member(line, middle, spread, len(levels)) for line in newest.values()]
    return sorted(by_distance, key=lambda member: -abs(member.away or 0.0))


def _member(line: Line, middle: float, spread: float, count: int) -> Member:
    if not middle:
        return Member(line, None)
    now = line.segments[-1]
    away = line.series.level / middle - 1
    ends = now.low / middle - 1, now.high / middle - 1
    if count < FEWEST:
        return Member(line, away, ends=ends)
    error = _error(line)
    half = SURE * math.hypot(error, OF_A_MEDIAN * spread / math.sqrt(count)) / abs(middle)
    is_far = abs(line.series.level - middle) > FAR * math.hypot(spread, error)
    return Member(line, away, _around(away, half), is_far and abs(away) > LEAST, ends)


def _around(away: float, half: float) -> Interval:
    """The 95 % interval of a level against the median: no level that is above nothing may be
    below it."""
    least = -1.0 if away > -1 else -math.inf
    return Interval(max(away - half, least), away + half, 0.95)


def _error(line: Line) -> float:
    """The standard error of its level, from the nights that are on it; 0 where there is one."""
    now = line.segments[-1]
    nights = line.series.values[now.first : now.last + 1]
    return OF_A_MEDIAN * MAD_TO_SIGMA * mad(nights) / math.sqrt(len(nights))


@dataclass(frozen=True, slots=True)
class Row:
    """A host in a group. ``mark`` is ``worse`` or ``better`` for one that stands out, ``last`` the
    day of its last night."""

    word: Word
    host: str
    href: str
    level: str
    away: Change | None
    sure: str
    noise: str
    nights: int
    last: str
    mark: str
    picture: Markup


@dataclass(frozen=True, slots=True)
class Group:
    """A case and metric over the hosts. ``reach`` is how far the axis of its pictures goes to
    either side of the median."""

    anchor: str
    case: str
    metric: str
    better: str
    middle: str
    reach: str
    outliers: tuple[str, ...]
    rows: tuple[Row, ...]
    unsteady: tuple[str, ...] = ()

    def row(self, host: str) -> Row | None:
        """That of a host, by its label."""
        return next((row for row in self.rows if row.host == host), None)


def groups(spec: SpecTrend, pages: dict[str, str]) -> list[Group]:
    """Those that more than one host measured, with outliers first."""
    hosts = labels(spec.lines)
    shown = [
        _group(f"group-{index}", members(lines), hosts, pages.get(case, ""))
        for index, (case, lines) in enumerate(compared(spec))
    ]
    return sorted(shown, key=lambda group: -len(group.outliers))


def compared(spec: SpecTrend) -> Iterator[tuple[str, list[Line]]]:
    """The case and the series of each case and metric that more than one host measured."""
    by_case_and_metric: dict[tuple[str, str], list[Line]] = {}
    for line in spec.lines:
        by_case_and_metric.setdefault((line.series.case_id, line.series.metric), []).append(line)
    for (case, _), lines in by_case_and_metric.items():
        if len({line.series.machine_id for line in lines}) > 1:
            yield case, lines


def standing_out(spec: SpecTrend) -> list[str]:
    """Hosts that stand out in any series, most often first."""
    hosts = labels(spec.lines)
    odd = Counter(hosts[m.line.series.machine_id] for m in _members(spec) if m.stands_out)
    return [host for host, _ in odd.most_common()]


def shared_by_worse(spec: SpecTrend) -> tuple[list[str], tuple[SharedFact, ...]]:
    """Hosts that stand out as worse in any series, and the facts that only they have: the same in
    all of them, and known of another one."""
    worse = {m.line.series.machine_id: None for m in _members(spec) if m.is_worse}
    hosts = labels(spec.lines)
    some = [spec.facts.get(machine, {}) for machine in worse]
    others = [facts for machine, facts in spec.facts.items() if machine not in worse]
    return sorted(hosts[machine] for machine in worse), shared_facts(some, others)


def _members(spec: SpecTrend) -> Iterator[Member]:
    """Of all cases and metrics that more than one host measured."""
    for _, lines in compared(spec):
        yield from members(lines)


def labels(lines: Sequence[Line]) -> dict[str, str]:
    """Machine id → what the host is called: its newest name, and where several machines are
    called so, the start of the id."""
    newest = sorted(lines, key=lambda line: line.times[-1])
    names = {line.series.machine_id: short(line.series.host, 40) for line in newest}
    often = Counter(names.values())
    return {
        machine: f"{name} {short(machine[:8])}" if often[name] > 1 else name
        for machine, name in names.items()
    }


def outliers(grouped: Sequence[Group]) -> list[tuple[str, int]]:
    """Hosts that stand out, and in how many series; most often first."""
    return Counter(host for group in grouped for host in group.outliers).most_common()


def unsteady(grouped: Sequence[Group]) -> list[tuple[str, int]]:
    """Hosts whose nights vary more, and in how many series; most often first."""
    return Counter(host for group in grouped for host in group.unsteady).most_common()


def _group(anchor: str, measured: Sequence[Member], hosts: Mapping[str, str], page: str) -> Group:
    first = measured[0].line.series
    reach = _reach(measured)
    return Group(
        anchor,
        short(first.case),
        short(first.metric, 60),
        f"{first.better.comparative} is better",
        format_value(median([m.line.series.level for m in measured]), first.unit),
        percent(reach),
        tuple(hosts[member.line.series.machine_id] for member in measured if member.stands_out),
        tuple(_rows(measured, hosts, page, reach)),
        tuple(hosts[member.line.series.machine_id] for member in varying(measured)),
    )


def varying(measured: Sequence[Member]) -> Iterator[Member]:
    """Those whose nights vary far more than is usual among the others: a disk that is failing
    now and then has the level of a sound one."""
    old = [member for member in measured if member.nights >= UNSTEADY_NIGHTS]
    if len(old) < FEWEST:
        return
    usual = median([_width(member) for member in old])
    yield from (m for m in old if _width(m) > max(UNSTEADY * usual, 2 * LEAST))


def _width(member: Member) -> float:
    low, high = member.ends
    return high - low


def _rows(
    measured: Sequence[Member], hosts: Mapping[str, str], page: str, reach: float
) -> Iterator[Row]:
    for member in measured:
        series = member.line.series
        away = describe_change(member.away, series.better, overlap=not member.stands_out)
        mark = ("better" if away and away.key == "good" else "worse") if member.stands_out else ""
        yield Row(
            _word(member),
            hosts[series.machine_id],
            f"{page}#{member.line.anchor}",
            format_value(series.level, series.unit),
            away,
            _interval(member.sure),
            f"±{percent(member.noise)}" if member.noise else "–",
            member.nights,
            day(member.line.times[-1] * MINUTE_NS),
            mark,
            Markup(draw(member, reach, mark)),  # noqa: S704 - our own SVG
        )


def _word(member: Member) -> Word:
    """Of too few hosts none has an interval, and none is known to be as the others are."""
    if member.sure is None:
        return UNTOLD
    return OUTLIER if member.stands_out else TYPICAL


def _interval(sure: Interval | None) -> str:
    return f"{signed(sure.low)} … {signed(sure.high)}" if sure else "–"


def _reach(measured: Sequence[Member]) -> float:
    """The furthest that any level or night is from the median."""
    ends = [abs(v) for member in measured for v in (member.away or 0.0, *member.ends)]
    return max((v for v in ends if math.isfinite(v)), default=0.0) or 0.01


def draw(member: Member, reach: float, mark: str = "") -> str:
    """A host on the axis of its group: its level, and the band of its nights. The median of
    all hosts is the middle."""

    def x(value: float) -> float:
        return WIDTH / 2 + (WIDTH / 2 - AIR) * max(-1.0, min(1.0, value / reach))

    middle = HEIGHT / 2
    rule = svg.element("path", d=f"M0 {middle:.0f}H{WIDTH:.0f}M{WIDTH / 2:.0f} 0v26", class_="rule")
    parts = [rule]
    if member.away is not None:
        left, right = (x(v) for v in member.ends)
        band = f"M{svg.num(left)} {middle:.0f}H{svg.num(max(right, left + 1))}"
        parts.append(svg.element("path", d=band, class_="band"))
        at = svg.num(x(member.away))
        parts.append(svg.element("path", d=f"M{at} {middle:.0f}h0", class_="dot"))
    return (
        f'<svg class="{f"strip {mark}".strip()}" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}"'
        f' preserveAspectRatio="none" aria-hidden="true">{"".join(parts)}</svg>'
    )
