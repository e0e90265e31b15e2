"""Which targets the cases of a workload are on."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Map

from iogate.errors import Location, SpecError
from iogate.model.axes import TARGET
from iogate.model.spec import Target
from iogate.spec.text.problems import listed, suggest
from iogate.spec.text.tree import Entry, Mapping, Node, Scalar, Sequence


def targets_of(
    name: str, entry: Entry, strategy: Mapping, targets: Map[str, Target]
) -> tuple[str, tuple[Target, ...]]:
    """The name of the target of all cases (empty where the matrix has it), and every target that
    a case may be on. SpecError for one that there is not, or that is named twice."""
    node = entry.value
    assert isinstance(node, Mapping)
    named = list(_varied(strategy))
    for scalar in (*named, *_of_points(strategy.get("exclude"))):
        _target(scalar, targets)
    single = node.entries.get(TARGET)
    if not named:
        alone = _single(name, single.value if single else None, targets, entry.key_at)
        return alone.name, (alone,)
    if single:
        raise SpecError(
            f"workload {name!r} has one target, and its matrix names others",
            remedy=f"keep target: here, or target: [{named[0].text}, …] in the matrix",
            where=single.key_at,
        )
    usual = next(iter(targets)) if len(targets) == 1 else ""
    return usual, tuple(targets[text] for text in dict.fromkeys(each.text for each in named))


def _varied(strategy: Mapping) -> Iterator[Scalar]:
    """The names in the matrix, and in what is added to it."""
    matrix = strategy.get("matrix")
    axis = matrix.get(TARGET) if isinstance(matrix, Mapping) else None
    for item in axis.items if isinstance(axis, Sequence) else ():
        assert isinstance(item, Scalar)
        yield item
    yield from _of_points(strategy.get("include"))


def _of_points(node: Node | None) -> Iterator[Scalar]:
    for item in node.items if isinstance(node, Sequence) else ():
        value = item.get(TARGET) if isinstance(item, Mapping) else None
        if isinstance(value, Scalar):
            yield value


def _single(name: str, node: Node | None, targets: Map[str, Target], where: Location) -> Target:
    if isinstance(node, Scalar):
        return _target(node, targets)
    if len(targets) == 1:
        return next(iter(targets.values()))
    raise SpecError(
        f"workload {name!r} names no target",
        remedy=f"add target: with {listed(targets)}" if targets else "add targets:",
        where=where,
    )


def _target(named: Scalar, targets: Map[str, Target]) -> Target:
    if named.text not in targets:
        raise SpecError(
            f"there is no target {named.text!r}",
            remedy=suggest(named.text, targets) or f"targets are: {', '.join(targets)}",
            where=named.where,
        )
    return targets[named.text]
