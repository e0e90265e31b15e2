"""The section ``validity``."""

from __future__ import annotations

import re

from iogate.model.validity import Validity
from iogate.spec.text.problems import Problems, suggest
from iogate.spec.text.scalars import whole_number
from iogate.spec.text.tree import Mapping, Node, Scalar, Sequence

UNITS = {
    "cpu": "%",
    "io": "%",
    "memory": "%",
    "steal": "%",
    "clock": "s",
    "clocksource": "",
    "throttling": "",
    "drive": "",
    "temperature": "C",
    "saturation": "%",
    "runnable": "",
    "pressure-cpu": "%",
    "pressure-io": "%",
    "pressure-memory": "%",
    "own-pressure-cpu": "%",
    "own-pressure-io": "%",
    "own-pressure-memory": "%",
    "run-delay": "",
}
"""The checks that there are, with the unit of their limits."""
EVERYTHING = "all"
_FORMS = {
    "%": (re.compile(r"([0-9]+(?:\.[0-9]+)?) ?%"), 0.01, "a share, such as 10%"),
    "s": (re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(ms|s)"), 1.0, "a time, such as 50ms"),
    "C": (re.compile(r"([0-9]+) ?C"), 1.0, "a temperature, such as 70C"),
    "": (re.compile(r"([0-9]+(?:\.[0-9]+)?)"), 1.0, "a number"),
}


def build_validity(node: Node | None, problems: Problems) -> Validity:
    """The section as limits; what is usual where it says nothing. What is wrong is noted."""
    if not isinstance(node, Mapping):
        return Validity()
    limits = {}
    for name, entry in node.entries.items():
        if name in UNITS and isinstance(entry.value, Scalar):
            value = _limit(name, entry.value, problems)
            if value is not None:
                limits[name] = value
    again = node.get("again")
    times = whole_number(again) if isinstance(again, Scalar) else Validity().again
    return Validity(times, limits, _off(node.get("off"), problems))


def _limit(name: str, scalar: Scalar, problems: Problems) -> float | None:
    form, scale, what = _FORMS[UNITS[name]]
    match = form.fullmatch(scalar.text.strip())
    if match is None:
        problems.add(f"{name} cannot be {scalar.text!r}", scalar.where, f"write {what}")
        return None
    value = float(match[1]) * scale
    return value / 1000 if match.lastindex == 2 and match[2] == "ms" else value


def _off(node: Node | None, problems: Problems) -> tuple[str, ...]:
    """Names of checks, or all of them."""
    items = node.items if isinstance(node, Sequence) else (node,)
    names = []
    for item in items:
        if not isinstance(item, Scalar):
            continue
        if item.text not in (EVERYTHING, *UNITS):
            remedy = suggest(item.text, list(UNITS)) or f"checks are {', '.join(UNITS)}"
            problems.add(f"off: there is no check {item.text!r}", item.where, remedy)
        names.append(item.text)
    return tuple(names)
