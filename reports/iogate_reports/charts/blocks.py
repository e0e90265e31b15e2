"""A comparison block by block: both arms in the order they ran, the change of each block, and
where the threshold stood after it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iogate.model.units import Unit, format_value, two_digits
from iogate.model.verdict import Hold, Interval, Look, ThresholdVerdict
from iogate_reports.charts import svg
from iogate_reports.charts.base import Figure, Key, Table
from iogate_reports.charts.frame import Frame
from iogate_reports.charts.scale import Linear, cut, linear_around
from iogate_reports.data import CaseData
from iogate_reports.text import short, signed

_UPPER = Frame(height=176, right=18, bottom=14)
_LOWER = Frame(height=370, right=18, top=210)
FEWEST = 2
_HOLDS = {
    Hold.SPREAD: "one arm varies more than the other, which asks for more",
    Hold.RANKS: "the ranks of the blocks did not exclude chance",
    Hold.ESTIMATE: "the estimate from the ranks was within the limit",
    Hold.STATES: "the runs are in two states, and which of them each was in may be chance",
    Hold.THIN: "there were too few I/Os",
    Hold.FINDINGS: "among so many limits that only warn, chance makes such a change",
}
_FAR = 3.0
"""Bounds further out than so many times what was measured would flatten it."""


@dataclass(frozen=True, slots=True)
class Block:
    """One run of each arm: their values, and whether the base ran first (None: not known). A value
    that is the mean of several repetitions has them in ``base_each`` and ``candidate_each``."""

    number: int
    base: float
    candidate: float
    base_first: bool | None
    base_each: tuple[float, ...] = ()
    candidate_each: tuple[float, ...] = ()

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
    boot_sd: float | None = None
    repetition_sd: float | None = None

    def number_of(self, look: Look) -> int:
        """The block that a look was taken after: it counts those with a ratio only."""
        return self.blocks[min(look.blocks, len(self.blocks)) - 1].number


def blocks(data: CaseData) -> list[Blocks]:
    """Those of each threshold that was judged block by block."""
    order = _order(data)
    tried = (_blocks(verdict, order) for verdict in data.thresholds if verdict.blocks >= FEWEST)
    return [judged for judged in tried if judged is not None]


def _order(data: CaseData) -> dict[int, bool]:
    """Block → whether the base ran first in it; only blocks in which both arms ran."""
    base, candidate = (
        {m.block: m.started_ns for m in side} for side in (data.baseline, data.measurements)
    )
    return {n: base[n] < candidate[n] for n in sorted(base.keys() & candidate.keys())}


def _blocks(verdict: ThresholdVerdict, order: dict[int, bool]) -> Blocks | None:
    pairs = list(zip(verdict.baseline_samples, verdict.samples, strict=False))
    usable = all(math.isfinite(v) for pair in pairs for v in pair)
    if verdict.change is None or not math.isfinite(verdict.change) or not pairs or not usable:
        return None
    # A block without a ratio has no samples: then which one it was is not known.
    known = list(order.items()) if len(order) == len(pairs) else [(n, None) for n in _from_1(pairs)]
    limit = verdict.threshold.limit
    return Blocks(
        verdict.threshold.metric,
        verdict.unit,
        tuple(
            Block(n, *pair, first, *each)
            for (n, first), pair, each in zip(known, pairs, _each(verdict, pairs), strict=True)
        ),
        limit.value,
        limit.text,
        verdict.change,
        verdict.change_interval,
        verdict.looks,
        verdict.decided_at,
        verdict.boot_sd,
        verdict.repetition_sd,
    )


def _each(
    verdict: ThresholdVerdict, pairs: Sequence[object]
) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    """What the values of each block are the means of, in both arms."""
    both = verdict.baseline_repetitions, verdict.repetitions
    if any(len(arm) != len(pairs) for arm in both):
        return [((), ())] * len(pairs)
    return list(zip(*both, strict=True))


def _from_1(items: Sequence[object]) -> range:
    return range(1, len(items) + 1)


def figures(data: CaseData) -> list[Figure]:
    """A figure for each threshold of a comparison; none elsewhere."""
    return [_figure(judged, data) for judged in blocks(data)]


def _figure(judged: Blocks, data: CaseData) -> Figure:
    title = f"{short(judged.metric, 60)} block by block"
    ended = f"; decided at block {judged.decided_at}" if judged.decided_at else "; not decided"
    told = f"{len(judged.blocks)} blocks, {signed(judged.change)}{ended}"
    return Figure(
        title,
        draw(title, told, judged),
        _table(judged, data),
        tuple(_legend(judged, data)),
        " ".join(_notes(judged)),
        wide=any(block.base_each or block.candidate_each for block in judged.blocks),
    )


def _notes(judged: Blocks) -> Iterator[str]:
    yield "Of two dots of a block the left one ran first."
    if any(block.base_each or block.candidate_each for block in judged.blocks):
        yield "Each is the mean of a boot, whose repetitions are the small ones."
    if judged.boot_sd is not None and judged.repetition_sd is not None:
        yield (
            f"Boots of an arm differ by {two_digits(judged.boot_sd * 100)} %, repetitions of a boot"
            f" by {two_digits(judged.repetition_sd * 100)} % (standard deviations)."
        )
    yield "Below, each block’s change."
    yield from _held_back(judged)
    if told := cut(_everything(judged)):
        yield f"Above: {told[0].lower()}{told[1:]}"


def _held_back(judged: Blocks) -> Iterator[str]:
    """Why a limit did not fail where the mean of its blocks was past the line."""
    held: dict[str, list[int]] = {}
    for look in judged.looks:
        reasons = [_HOLDS[hold] for hold in look.held_by]
        if not reasons and _is_past(look) and judged.number_of(look) != judged.decided_at:
            reasons = ["this record, of an earlier version, does not say why"]
        for reason in reasons:
            held.setdefault(reason, []).append(judged.number_of(look))
    for reason, after in held.items():
        word = "block" if len(after) == 1 else "blocks"
        yield f"Past the line after {word} {_ranges(after)}, it did not fail: {reason}."


def _is_past(look: Look) -> bool:
    """Whether the mean is past the line. The bound is further to the side that is worse."""
    worse = math.copysign(1.0, look.bound - look.change)
    return look.fails_at is not None and (look.change - look.fails_at) * worse > 0


def _ranges(numbers: Sequence[int]) -> str:
    """``4, 6 to 9``."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{p[0]} to {p[-1]}" if len(p) > 1 else str(p[0]) for p in parts)


def _legend(judged: Blocks, data: CaseData) -> Iterator[Key]:
    yield Key("dot base", data.sides.before)
    yield Key("dot s0", data.sides.now)
    if judged.looks:
        yield Key("s0", "mean of the blocks so far, with a bar to how bad it may be")
    if len(judged.looks) > 1:
        yield Key("fails", "beyond it the limit fails, if ranks and states of the runs agree")
        yield Key("settles", "with the bound short of it the limit is settled")
    if judged.interval and not judged.looks:
        yield Key("ribbon s0", f"{judged.interval.confidence * 100:.3g} % CI of the change")
    yield Key("limit", f"limit {short(judged.limit_text, 40)}")


def draw(title: str, description: str, judged: Blocks) -> str:
    """Values above, changes below, blocks to the right."""
    last = judged.blocks[-1].number
    x = Linear(0.5, last + 0.5, *_UPPER.x_range)
    body = [*_values(judged, x), *_changes(judged, x)]
    ticks = [(x.at(n), str(n)) for n in range(1, last + 1)]
    body.append(_LOWER.x_axis(ticks, "block", 22))
    if judged.decided_at:
        at = x.at(judged.decided_at)
        ends = (at, _UPPER.y_range[1]), (at, _LOWER.y_range[0])
        body.insert(0, svg.line(*ends, "decided"))
        side = "e" if at > _UPPER.width * 0.6 else None
        body.append(svg.text(at + (-5 if side else 5), _UPPER.y_range[1] + 8, "decided", side))
    return svg.document(_LOWER.size, title, description, body, "tall")


def _everything(judged: Blocks) -> list[float]:
    return [
        v
        for block in judged.blocks
        for v in (block.base, block.candidate, *block.base_each, *block.candidate_each)
    ]


def _values(judged: Blocks, x: Linear) -> Iterator[str]:
    y = linear_around(_everything(judged), *_UPPER.y_range, judged.unit)
    yield _UPPER.y_axis(y, short(judged.metric, 40))
    step = min((x.at(1) - x.at(0)) * 0.18, 12)
    dots = {"base": "", "s0": ""}
    small = {"base": "", "s0": ""}
    for block in judged.blocks:
        shift = 0.0 if block.base_first is None else (-step if block.base_first else step)
        base = x.at(block.number) + shift, y.at(block.base)
        other = x.at(block.number) - shift, y.at(block.candidate)
        yield svg.line(base, other, "pair")
        dots["base"] += f"M{svg.num(base[0])} {svg.num(base[1])}h0"
        dots["s0"] += f"M{svg.num(other[0])} {svg.num(other[1])}h0"
        small["base"] += _small(base[0], block.base_each, y)
        small["s0"] += _small(other[0], block.candidate_each, y)
    for style, d in small.items():
        if d:
            yield svg.element("path", d=d, class_=f"dot small {style}")
    for style, d in dots.items():
        yield svg.element("path", d=d, class_=f"dot {style}")


def _small(x: float, values: Sequence[float], y: Linear) -> str:
    return "".join(f"M{svg.num(x)} {svg.num(y.at(value))}h0" for value in values)


def _changes(judged: Blocks, x: Linear) -> Iterator[str]:
    y = _change_axis(judged)
    yield _LOWER.y_axis(y)
    yield svg.text(4, _LOWER.top - 10, "change", "ax")
    left, right = _LOWER.x_range
    yield svg.line((left, y.at(0)), (right, y.at(0)), "rule")
    yield svg.line((left, y.at(judged.limit * 100)), (right, y.at(judged.limit * 100)), "ln limit")
    yield from _looks(judged, x, y) if judged.looks else _interval(judged, y)
    d = "".join(f"M{svg.num(x.at(b.number))} {svg.num(_cut(b.change, y))}h0" for b in judged.blocks)
    yield svg.element("path", d=d, class_="dot small s0")


def _change_axis(judged: Blocks) -> Linear:
    """About what the blocks came out at, and the limit; the bounds as far as they come near."""
    main = [0.0, judged.limit, judged.change, *(block.change for block in judged.blocks)]
    reach = max(map(abs, main)) * _FAR
    bounds = [v for look in judged.looks for v in (look.bound, look.fails_at, look.settles_at)]
    kept = [v for v in bounds if v is not None and abs(v) <= reach / 2]
    ends = [(v if math.isfinite(v) else 0.0) * 100 for v in (*main, *kept)]
    low, high = min(ends), max(ends)
    air = (high - low) * 0.08 or 1.0
    return Linear(low - air, high + air, *_LOWER.y_range, Unit.PERCENT)


def _cut(change: float, y: Linear) -> float:
    """The place of a change, at the axis' end where it lies further out."""
    return y.at(min(max(change * 100, y.low), y.high))


def _looks(judged: Blocks, x: Linear, y: Linear) -> Iterator[str]:
    places = [(x.at(judged.number_of(look)), look) for look in judged.looks]
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


def _interval(judged: Blocks, y: Linear) -> Iterator[str]:
    left, right = _LOWER.x_range
    if judged.interval:
        top, bottom = _cut(judged.interval.high, y), _cut(judged.interval.low, y)
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        yield svg.element("path", d=svg.trace(corners) + "z", class_="ribbon s0")
    yield svg.line((left, _cut(judged.change, y)), (right, _cut(judged.change, y)), "ln s0")


def _table(judged: Blocks, data: CaseData) -> Table:
    looks = {look.blocks: look for look in judged.looks}
    first = {True: data.sides.before, False: data.sides.now, None: "–"}
    head = ["block", "ran first", data.sides.before, data.sides.now, "change"]
    head += ["mean so far", "bound"] if looks else []
    rows = []
    for place, block in enumerate(judged.blocks, 1):
        row = [str(block.number), first[block.base_first]]
        row += [in_full(block.base, block.base_each, judged.unit)]
        row += [in_full(block.candidate, block.candidate_each, judged.unit)]
        row.append(signed(block.change))
        if looks:
            look = looks.get(place)
            row += [signed(look.change), signed(look.bound)] if look else ["–", "–"]
        rows.append(tuple(row))
    return Table(tuple(head), tuple(rows))


def in_full(value: float, each: Sequence[float], unit: Unit) -> str:
    """``101 k/s (99.8, 102 k/s)``: a mean, and what it is of. A unit that the next has as well
    stands once, and does not go to another line."""
    parts = [format_value(one, unit).partition(" ") for one in each]
    following = [*(suffix for _, _, suffix in parts[1:]), None]
    told = ", ".join(
        number if suffix == after else f"{number}{gap}{suffix}"
        for (number, gap, suffix), after in zip(parts, following, strict=False)
    )
    return format_value(value, unit) + (f" ({told})" if told else "")
