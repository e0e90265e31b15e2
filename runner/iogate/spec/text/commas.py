"""A value with commas that YAML takes for several: ``{ rate_iops: 700,300 }`` has a key ``300``."""

from __future__ import annotations

from dataclasses import dataclass

from iogate.errors import Location
from iogate.spec.text.tree import Entry, Mapping, Scalar


@dataclass(frozen=True, slots=True)
class CutValue:
    """What was written as one value. ``first``: the key is the first part after a comma, at
    which all of it is told."""

    key: str
    parts: tuple[str, ...]
    first: bool = True

    @property
    def remedy(self) -> str:
        """What to write."""
        return f'quote the value: {self.key}: "{",".join(self.parts)}"'


def cut_values(node: Mapping) -> dict[str, CutValue]:
    """The keys of a mapping that stand right behind a value and its comma, and have no value."""
    cut: dict[str, CutValue] = {}
    whole: CutValue | None = None
    end: Location | None = None
    for key, entry in node.entries.items():
        if whole and entry.key_at == end and _is_empty(entry):
            whole = CutValue(whole.key, (*whole.parts, key), first=len(whole.parts) == 1)
            cut[key] = whole
            end = _behind(entry.key_at, key)
        else:
            text = _plain_text(entry)
            whole = CutValue(key, (text,)) if text else None
            end = _behind(entry.value.where, text)
    wholes = {each.key: each for each in cut.values()}  # the last one has all parts
    return {
        key: CutValue(each.key, wholes[each.key].parts, first=each.first)
        for key, each in cut.items()
    }


def _plain_text(entry: Entry) -> str:
    value = entry.value
    return value.text if isinstance(value, Scalar) and value.plain else ""


def _is_empty(entry: Entry) -> bool:
    value = entry.value
    return isinstance(value, Scalar) and value.plain and not value.text


def _behind(where: Location, text: str) -> Location:
    """The place behind a text and a comma."""
    return Location(where.file, where.line, where.column + len(text) + 1)
