"""Files of the user's that describe a machine: YAML, held against a schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any

from iogate.errors import Location, SpecError, UsageError
from iogate.files import bounded, bounds
from iogate.files.suggestion import suggest


class _Places:
    """Where the keys and values of a YAML text stand."""

    def __init__(self, text: str, file: str) -> None:
        import yaml

        self._file = file
        self._root = yaml.compose(text, Loader=yaml.SafeLoader)

    def value(self, steps: list[str]) -> Location:
        """The place of the value at the end of these steps, or of the last one that is there."""
        node = self._root
        for step in steps:
            node = _children(node).get(step, (node, node))[1]
        return self._at(node)

    def key(self, steps: list[str]) -> Location:
        """The place of the key at the end of these steps."""
        node = key = self._root
        for step in steps:
            key, node = _children(node).get(step, (node, node))
        return self._at(key)

    def _at(self, node: Any) -> Location:
        if node is None:
            return Location(self._file, 1, 1)
        return Location(self._file, node.start_mark.line + 1, node.start_mark.column + 1)


def _children(node: Any) -> dict[str, tuple[Any, Any]]:
    """What stands under a node, by key or number: the node of the key, and that of the value."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        return {str(key.value): (key, value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return {str(n): (item, item) for n, item in enumerate(node.value)}
    return {}


def read_described(path: Path, kind: str) -> Any:
    """What the file of a machine of this kind says. UsageError for a file that cannot be read,
    SpecError, naming every problem with its place, for what it may not say."""
    import yaml

    from iogate.files.malformed import ODD, malformed

    try:
        text = bounded.read_text(path, bounds.NOTE_BYTES)
        said = yaml.safe_load(text)
    except (OSError, UnicodeError) as error:
        raise UsageError(
            f"cannot read the machine {path}: {getattr(error, 'strerror', None) or error}",
            remedy=f"write --machine {kind}:FILE; 'iogate schema {kind}' prints what it may say",
        ) from None
    except yaml.MarkedYAMLError as error:
        raise malformed(error, text, str(path)) from None
    except (yaml.YAMLError, *ODD) as error:
        raise SpecError(
            f"{path} is no YAML: {' '.join(str(error).split())}",
            remedy="put in quotes what is meant as text",
        ) from None
    _check(said, _Places(text, str(path)), kind)
    return said


def _check(said: Any, places: _Places, kind: str) -> None:
    from jsonschema import Draft7Validator

    text = resources.files("iogate").joinpath(f"schemas/{kind}.schema.json").read_text("utf-8")
    remedy = f"'iogate schema {kind}' prints what such a file may say"
    errors = Draft7Validator(json.loads(text)).iter_errors(said)
    problems = (each for error in errors for each in _problems(error, places, remedy))
    found = {str(each): each for each in islice(problems, bounds.PROBLEMS_LOOKED_AT)}
    if found:
        first, *others = found.values()
        raise SpecError(first.what, remedy=first.remedy, where=first.where, others=tuple(others))


def _problems(error: Any, places: _Places, remedy: str) -> Iterator[SpecError]:
    """An error of the schema, each key that it is about with its place."""
    steps = [str(step) for step in error.absolute_path]
    inside = f" in {'.'.join(steps)}" if steps else ""
    if error.validator == "additionalProperties" and error.validator_value is False:
        known = list(error.schema.get("properties", ()))
        for key in (str(key) for key in error.instance if key not in known):
            near = suggest(key, known)
            hint = near or f"keys here: {', '.join(sorted(known))}; {remedy}"
            yield SpecError(
                f"unknown key {key!r}{inside}", remedy=hint, where=places.key([*steps, key])
            )
        return
    if error.validator == "required":
        for key in (key for key in error.validator_value if key not in error.instance):
            what = f"the key {key!r} is missing{inside}"
            yield SpecError(what, remedy=f"add {key}: …; {remedy}", where=places.value(steps))
        return
    message = error.message if len(error.message) < bounds.SPEC_KEY else "this is not allowed"
    what = f"{'.'.join(steps)}: {message}" if steps else message
    yield SpecError(what, remedy=remedy, where=places.value(steps))
