"""Checks a tree against ``spec.schema.json``; each problem gets the place of its node."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from itertools import filterfalse, islice
from typing import Any

from iogate.errors import Location, UsageError
from iogate.files.bounds import PROBLEMS_LOOKED_AT
from iogate.jobs.options import canonical_key
from iogate.metrics import metric
from iogate.spec.options.check import unknown_option
from iogate.spec.text.commas import CutValue, cut_values
from iogate.spec.text.problems import Problems, listed, suggest
from iogate.spec.text.scalars import plain_value, to_json
from iogate.spec.text.tree import Mapping, Node, Scalar, Sequence

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
_LIMITS = "'< 2ms' or '>= 180k'"  # the examples of the schema
_HINTS = {
    "exclude": "exclude stands beside matrix, under strategy",
    "include": "include stands beside matrix, under strategy",
    "matrix": "matrix stands under strategy",
    "warmup": "warming up is fio's ramp_time",
}


_NAME_CHARACTERS = 64
_USUAL_NAME = (
    "a name of letters, digits, dots, dashes and underscores that begins with a letter or digit"
)
_SMALL = "a name of small letters, digits, %s that begins with a letter"
_NAMES = {
    "^[a-z][a-z0-9_]{0,63}$": _SMALL.replace(", %s", " and underscores"),
    "^[a-z][a-z0-9_-]{0,63}$": _SMALL % "dashes and underscores",
}


# What a value of the wrong shape is shown instead, by its key.
_EXAMPLES = {
    "targets": "targets: { disk: { directory: /mnt/disk } }",
    "workloads": "workloads: { reads: { fio: { rw: randread, bs: 4k, size: 1g } } }",
    "fio": "fio: { rw: randread, bs: 4k }",
    "jobs": "jobs: { reader: { rw: randread }, writer: { rw: randwrite } }",
    "thresholds": 'thresholds: { read.iops: "> 10k" }',
    "destroy": "destroy: { serial: SERIAL }, as lsblk -o NAME,SERIAL shows it",
    "strategy": "strategy: { matrix: { bs: [4k, 16k] } }",
    "matrix": "matrix: { bs: [4k, 16k], iodepth: [1, 32] }",
}


def check_schema(tree: Mapping, problems: Problems) -> bool:
    """Note everything in the tree that the schema does not allow. True when all of it has
    the right shape, so that it can be read on: then at most some keys are unknown."""
    all_errors = _validator().iter_errors(to_json(tree))
    errors = list(islice(filterfalse(_is_about_a_word, all_errors), PROBLEMS_LOOKED_AT))
    for error in errors:
        if not problems.full:
            _note(error, tree, problems)
    return len(errors) < PROBLEMS_LOOKED_AT and all(map(_is_about_a_key, errors))


def _is_about_a_word(error: Any) -> bool:
    """The words of an option stand in the schema for editors: values.py says more of a bad one."""
    return (
        error.validator == "anyOf"
        and "allOf" in error.schema_path
        and "enum" in str(error.validator_value[0])
    )


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
    for what, where, remedy in islice(describe(error, tree), PROBLEMS_LOOKED_AT):
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
    cut = cut_values(node)
    for key, entry in node.entries.items():
        if key in known or key.startswith("x-"):
            continue
        if whole := cut.get(key):
            yield from _cut(key, whole, entry.key_at)
            continue
        if "ioengine" in known:
            unknown = unknown_option(key, entry.key_at)
            yield unknown.what, entry.key_at, unknown.remedy
            continue
        remedy = suggest(key, known) or _HINTS.get(key, "") or _option_remedy(key, known)
        remedy = remedy or f"keys here: {', '.join(sorted(known))}"
        yield f"unknown key {key!r}{_inside(error)}", entry.key_at, remedy


def _cut(key: str, whole: CutValue, where: Location, remedy: str = "") -> Iterator[Message]:
    """For the rest of a value that has a comma: once, where it begins."""
    if whole.first:
        what = f"{key!r} is cut off from {whole.key}: YAML ends a value at a comma"
        yield what, where, remedy or whole.remedy


def _option_remedy(key: str, known: list[str]) -> str:
    """For an option of fio that stands beside ``fio`` instead of in it."""
    is_option = "fio" in known and canonical_key(key) is not None
    return f"options of fio stand under fio: fio: {{ {key}: … }}" if is_option else ""


def _missing_key(error: Any, tree: Node) -> Iterator[Message]:
    for key in error.validator_value:
        if key not in error.instance:
            where = node_at(tree, error.absolute_path).where
            value = " 1" if key == "version" else ""
            yield f"the key {key!r} is missing{_inside(error)}", where, f"add {key}:{value}"


def _wrong_type(error: Any, tree: Node) -> Iterator[Message]:
    wanted = error.validator_value
    where = node_at(tree, error.absolute_path).where
    if whole := _whole_of(error, tree):
        is_axis = list(error.absolute_path)[-2:-1] == ["matrix"]
        remedy = f"write {whole.key}: [{', '.join(whole.parts)}]" if is_axis else ""
        yield from _cut(_name(error), whole, where, remedy)
        return
    if form := _form(error):
        yield _must_be(error, form), where, _quotes_remedy(error)
        return
    names = [_TYPES[name] for name in ([wanted] if isinstance(wanted, str) else wanted)]
    if len(names) >= _SCALAR_TYPES:
        names = ["one value"]
    yield _must_be(error, listed(names)), where, _type_remedy(error, wanted)


def _whole_of(error: Any, tree: Node) -> CutValue | None:
    """The value that a key without a value is cut off from, if it is."""
    *above, key = error.absolute_path or [""]
    node = node_at(tree, above)
    is_cut = error.instance is None and isinstance(node, Mapping)
    return cut_values(node).get(str(key)) if is_cut and isinstance(node, Mapping) else None


def _type_remedy(error: Any, wanted: object) -> str:
    path = list(error.absolute_path)
    misplaced = [step for step in path if step in ("exclude", "include")]
    if misplaced and "matrix" in path:
        return _HINTS[misplaced[0]]
    if remedy := _quotes_remedy(error):
        return remedy
    if wanted == "boolean":
        return "write true or false; on, off, yes and no mean different things to readers"
    if wanted == "string":
        return "quote it if it is meant as text"
    if isinstance(wanted, list) and isinstance(error.instance, list):
        return "several values, each a case of its own, stand under strategy.matrix"
    return _shape_remedy(path, wanted, _shown(error))


def _shape_remedy(path: list[str | int], wanted: object, shown: str) -> str:
    """How what was meant is written."""
    key = str(path[-1]) if path else ""
    if path[:1] == ["targets"] and len(path) == len(("targets", "NAME")):
        return f"write {key}: {{ directory: PATH }}, or file: or device: in its place"
    if path[-2:-1] == ["matrix"] and wanted == "array":
        return f"write {key}: [{shown.strip(chr(34))}]"
    return f"write {_EXAMPLES[key]}" if key in _EXAMPLES else ""


def _not_one_of(error: Any, tree: Node) -> Iterator[Message]:
    allowed = error.validator_value if error.validator == "enum" else [error.validator_value]
    words = [str(word) for word in allowed]
    remedy = _quotes_remedy(error) or suggest(str(error.instance), words)
    yield _must_be(error, listed(words)), node_at(tree, error.absolute_path).where, remedy


def _quotes_remedy(error: Any) -> str:
    """What to do about a quoted value that would be right as it is; nothing otherwise."""
    if not isinstance(error.instance, str):
        return ""
    bare = plain_value(Scalar(Location("", 1, 1), error.instance))
    if isinstance(bare, str) or not _validator().evolve(schema=error.schema).is_valid(bare):
        return ""
    return f"leave the quotes out: {error.instance}"


def _other(error: Any, tree: Node) -> Iterator[Message]:
    """A sentence on the form, where there is one; the description is one of its own."""
    form = _form(error) or _range(error.schema) or _alternatives(error.schema)
    what = _must_be(error, form) if form else f"{_name(error)} cannot be {_shown(error)}"
    description = error.schema.get("description", "")
    helps = "x-form" not in error.schema and description != form
    remedy = _quotes_remedy(error) or (description if helps else "")
    yield what, node_at(tree, error.absolute_path).where, remedy


def _form(error: Any) -> str:
    """The form that the schema gives of a value, with an example for the metric that it limits."""
    form = str(error.schema.get("x-form", ""))
    if _LIMITS not in form:
        return form
    try:
        own = metric(next(step for step in reversed(error.absolute_path) if isinstance(step, str)))
    except UsageError:
        return form
    return form.replace(_LIMITS, f"'{own.example}'")


def _range(schema: Any) -> str:
    """``a number from 1 to 1000``; nothing without bounds."""
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f"a number from {low} to {high}"
    if above is not None and below is not None:
        return f"a number above {above} and below {below}"
    bounds = (("of at least", low), ("of at most", high), ("above", above), ("below", below))
    range_text = " and ".join(f"{word} {bound}" for word, bound in bounds if bound is not None)
    return f"a number {range_text}" if range_text else ""


def _alternatives(schema: Any) -> str:
    """The types that a value may have; nothing where they are not said."""
    branches = schema.get("anyOf") or schema.get("oneOf") or ()
    names = [_TYPES.get(str(branch.get("type")), "") for branch in branches]
    return listed(dict.fromkeys(names)) if all(names) else ""


def _empty(error: Any, tree: Node) -> Iterator[Message]:
    where = node_at(tree, error.absolute_path).where
    what = "a value" if isinstance(error.instance, str) else "at least one"
    yield f"{_name(error)} is empty", where, f"write {what}, or leave it out"


def _bad_name(error: Any, tree: Node) -> Iterator[Message]:
    node = node_at(tree, error.absolute_path)
    assert isinstance(node, Mapping)
    entry = node.entries.get(str(error.instance))
    where = entry.key_at if entry else node.where
    name = str(error.instance)
    if len(name) > _NAME_CHARACTERS:
        what = _too_many(f"the name {name[:40]!r}…", len(name), _NAME_CHARACTERS)
        yield what, where, "shorten it"
        return
    form = _NAMES.get(error.validator_value, _USUAL_NAME)
    yield f"{name!r} cannot be a name here", where, f"use {form}"


def _too_long(error: Any, tree: Node) -> Iterator[Message]:
    what = _too_many(_name(error), len(error.instance), error.validator_value)
    yield what, node_at(tree, error.absolute_path).where, "shorten it"


def _too_many(what: str, length: int, most: int) -> str:
    return f"{what} has {length} characters, at most {most} are allowed"


_MESSAGES = {
    "additionalProperties": _unknown_key,
    "required": _missing_key,
    "type": _wrong_type,
    "enum": _not_one_of,
    "const": _not_one_of,
    "minProperties": _empty,
    "minItems": _empty,
    "minLength": _empty,
    "maxLength": _too_long,
}


def _must_be(error: Any, form: str) -> str:
    return f"{_name(error)} is {form}, not {_shown(error)}"


def _shown(error: Any) -> str:
    text = json.dumps(error.instance, ensure_ascii=False, default=str)
    return text if len(text) <= 40 else f"{text[:40]}…"


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
