"""Which facts make a host another one, and where they changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from iogate.model.night import Night
from iogate.model.trend import FactChange, Marker

Facts = Mapping[str, str | int | float | bool]

# A change of one of these moves numbers without any change of what is under test. Not here:
# what varies from night to night (load), and what the target's case id holds anyway.
COMPARE_KEYS = (
    "engine.name",
    "engine.version",
    "kernel.release",
    "kernel.cmdline",
    "kernel.config*",
    "kernel.clocksource",
    "cpu.model",
    "cpu.microcode",
    "cpu.count",
    "cpu.online",
    "cpu.smt",
    "cpu.governor",
    "cpu.driver",
    "cpu.no_turbo",
    "cpu.boost",
    "cpu.mitigations",
    "host.bios",
    "host.product",
    "host.virtualization",
    "target.*.model",
    "target.*.serial_digest",
    "target.*.firmware",
    "target.*.size_bytes",
    "target.*.filesystem",
    "target.*.mount_options",
    "target.*.mkfs*",
    "target.*.scheduler",
    "target.*.nr_requests",
    "target.*.write_cache",
)


def compared(facts: Facts, across: Sequence[str] = ()) -> dict[str, str]:
    """The facts that tell environments apart, as text."""
    return {
        name: str(value)
        for name, value in sorted(facts.items())
        if any(fnmatchcase(name, key) for key in COMPARE_KEYS)
        and not any(fnmatchcase(name, key) for key in across)
    }


def digest(facts: Mapping[str, str]) -> str:
    """A short name of an environment."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:8]


def find_markers(nights: Sequence[Night], across: Sequence[str]) -> tuple[Marker, ...]:
    """Where a host differs from itself the night before."""
    last: dict[str, dict[str, str]] = {}
    found = []
    for index, night in enumerate(nights):
        host = night.facts.host
        facts = compared(night.facts.environment, across)
        before = last.get(host.machine_id, facts)
        last[host.machine_id] = facts
        changes = tuple(
            FactChange(name, before.get(name, ""), facts.get(name, ""))
            for name in sorted({*before, *facts})
            if before.get(name) != facts.get(name)
        )
        if changes:
            found.append(Marker(host.name, host.machine_id, index, changes))
    return tuple(found)
