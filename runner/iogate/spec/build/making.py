"""Filesystems made and mounted otherwise from case to case: the axes ``mkfs`` and ``mount``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from collections.abc import Mapping as Map
from dataclasses import replace

from iogate.errors import Location, SpecError
from iogate.model.axes import DEFAULT, MKFS, MOUNT, words_of
from iogate.model.filesystem import BadArgumentError, check_beside, mount_words
from iogate.model.spec import Target, TargetKind
from iogate.spec.text.tree import Mapping, Node, Scalar
from iogate.spec.text.tree import Sequence as List

AXES = (MKFS, MOUNT)


def read_arguments(node: Node) -> str:
    """A list of arguments, or a text of them, as a value of the matrix."""
    items: Sequence[Node] = node.items if isinstance(node, List) else (node,)
    words = [word for item in items if isinstance(item, Scalar) for word in item.text.split()]
    return " ".join(words) or DEFAULT


def check_making(strategy: Mapping, targets: Collection[Target]) -> None:
    """SpecError for arguments that none of the filesystems takes, or where there is none."""
    for key, where, node in _values(strategy):
        others = [each for each in targets if each.kind is not TargetKind.FILESYSTEM]
        if others:
            raise SpecError(
                f"{key} varies, and target {others[0].name!r} is {others[0].kind.named}",
                remedy="measure on targets with filesystem:, or leave it out",
                where=where,
            )
        errors = [_error(key, read_arguments(node), target) for target in targets]
        if errors and all(errors):
            assert errors[0] is not None
            raise SpecError(errors[0].what, remedy=errors[0].remedy, where=node.where)


def _values(strategy: Mapping) -> Iterator[tuple[str, Location, Node]]:
    """Each value of the axes, and of points that are added, with the place of its key."""
    matrix, include = strategy.get("matrix"), strategy.get("include")
    for key in AXES:
        entry = matrix.entries.get(key) if isinstance(matrix, Mapping) else None
        if entry and isinstance(entry.value, List):
            yield from ((key, entry.key_at, item) for item in entry.value.items)
        for point in include.items if isinstance(include, List) else ():
            added = point.entries.get(key) if isinstance(point, Mapping) else None
            if added:
                yield key, added.key_at, added.value


def _error(key: str, value: str, target: Target) -> BadArgumentError | None:
    checks: dict[str, Callable[[], object]] = {
        MKFS: lambda: check_beside(target.fs_type or "", words_of(value), target.roles),
        MOUNT: lambda: mount_words(words_of(value)),
    }
    try:
        checks[key]()
    except BadArgumentError as error:
        return error
    return None


def made_at(target: Target, point: Map[str, str], name: str, where: Location | None) -> Target:
    """The target of the case of a point, made and mounted as that says. It has a name of its own,
    as the usual one may be in the run, too. SpecError for arguments that it does not take; ``name``
    is the case's."""
    changed = {key: words_of(point[key]) for key in AXES if key in point}
    for key in changed:
        if error := _error(key, point[key], target):
            raise SpecError(
                f"case {name}: {error.what}",
                remedy="leave this combination out under exclude:",
                where=where,
            )
    made = replace(
        target, mkfs=changed.get(MKFS, target.mkfs), mount=changed.get(MOUNT, target.mount)
    )
    if made == target:
        return target
    told = ",".join(f"{key}={point[key]}" for key in changed)
    return replace(made, name=f"{target.name}@{told}")
