"""JSON Schema of the documents, from the same type hints as ``codec``.

Keywords are those that draft-07 and 2020-12 share. ``schemas/`` holds the output; a test
compares the two.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from iogate.model.codec import NON_FINITE, is_required, written_fields
from iogate.model.document import SCHEMAS
from iogate.model.histogram import Histogram

_NUMBER: dict[str, Any] = {"anyOf": [{"type": "number"}, {"enum": list(NON_FINITE)}]}
_PAIR = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
_LEAVES: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: _NUMBER,
    object: {},
    type(None): {"type": "null"},
    Histogram: {"type": "array", "items": _PAIR},
}


def json_schema(kind: type) -> dict[str, Any]:
    """The schema of a top-level document (a key of ``document.SCHEMAS``)."""
    name, version = SCHEMAS[kind]
    definitions: dict[str, Any] = {}
    body = _record(kind, definitions)
    body["properties"] = {"schema": {"const": f"{name}/{version}"}, **body["properties"]}
    body["required"] = ["schema", *body["required"]]
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": f"urn:iogate:schema:{name.removeprefix('iogate-')}:{version}",
        "title": f"iogate {name}, version {version}",
        **body,
        "definitions": dict(sorted(definitions.items())),
    }


def _schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if hint in _LEAVES:
        return _LEAVES[hint]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema(member, definitions) for member in arguments]}
    if origin is tuple:
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": _schema(arguments[1], definitions)}
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {"enum": [member.value for member in hint]}
    return _reference(hint, definitions)


def _reference(kind: type, definitions: dict[str, Any]) -> dict[str, Any]:
    """Two modules may each have an Interval, so a definition carries its module's name."""
    name = f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}"
    if name not in definitions:
        definitions[name] = {}
        definitions[name] = _record(kind, definitions)
    return {"$ref": f"#/definitions/{name}"}


def _record(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    fields = written_fields(kind)
    record = {
        "type": "object",
        "properties": {field.name: _schema(hints[field.name], definitions) for field in fields},
        "required": [field.name for field in fields if is_required(field)],
    }
    doc = inspect.getdoc(kind) or ""
    return record if doc.startswith(f"{kind.__name__}(") else {"description": doc, **record}
