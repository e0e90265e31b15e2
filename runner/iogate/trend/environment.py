"""Where the environment of a host changed."""

from __future__ import annotations

from collections.abc import Sequence

from iogate.identity import COMPARE_KEYS, compared, digest
from iogate.model.night import Night
from iogate.model.trend import FactChange, Marker

__all__ = ["COMPARE_KEYS", "compared", "digest", "find_markers"]


def find_markers(
    nights: Sequence[Night], across: Sequence[str], also: Sequence[str] = ()
) -> tuple[Marker, ...]:
    """Where a host differs from itself the night before."""
    last: dict[str, dict[str, str]] = {}
    found = []
    for index, night in enumerate(nights):
        host = night.facts.host
        facts = compared(night.facts.environment, across, also)
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
