"""Checks a tree against ``spec.schema.json``; each problem gets the place of its node."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from typing import Any

from iogate.errors import Location
from iogate.spec.options import unknown_option
from iogate.spec.problems import Problems, listed, suggest
from iogate.spec.scalars import to_json
from iogate.spec.tree import Mapping, Node, Sequence

_TYPES = {
    "object": "a mapping of keys to values",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}
_SCALAR_TYPES = 3
_HINTS = {
    "exclude": "exclude stands beside matrix, under strategy",
    "include": "include stands beside matrix, under strategy",
    "matrix": "matrix stands under strategy",
    "warmup": "warming up is fio's ramp_time",
}


def check_schema(tree: Mapping, problems: Problems) -> bool:
    """Note everything in the tree that the schema does not allow. True when all of it has
    the right shape, so that it can be read on: then at most some keys are unknown."""
    errors = list(_validator().iter_errors(to_json(tree)))
    for error in errors:
        _note(error, tree, problems)
    return all(_is_about_a_key(error) for error in errors)


def _is_about_a_key(error: Any) -> bool:
    names = "propertyNames" in error.absolute_schema_path
    return names or error.validator == "additionalProperties"


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of a spec."""
    text = resources.files("iogate").joinpath("schemas/spec.schema.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


@cache
def _validator() -> Any:
    from jsonschema import Draft7Validator

    return Draft7Validator(schema())


def _note(error: Any, tree: Node, problems: Problems) -> None:
    if error.validator in ("anyOf", "oneOf"):
        branch = _branch_meant(error)
        if branch:
            for each in branch:
                _note(each, tree, problems)
            return
    describe = _MESSAGES.get(error.validator, _other)
    if "propertyNames" in error.absolute_schema_path:
        describe = _bad_name
    for what, where, remedy in describe(error, tree):
        problems.add(what, where, remedy)


def _branch_meant(error: Any) -> list[Any]:
    """The errors of the alternative whose type the value has: the one that was meant."""
    branches: dict[int, list[Any]] = {}
    for each in error.context:
        branches.setdefault(each.schema_path[0], []).append(each)
    for branch in branches.values():
        if not any(each.validator == "type" and not each.path for each in branch):
            return branch
    return []


Message = tuple[str, Location, str]


def _unknown_key(error: Any, tree: Node) -> Iterator[Message]:
    known = list(error.schema.get("properties", ()))
    node = node_at(tree, error.absolute_path)
    assert isinstance(node, Mapping)
    for key, entry in node.entries.items():
        if key in known or key.startswith("x-"):
            continue
        if "ioengine" in known:
            unknown = unknown_option(key, entry.key_at)
            yield unknown.what, entry.key_at, unknown.remedy
            continue
        remedy = suggest(key, known) or _HINTS.get(key, "")
        remedy = remedy or f"keys here: {', '.join(sorted(known))}"
        yield f"unknown key {key!r}{_inside(error)}", entry.key_at, remedy


def _missing_key(error: Any, tree: Node) -> Iterator[Message]:
    for key in error.validator_value:
        if key not in error.instance:
            where = node_at(tree, error.absolute_path).where
            yield f"the key {key!r} is missing{_inside(error)}", where, f"add {key}:"


def _wrong_type(error: Any, tree: Node) -> Iterator[Message]:
    wanted = error.validator_value
    names = [_TYPES[name] for name in ([wanted] if isinstance(wanted, str) else wanted)]
    if len(names) >= _SCALAR_TYPES:
        names = ["one value"]
    remedy = _type_remedy(error, wanted)
    yield _must_be(error, listed(names)), node_at(tree, error.absolute_path).where, remedy


def _type_remedy(error: Any, wanted: object) -> str:
    path = list(error.absolute_path)
    misplaced = [step for step in path if step in ("exclude", "include")]
    if misplaced and "matrix" in path:
        return _HINTS[misplaced[0]]
    if wanted == "boolean":
        return "write true or false; on, off, yes and no mean different things to readers"
    if wanted == "string":
        return "quote it if it is meant as text"
    if isinstance(wanted, list) and isinstance(error.instance, list):
        return "several values, each a case of its own, stand under strategy.matrix"
    return ""


def _not_one_of(error: Any, tree: Node) -> Iterator[Message]:
    allowed = error.validator_value if error.validator == "enum" else [error.validator_value]
    words = [str(word) for word in allowed]
    remedy = suggest(str(error.instance), words)
    yield _must_be(error, listed(words)), node_at(tree, error.absolute_path).where, remedy


def _other(error: Any, tree: Node) -> Iterator[Message]:
    description = error.schema.get("description", "")
    form = error.schema.get("x-form") or description or error.message
    yield _must_be(error, form), node_at(tree, error.absolute_path).where, ""


def _empty(error: Any, tree: Node) -> Iterator[Message]:
    where = node_at(tree, error.absolute_path).where
    yield f"{_name(error)} is empty", where, "write at least one, or leave it out"


def _bad_name(error: Any, tree: Node) -> Iterator[Message]:
    node = node_at(tree, error.absolute_path)
    assert isinstance(node, Mapping)
    entry = node.entries.get(str(error.instance))
    form = "a name of letters, digits, dots, dashes and underscores that begins with a letter"
    where = entry.key_at if entry else node.where
    yield f"{error.instance!r} cannot be a name here", where, f"use {form} or digit"


_MESSAGES = {
    "additionalProperties": _unknown_key,
    "required": _missing_key,
    "type": _wrong_type,
    "enum": _not_one_of,
    "const": _not_one_of,
    "minProperties": _empty,
    "minItems": _empty,
    "minLength": _empty,
}


def _must_be(error: Any, form: str) -> str:
    shown = json.dumps(error.instance, ensure_ascii=False, default=str)
    shown = shown if len(shown) <= 40 else f"{shown[:40]}…"
    return f"{_name(error)} is {form}, not {shown}"


def _name(error: Any) -> str:
    path = list(error.absolute_path)
    if not path:
        return "a spec"
    keys = [step for step in path if isinstance(step, str)]
    return keys[-1] if isinstance(path[-1], str) or not keys else f"an item of {keys[-1]}"


def _inside(error: Any) -> str:
    keys = [str(step) for step in error.absolute_path]
    return f" in {'.'.join(keys)}" if keys else ""


def node_at(tree: Node, path: Iterable[str | int]) -> Node:
    """The node that a path of keys and indices leads to; the last one found."""
    node = tree
    for step in path:
        if isinstance(node, Mapping) and str(step) in node.entries:
            node = node.entries[str(step)].value
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
        else:
            break
    return node
