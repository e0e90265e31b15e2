"""Texts and names below a key of a target."""

from __future__ import annotations

from iogate.errors import SpecError
from iogate.spec.text.tree import Mapping, Node, Scalar, Sequence


def text_of(node: Mapping, key: str) -> str:
    """The text of a key; empty where it is not there."""
    value = node.get(key)
    return value.text if isinstance(value, Scalar) else ""


def texts_of(node: Node | None) -> tuple[str, ...]:
    """The scalars of a list, as text."""
    items = node.items if isinstance(node, Sequence) else ()
    return tuple(item.text for item in items if isinstance(item, Scalar))


def check_once(names: list[str], what: str, node: Mapping) -> None:
    """SpecError for a device that is named twice."""
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise SpecError(
            f"target {twice!r} would be two devices of one {what}",
            remedy="name each device once",
            where=node.where,
        )
