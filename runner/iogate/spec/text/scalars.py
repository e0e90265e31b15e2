"""Scalars as JSON values, by YAML 1.2's rules: only ``true`` and ``false`` are booleans,
so that ``off``, ``no``, ``1:30``, ``2024-01-01`` and ``1_000`` stay text."""

from __future__ import annotations

import re
from typing import Any

from iogate.spec.text.tree import Mapping, Node, Scalar, Sequence

_INT = re.compile(r"[-+]?(?:0|[1-9]\d{0,17})", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:0|[1-9]\d{0,17})?\.?\d{1,18}(?:[eE][-+]?\d{1,2})?", re.ASCII)
_WORDS: dict[str, object] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}


def plain_value(scalar: Scalar) -> object:
    """str, int, float, bool or None. A number with a leading zero stays text: some readers
    take it for octal, and a spec means nobody's octal."""
    text = scalar.text
    if not scalar.plain:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    leading_zero = re.match(r"[-+]?0\d", text)
    if _FLOAT.fullmatch(text) and not leading_zero:
        return float(text)
    return text


def to_json(node: Node) -> Any:
    """The tree as dicts, lists and plain values."""
    if isinstance(node, Scalar):
        return plain_value(node)
    if isinstance(node, Sequence):
        return [to_json(item) for item in node.items]
    assert isinstance(node, Mapping)
    return {key: to_json(entry.value) for key, entry in node.entries.items()}


def whole_number(scalar: Scalar) -> int:
    """The value of a scalar that the schema calls an integer (JSON's 3.0 is one, too)."""
    value = plain_value(scalar)
    assert isinstance(value, (int, float))
    return int(value)
