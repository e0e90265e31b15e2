"""A matrix to its points, by the rules of GitHub Actions.

Every combination of the axes' values, in the order written, the last axis fastest; without
those that ``exclude`` matches. Each ``include`` adds its other keys to the combinations
whose axes agree with it, and is a point of its own where it agrees with none.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from iogate.model.axes import is_option
from iogate.spec.options.values import canonical_value

Point = Mapping[str, str]
Axes = Mapping[str, Sequence[str]]


def expand_matrix(
    axes: Axes, exclude: Sequence[Point] = (), include: Sequence[Point] = ()
) -> list[dict[str, str]]:
    """The points, each key by ``option`` or ``job.option``; one empty point without axes.
    Equal points are given once."""
    combinations = [
        dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())
    ]
    kept = [point for point in combinations if not any(matches(point, rule) for rule in exclude)]
    if not axes and include:
        kept = []
    points = [dict(point) for point in kept]
    added = [dict(rule) for rule in include if not _extend(points, kept, rule)]
    return _unique([*points, *added])


def matrix_size(axes: Axes) -> int:
    """How many combinations there are before ``exclude`` and ``include``."""
    size = 1
    for values in axes.values():
        size *= len(values)
    return size


def matches(point: Point, rule: Point) -> bool:
    """Whether a point has every key of the rule, with an equal value (4k is 4096)."""
    return all(key in point and same_value(key, point[key], rule[key]) for key in rule)


def same_value(key: str, value: str, other: str) -> bool:
    """Whether two values of an option mean the same."""
    return value == other or _canonical(key, value) == _canonical(key, other)


def _canonical(key: str, value: str) -> str:
    return canonical_value(key.rpartition(".")[2], value) if is_option(key) else value


def canonical_point(point: Point) -> tuple[tuple[str, str], ...]:
    """What equal points share, however their values are spelled and their keys ordered."""
    return tuple(sorted((key, _canonical(key, value)) for key, value in point.items()))


def point_name(point: Point) -> str:
    """``bs=4k,iodepth=32``."""
    return ",".join(f"{key}={value}" for key, value in point.items())


def _extend(points: list[dict[str, str]], originals: Sequence[Point], rule: Point) -> bool:
    """Add the rule's keys where it agrees with the axes; whether it did anywhere."""
    extended = False
    for point, original in zip(points, originals, strict=True):
        on_axes = {key: value for key, value in rule.items() if key in original}
        if matches(original, on_axes):
            point.update({key: value for key, value in rule.items() if key not in original})
            extended = True
    return extended


def _unique(points: list[dict[str, str]]) -> list[dict[str, str]]:
    seen: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
    for point in points:
        seen.setdefault(canonical_point(point), point)
    return list(seen.values())
