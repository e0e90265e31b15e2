"""The ``metrics`` section: arithmetic over the table of metrics, by name."""

from __future__ import annotations

from dataclasses import replace

from iogate.errors import Location, SpecError, UsageError
from iogate.metrics import ExpressionError, make_defined, metric
from iogate.model.spec import DefinedMetric
from iogate.model.units import Better, Unit
from iogate.spec.text.problems import Problems
from iogate.spec.text.tree import Entry, Mapping, Node, Scalar


def build_metrics(node: Node | None, problems: Problems) -> tuple[DefinedMetric, ...]:
    """The definitions in the order written; what is wrong with one is noted."""
    definitions = []
    for name, entry in node.entries.items() if isinstance(node, Mapping) else ():
        try:
            definitions.append(_definition(name, entry))
        except SpecError as error:
            problems.take(error)
    return tuple(definitions)


def _definition(name: str, entry: Entry) -> DefinedMetric:
    node = entry.value
    assert isinstance(node, Mapping)
    if _exists(name):
        raise SpecError(
            f"{name} is a metric already", remedy="name it otherwise", where=entry.key_at
        )
    value, unit, better = (node.get(key) for key in ("value", "unit", "better"))
    description = node.get("description")
    assert isinstance(value, Scalar)
    assert isinstance(unit, Scalar)
    assert isinstance(better, Scalar)
    definition = DefinedMetric(
        name=name,
        expression=value.text,
        unit=Unit(unit.text),
        better=Better(better.text),
        description=description.text if isinstance(description, Scalar) else "",
        where=value.where,
    )
    try:
        make_defined(definition)
    except ExpressionError as error:
        where = _place(value, error.offset)
        raise SpecError(f"{name}: {error.what}", remedy=error.remedy, where=where) from None
    return definition


def _exists(name: str) -> bool:
    try:
        metric(name)
    except UsageError:
        return False
    return True


def _place(value: Scalar, offset: int) -> Location:
    """Where in the file a character of the expression is, as far as one line tells: quotes
    and breaks are not in the text, so in a quoted or folded one it is where that begins."""
    one_line = value.plain and "\n" not in value.text
    return replace(value.where, column=value.where.column + offset) if one_line else value.where
