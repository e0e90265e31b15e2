"""Points as line protocol, and the texts that InfluxQL and it can hold."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache

FieldValue = str | int | float | bool

_LONGEST_TAG = 250
# None can be written in a tag: line protocol ends at a newline, has no escape for a backslash, and
# is UTF-8, which half of a surrogate pair (a byte of a name that is not UTF-8) is not.
_UNFIT = re.compile(r"[\x00-\x1f\x7f\\\ud800-\udfff]")
_KEY = str.maketrans({",": "\\,", "=": "\\=", " ": "\\ "})
_NAME = str.maketrans({",": "\\,", " ": "\\ "})
_TEXT = str.maketrans({"\\": "\\\\", '"': '\\"'})


def tag_text(text: str) -> str:
    """``text`` as far as a tag can hold it; a tag cannot be empty."""
    return _UNFIT.sub("_", text)[:_LONGEST_TAG] or "-"


def is_key(text: str) -> bool:
    """Whether ``text`` can be the name of a field as it is."""
    return bool(text) and not _UNFIT.search(text) and len(text) <= _LONGEST_TAG


def line(name: str, tags: Mapping[str, str], fields: Mapping[str, FieldValue], time_ns: int) -> str:
    """One point. Floats must be finite and whole numbers fit 64 bits."""
    return point(series(name, tags), fields, time_ns)


def series(name: str, tags: Mapping[str, str]) -> str:
    """How each point of a series begins."""
    pairs = (f",{_key(tag)}={tag_text(tags[tag]).translate(_KEY)}" for tag in sorted(tags))
    return name.translate(_NAME) + "".join(pairs)


def point(of_series: str, fields: Mapping[str, FieldValue], time_ns: int) -> str:
    """One point of a series; quicker than ``line`` where it has many."""
    values = ",".join([f"{_key(key)}={_value(value)}" for key, value in fields.items()])
    return f"{of_series} {values} {time_ns}"


@cache
def _key(name: str) -> str:
    return name.translate(_KEY)


def _value(value: FieldValue) -> str:
    if isinstance(value, float):
        assert math.isfinite(value)
        return repr(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value}i"
    return f'"{value.translate(_TEXT)}"'


def quoted(text: str) -> str:
    """A text in InfluxQL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


def named(text: str) -> str:
    """A name in InfluxQL."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def where(tags: Mapping[str, str], first_ns: int | None = None, last_ns: int | None = None) -> str:
    """A condition in InfluxQL on tags and on the time, both ends included."""
    conditions = [f"{named(key)} = {quoted(tag_text(text))}" for key, text in tags.items()]
    if first_ns is not None:
        conditions.append(f"time >= {first_ns}")
    if last_ns is not None:
        conditions.append(f"time <= {last_ns}")
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""
