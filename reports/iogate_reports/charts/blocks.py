"""A comparison block by block: both arms in the order they ran, the change of each block, and
where the threshold stood after it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iogate.model.units import Unit, format_value
from iogate.model.verdict import Interval, Look, ThresholdVerdict
from iogate_reports.charts import svg
from iogate_reports.charts.base import Figure, Key, Table
from iogate_reports.charts.frame import Frame
from iogate_reports.charts.scale import Linear, linear_around
from iogate_reports.data import CaseData
from iogate_reports.text import short, signed

_UPPER = Frame(height=176, right=18, bottom=14)
_LOWER = Frame(height=370, right=18, top=210)
FEWEST = 2
_FAR = 3.0
"""Bounds further out than so many times what was measured would flatten it."""


@dataclass(frozen=True, slots=True)
class Block:
    """One run of each arm: their values, and whether the base ran first (None: not known)."""

    number: int
    base: float
    candidate: float
    base_first: bool | None

    @property
    def change(self) -> float:
        return self.candidate / self.base - 1 if self.base else 0.0


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of one threshold, and how it was judged by them."""

    metric: str
    unit: Unit
    blocks: tuple[Block, ...]
    limit: float
    limit_text: str
    change: float
    interval: Interval | None = None
    looks: tuple[Look, ...] = ()
    decided_at: int = 0

    def number_of(self, look: Look) -> int:
        """The block that a look was taken after: it counts those with a ratio only."""
        return self.blocks[min(look.blocks, len(self.blocks)) - 1].number


def blocks(data: CaseData) -> list[Blocks]:
    """Those of each threshold that was judged block by block."""
    order = _order(data)
    found = (_blocks(one, order) for one in data.thresholds if one.blocks >= FEWEST)
    return [one for one in found if one is not None]


def _order(data: CaseData) -> dict[int, bool]:
    """Block → whether the base ran first in it; only blocks in which both arms ran."""
    base, candidate = (
        {m.block: m.started_ns for m in side} for side in (data.baseline, data.measurements)
    )
    return {n: base[n] < candidate[n] for n in sorted(base.keys() & candidate.keys())}


def _blocks(one: ThresholdVerdict, order: dict[int, bool]) -> Blocks | None:
    pairs = list(zip(one.baseline_samples, one.samples, strict=False))
    usable = all(math.isfinite(v) for pair in pairs for v in pair)
    if one.change is None or not math.isfinite(one.change) or not pairs or not usable:
        return None
    # A block without a ratio has no samples: then which one it was is not known.
    known = list(order.items()) if len(order) == len(pairs) else [(n, None) for n in _from_1(pairs)]
    limit = one.threshold.limit
    return Blocks(
        one.threshold.metric,
        one.unit,
        tuple(Block(n, *pair, first) for (n, first), pair in zip(known, pairs, strict=True)),
        limit.value,
        limit.text,
        one.change,
        one.change_interval,
        one.looks,
        one.decided_at,
    )


def _from_1(items: Sequence[object]) -> range:
    return range(1, len(items) + 1)


def figures(data: CaseData) -> list[Figure]:
    """A figure for each threshold of a comparison; none elsewhere."""
    return [_figure(one, data) for one in blocks(data)]


def _figure(one: Blocks, data: CaseData) -> Figure:
    title = f"{short(one.metric, 60)} block by block"
    ended = f"; decided at block {one.decided_at}" if one.decided_at else "; not decided"
    told = f"{len(one.blocks)} blocks, {signed(one.change)} in all{ended}"
    return Figure(
        title,
        draw(title, told, one),
        _table(one, data),
        tuple(_legend(one, data)),
        "Of two dots of a block the left one ran first. Below, each block’s change.",
    )


def _legend(one: Blocks, data: CaseData) -> Iterator[Key]:
    yield Key("dot base", data.sides.before)
    yield Key("dot s0", data.sides.now)
    if one.looks:
        yield Key("s0", "mean of the blocks so far, with a bar to how bad it may be (95 % bound)")
    if len(one.looks) > 1:
        yield Key("fails", "beyond it the limit fails")
        yield Key("settles", "with the bound short of it the limit is settled")
    if one.interval and not one.looks:
        yield Key("ribbon s0", f"{one.interval.confidence * 100:.3g} % CI of the change")
    yield Key("limit", f"limit {short(one.limit_text, 40)}")


def draw(title: str, description: str, one: Blocks) -> str:
    """Values above, changes below, blocks to the right."""
    last = one.blocks[-1].number
    x = Linear(0.5, last + 0.5, *_UPPER.x_range)
    body = [*_values(one, x), *_changes(one, x)]
    ticks = [(x.at(n), str(n)) for n in range(1, last + 1)]
    body.append(_LOWER.x_axis(ticks, "block", 22))
    if one.decided_at:
        at = x.at(one.decided_at)
        ends = (at, _UPPER.y_range[1]), (at, _LOWER.y_range[0])
        body.insert(0, svg.line(*ends, "decided"))
        side = "e" if at > _UPPER.width * 0.6 else None
        body.append(svg.text(at + (-5 if side else 5), _UPPER.y_range[1] + 8, "decided", side))
    return svg.document(_LOWER.size, title, description, body, "tall")


def _values(one: Blocks, x: Linear) -> Iterator[str]:
    everything = [v for block in one.blocks for v in (block.base, block.candidate)]
    y = linear_around(everything, *_UPPER.y_range, one.unit)
    yield _UPPER.y_axis(y, short(one.metric, 40))
    step = min((x.at(1) - x.at(0)) * 0.18, 12)
    dots = {"base": "", "s0": ""}
    for block in one.blocks:
        shift = 0.0 if block.base_first is None else (-step if block.base_first else step)
        base = x.at(block.number) + shift, y.at(block.base)
        other = x.at(block.number) - shift, y.at(block.candidate)
        yield svg.line(base, other, "pair")
        dots["base"] += f"M{svg.num(base[0])} {svg.num(base[1])}h0"
        dots["s0"] += f"M{svg.num(other[0])} {svg.num(other[1])}h0"
    for style, d in dots.items():
        yield svg.element("path", d=d, class_=f"dot {style}")


def _changes(one: Blocks, x: Linear) -> Iterator[str]:
    y = _change_axis(one)
    yield _LOWER.y_axis(y)
    yield svg.text(4, _LOWER.top - 10, "change", "ax")
    left, right = _LOWER.x_range
    yield svg.line((left, y.at(0)), (right, y.at(0)), "rule")
    yield svg.line((left, y.at(one.limit * 100)), (right, y.at(one.limit * 100)), "ln limit")
    yield from _looks(one, x, y) if one.looks else _interval(one, y)
    d = "".join(f"M{svg.num(x.at(b.number))} {svg.num(_cut(b.change, y))}h0" for b in one.blocks)
    yield svg.element("path", d=d, class_="dot small s0")


def _change_axis(one: Blocks) -> Linear:
    """About what the blocks came out at, and the limit; the bounds as far as they come near."""
    main = [0.0, one.limit, one.change, *(block.change for block in one.blocks)]
    reach = max(map(abs, main)) * _FAR
    bounds = [v for look in one.looks for v in (look.bound, look.fails_at, look.settles_at)]
    kept = [v for v in bounds if v is not None and abs(v) <= reach / 2]
    ends = [(v if math.isfinite(v) else 0.0) * 100 for v in (*main, *kept)]
    low, high = min(ends), max(ends)
    air = (high - low) * 0.08 or 1.0
    return Linear(low - air, high + air, *_LOWER.y_range, Unit.PERCENT)


def _cut(change: float, y: Linear) -> float:
    """The place of a change, at the axis' end where it lies further out."""
    return y.at(min(max(change * 100, y.low), y.high))


def _looks(one: Blocks, x: Linear, y: Linear) -> Iterator[str]:
    places = [(x.at(one.number_of(look)), look) for look in one.looks]
    mean = [(at, _cut(look.change, y)) for at, look in places]
    bound = [(at, _cut(look.bound, y)) for at, look in places]
    yield svg.element("path", d=svg.trace([*mean, *reversed(bound)]) + "z", class_="ribbon s0")
    bars = "".join(
        f"M{svg.num(at)} {svg.num(start)}V{svg.num(end)}M{svg.num(at - 5)} {svg.num(start)}h10"
        for (at, start), (_, end) in zip(mean, bound, strict=True)
    )
    yield svg.element("path", d=svg.trace(mean) + bars, class_="ln thin s0")
    settles = [(at, _cut(look.settles_at, y)) for at, look in places]
    fails = [(at, _cut(look.fails_at, y)) for at, look in places if look.fails_at is not None]
    for points, style in ((settles, "settles"), (fails, "fails")):
        if len(points) > 1:
            yield svg.element("path", d=svg.trace(points), class_=f"ln {style}")


def _interval(one: Blocks, y: Linear) -> Iterator[str]:
    left, right = _LOWER.x_range
    if one.interval:
        top, bottom = _cut(one.interval.high, y), _cut(one.interval.low, y)
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        yield svg.element("path", d=svg.trace(corners) + "z", class_="ribbon s0")
    yield svg.line((left, _cut(one.change, y)), (right, _cut(one.change, y)), "ln s0")


def _table(one: Blocks, data: CaseData) -> Table:
    looks = {look.blocks: look for look in one.looks}
    first = {True: data.sides.before, False: data.sides.now, None: "–"}
    head = ["block", "ran first", data.sides.before, data.sides.now, "change"]
    head += ["mean so far", "95 % bound"] if looks else []
    rows = []
    for place, block in enumerate(one.blocks, 1):
        row = [str(block.number), first[block.base_first]]
        row += [format_value(v, one.unit) for v in (block.base, block.candidate)]
        row.append(signed(block.change))
        if looks:
            look = looks.get(place)
            row += [signed(look.change), signed(look.bound)] if look else ["–", "–"]
        rows.append(tuple(row))
    return Table(tuple(head), tuple(rows))
