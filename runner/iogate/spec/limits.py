"""The grammar of a limit: ``< 2ms``, ``>= 180k``, ``vs baseline < +10%``.

    limit      = [ "vs baseline" | "vs case" point ] comparison number
    point      = axis "=" value { "," axis "=" value }
    comparison = "<" | "<=" | ">" | ">="

A number may have a power of ten behind it (``1e6``). An absolute one carries a unit of its metric,
a relative one a sign and ``%``.
"""

from __future__ import annotations

import math
import re

from iogate.metrics import Metric
from iogate.model.spec import Comparison, Limit
from iogate.model.units import Better, Unit
from iogate.spec.options.values import BadValueError

_LIMIT = re.compile(
    r"(vs\s+baseline\s*|vs\s+case\b([^<>]*))?(<=|>=|<|>)\s*(.*)", re.IGNORECASE | re.DOTALL
)
_NUMBER = re.compile(
    r"([-+]?)(\d{1,15}(?:\.\d{1,9})?(?:[eE]\d{1,2})?)\s*(.*)", re.ASCII | re.DOTALL
)
_SEPARATED = re.compile(r"([-+]?)(\d{1,15}(?:[.,_']\d{1,15}){1,5})\s*(.*)", re.ASCII | re.DOTALL)
_GROUP = 3  # digits between the separators of a large number
_SI = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
_BYTES = {
    **{f"{p}B/s": 1000.0**n for n, p in enumerate(("", "k", "M", "G", "T"))},
    **{f"{p}iB/s": 1024.0**n for n, p in enumerate(("K", "M", "G", "T"), 1)},
}
_UNITS: dict[Unit, dict[str, float]] = {
    Unit.NANOSECONDS: {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9},
    Unit.BYTES_PER_SECOND: _BYTES,
    Unit.PER_SECOND: {**_SI, "/s": 1.0, "k/s": 1e3, "M/s": 1e6},
    Unit.PERCENT: {"%": 1.0},
    Unit.COUNT: _SI,
    Unit.RATIO: {"": 1.0},
}
_SHOWN: dict[Unit, str] = {
    Unit.NANOSECONDS: "ns, us, ms or s",
    Unit.BYTES_PER_SECOND: "B/s, KiB/s, MiB/s, GiB/s, kB/s, MB/s or GB/s",
    Unit.PER_SECOND: "none, or k and M for thousands and millions",
    Unit.PERCENT: "%",
    Unit.COUNT: "none, or k and M for thousands and millions",
    Unit.RATIO: "none",
}
_RELATIVE_EXAMPLES = {Better.LOW: "vs baseline < +10%", Better.HIGH: "vs baseline > -5%"}


def parse_limit(text: str, metric: Metric) -> Limit:
    """A limit on a metric, in the metric's base unit. Raises BadValueError for a text
    outside the grammar, a unit that does not fit, or a limit that makes no sense."""
    match = _LIMIT.fullmatch(text.strip())
    if not match:
        raise BadValueError(
            f"{text!r} is not a limit",
            f'write "{metric.example}", or "{relative_example(metric)}"',
        )
    comparison, rest = Comparison(match[3]), match[4]
    relative = match[1] is not None
    value = _change(rest, metric) if relative else _level(rest, metric)
    limit = Limit(comparison, value, relative, " ".join(text.split()))
    _check_direction(limit, metric)
    return limit


def case_of(text: str) -> str | None:
    """What stands after ``vs case`` in a limit; None where it says no such thing."""
    match = _LIMIT.fullmatch(text.strip())
    return match[2].strip() if match and match[2] is not None else None


def check_reachable(limit: Limit, metric: Metric) -> None:
    """Raise BadValueError for a limit on a metric of the table that nothing can keep: none of
    them is ever negative."""
    if limit.comparison is Comparison.LESS and limit.value == 0 and not limit.relative:
        raise BadValueError(
            f"{limit.text!r} can never be kept: {metric.path} is never below 0",
            f'write "{limit.text.replace("<", "<=", 1)}"',
        )


def relative_example(metric: Metric) -> str:
    """A relative limit that makes sense for a metric."""
    return _RELATIVE_EXAMPLES[metric.better]


def _level(text: str, metric: Metric) -> float:
    match = _NUMBER.fullmatch(text)
    _check_separators(text, match)
    if not match or match[1] == "-":
        meant = relative_example(metric) if "baseline" in text else metric.example
        raise BadValueError(f"{text!r} is not a limit on {metric.path}", f'write "{meant}"')
    scale = _UNITS[metric.unit].get(match[3])
    if scale is None:
        given = f"the unit {match[3]!r} does not fit" if match[3] else "a unit is missing"
        raise BadValueError(
            f"{given}: {metric.path} {text}", f"units that fit: {_SHOWN[metric.unit]}"
        )
    return float(match[2]) * scale


def _check_separators(text: str, number: re.Match[str] | None) -> None:
    """Raise BadValueError for ``1,000`` and ``2,5``, of which a number is only the beginning."""
    match = _SEPARATED.fullmatch(text)
    if not match or (number and not number[3].startswith((".", ",", "_", "'"))):
        return
    whole, *groups = re.split("[.,_']", match[2])
    is_large = all(len(group) == _GROUP for group in groups)
    meant = "".join((whole, *groups)) if is_large else f"{whole}.{''.join(groups)}"
    raise BadValueError(
        f"{match[2]} is no number: digits are not separated, and a point begins the decimals",
        f"write {match[1]}{meant}{match[3]}",
    )


def _change(text: str, metric: Metric) -> float:
    match = _NUMBER.fullmatch(text)
    _check_separators(text, match)
    example = f'write "{relative_example(metric)}"'
    if not match or match[3] != "%":
        raise BadValueError(f"a change from the baseline is in %, not {text!r}", example)
    if metric.unit is Unit.COUNT:
        raise BadValueError(
            f"{metric.path} is usually 0, and nothing is a percentage of 0",
            f'limit it itself: "{metric.example}"',
        )
    value = float(match[2]) / 100
    if value == 0:
        raise BadValueError(
            "a tolerance of 0% would fail on noise alone: no two runs are equal",
            f"allow a change that matters: {example}",
        )
    if not match[1]:
        raise BadValueError(f"{text!r} has no sign: is it up or down?", example)
    return math.copysign(value, -1 if match[1] == "-" else 1)


def _check_direction(limit: Limit, metric: Metric) -> None:
    better, worse = metric.better.comparative, metric.better.opposite.comparative
    example = relative_example(metric) if limit.relative else metric.example
    if limit.comparison.better is not metric.better:
        raise BadValueError(
            f"{limit.text!r} would fail {metric.path} for being good: {better} is better",
            f'turn it round, such as "{example}"',
        )
    if limit.relative and limit.value <= -1:
        raise BadValueError(
            f"{limit.text!r} can never be broken: nothing falls by 100 % or more",
            f'say how much {worse} {metric.path} may get: "{example}"',
        )
    if limit.relative and limit.value * metric.better.worse < 0:
        raise BadValueError(
            f"{limit.text!r} would demand that every run beats its baseline",
            f'say how much {worse} {metric.path} may get: "{example}"',
        )
