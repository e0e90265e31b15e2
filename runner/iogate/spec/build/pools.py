"""The ``pooled`` section of a workload: limits on several metrics of several cases together."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Map

from iogate.errors import Location, SpecError
from iogate.metrics import Metric
from iogate.model.pool import POOLED
from iogate.model.spec import Comparison, DefinedMetric, Level, Limit, PoolRule, Threshold
from iogate.model.units import Better, Unit
from iogate.spec.build.matrix import point_key, read_point
from iogate.spec.build.thresholds import metric_at
from iogate.spec.limits import case_of, parse_limit
from iogate.spec.options.values import BadValueError
from iogate.spec.text.problems import Problems, suggest
from iogate.spec.text.tree import Mapping, Node, Scalar, Sequence

_EXAMPLE = 'write "vs baseline < +1%"'
_MEASURED = Metric(POOLED, Unit.RATIO, Better.LOW, "", lambda _: None)


def build_pools(
    node: Node | None,
    jobs: set[str],
    matrix: Map[str, tuple[str, ...]],
    metrics: tuple[DefinedMetric, ...],
    problems: Problems,
) -> tuple[PoolRule, ...]:
    """The rules in the order written; what is wrong with one is noted. ``metrics`` are those that
    the spec defines."""
    if node is None:
        return ()
    rules = []
    for item in node.items if isinstance(node, Sequence) else (node,):
        try:
            rules.append(_rule(item, jobs, matrix, metrics))
        except SpecError as error:
            problems.take(error)
    return tuple(rules)


def _rule(
    node: Node,
    jobs: set[str],
    matrix: Map[str, tuple[str, ...]],
    metrics: tuple[DefinedMetric, ...],
) -> PoolRule:
    text = node.get("limit") if isinstance(node, Mapping) else node
    assert isinstance(text, Scalar)
    limit = _limit(text)
    if not isinstance(node, Mapping):
        return PoolRule(Threshold(POOLED, limit, where=text.where))
    level, confidence, when = node.get("level"), node.get("confidence"), node.get("when")
    threshold = Threshold(
        metric=POOLED,
        limit=limit,
        level=Level(level.text) if isinstance(level, Scalar) else Level.FAIL,
        confidence=float(confidence.text) if isinstance(confidence, Scalar) else None,
        when=read_point(when, jobs) if isinstance(when, Mapping) else {},
        where=text.where,
    )
    pooled = [_member(item, jobs, metrics) for item in _scalars(node.get("metrics"))]
    axes = [_axis(item, jobs, matrix) for item in _scalars(node.get("over"))]
    return PoolRule(threshold, tuple(dict.fromkeys(pooled)), tuple(dict.fromkeys(axes)))


def _scalars(node: Node | None) -> Iterator[Scalar]:
    for item in node.items if isinstance(node, Sequence) else ():
        assert isinstance(item, Scalar)
        yield item


def _limit(text: Scalar) -> Limit:
    """How much worse the members may get: up, whichever way is worse for each."""
    try:
        limit = parse_limit(text.text, _MEASURED)
    except BadValueError as error:
        if text.text.strip().lower().startswith("vs") and Comparison.GREATER in text.text:
            raise SpecError(
                f"{text.text!r} is not a pooled limit: it says how much worse the members may get,"
                " whichever way that is for each",
                remedy=_EXAMPLE,
                where=text.where,
            ) from None
        raise SpecError(error.what, remedy=_EXAMPLE, where=text.where) from None
    if not limit.relative or case_of(text.text) is not None:
        raise SpecError(
            f"{text.text!r} is not a pooled limit: only changes from the baseline can be pooled",
            remedy=_EXAMPLE,
            where=text.where,
        )
    return limit


def _member(item: Scalar, jobs: set[str], metrics: tuple[DefinedMetric, ...]) -> str:
    member = metric_at(item.text, item.where, jobs, metrics)
    if member.unit is Unit.COUNT:
        raise SpecError(
            f"{member.path} cannot be pooled: it is usually 0, and nothing is a percentage of 0",
            remedy="give it a limit of its own under thresholds:",
            where=item.where,
        )
    return member.path


def _axis(item: Scalar, jobs: set[str], matrix: Map[str, tuple[str, ...]]) -> str:
    key = _key(item.text, jobs, item.where)
    if key not in matrix:
        axes = f"its axes are: {', '.join(matrix)}" if matrix else "this workload has none"
        raise SpecError(
            f"{item.text} is no axis of the matrix",
            remedy=suggest(item.text, matrix) or axes,
            where=item.where,
        )
    return key


def _key(text: str, jobs: set[str], where: Location) -> str:
    """The axis as the matrix has it, or the text where it is no key at all."""
    try:
        return point_key(text, jobs, where)
    except SpecError:
        return text
