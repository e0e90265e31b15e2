"""Facts of the environment: which ones stand on the first screen, and which differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from iogate.model.comparison import of_candidate
from iogate.model.run import Run
from iogate.model.trend import FactChange
from iogate.model.units import Unit, format_value
from iogate_reports.text import short

Value = str | int | float | bool
MOST_CHANGES = 6
"""Of a host in one night, so many are told."""


@dataclass(frozen=True, slots=True)
class Fact:
    """``patterns`` match the whole dotted name. The first pattern that finds facts is taken,
    with all their values: a host may have several targets."""

    label: str
    patterns: tuple[str, ...]


FACTS: tuple[Fact, ...] = (
    Fact("Kernel", (r"kernel\.release",)),
    Fact("Device", (r"target\..*\.model", r"target\..*\.device")),
    Fact("Firmware", (r"target\..*\.firmware",)),
    Fact("Filesystem", (r"target\..*\.filesystem",)),
    Fact("Processor", (r"cpu\.model",)),
)

# What is another number each time it is read; its change means nothing.
_RESTLESS = re.compile(
    r"load\..*|(.*\.)?(uptime.*|boot_id|free_bytes|available_bytes|temperature.*)"
)


_KIB = 1024
_ENDINGS = (
    ("_bytes", "B"),
    ("block_size", "B"),
    ("_kb", "KiB"),
    ("_usec", "µs"),
    ("_centisecs", "cs"),
    ("_ratio", "%"),
    ("_hz", "Hz"),
    ("_khz", "kHz"),
    ("_ms", "ms"),
)


def show(value: Value) -> str:
    """A fact's value as text: yes and no for truth."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def with_unit(name: str, value: Value) -> str:
    """A fact as text; a number whose name ends in its unit says it: ``128 GiB (137…, bytes)``."""
    text = show(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return text
    unit = next((unit for end, unit in _ENDINGS if name.endswith(end)), "")
    if unit == "B" and value >= _KIB:
        size = format_value(float(value), Unit.BYTES_PER_SECOND).removesuffix("/s")
        return f"{size} ({value:,} B)"
    return f"{text} {unit}".rstrip()


def first_value(fact: Fact, environment: Mapping[str, Value]) -> str:
    """The distinct values of a fact, joined; empty when it was not recorded. Where the candidate
    of a comparison has others, ``6.18.0 against 6.17.8``."""
    own, other = _joined(fact, environment), _joined(fact, of_candidate(environment))
    return f"{other} against {own}" if own and other and own != other else own or other


def _joined(fact: Fact, environment: Mapping[str, Value]) -> str:
    for pattern in fact.patterns:
        values = dict.fromkeys(
            short(show(value), 80)
            for name, value in environment.items()
            if re.fullmatch(pattern, name) and show(value)
        )
        if values:
            return ", ".join(values)
    return ""


def differences(before: Run, now: Run) -> tuple[tuple[str, str, str], ...]:
    """(name, before, now) of each fact that differs, by name. Restless ones are left out."""
    old, new = dict(_facts(before)), dict(_facts(now))
    return tuple(
        (
            short(name, 80),
            short(old.get(name, "not recorded"), 120),
            short(new.get(name, "not recorded"), 120),
        )
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name) and not _RESTLESS.fullmatch(name)
    )


def changes_text(changes: Sequence[FactChange]) -> str:
    """``kernel.release 6.17 → 6.18; cpu.governor – → performance``, the first MOST_CHANGES."""
    shown = [
        f"{short(c.fact, 60)} {short(c.before, 60) or '–'} → {short(c.after, 60) or '–'}"
        for c in changes[:MOST_CHANGES]
    ]
    more = len(changes) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")


def _facts(run: Run) -> Iterator[tuple[str, str]]:
    for name, value in run.environment.items():
        yield name, show(value)
    engines = dict.fromkeys(f"{m.engine.name} {m.engine.version}" for m in run.measurements)
    if engines:
        yield "engine", ", ".join(engines)
    yield "spec.sha256", run.plan.spec_sha256[:16]
    yield "overrides", " ".join(run.plan.overrides) or "none"
