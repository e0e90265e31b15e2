"""Where the environment of a host changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from iogate.environments import COMPARE_KEYS, changed, compared, digest
from iogate.model.night import Night
from iogate.model.run import Run
from iogate.model.trend import Marker

__all__ = ["COMPARE_KEYS", "digest", "find_markers", "newest_facts", "settled"]

_OF_ONE_HOST = ("target.*.serial_digest",)


def settled(
    nights: Sequence[Night], across: Sequence[str], also: Sequence[str] = ()
) -> list[dict[str, str]]:
    """The compared facts of each night. What one does not know is as it was on that host the
    night before, or else as it was when somebody first looked: an earlier version may not have
    looked, and an imported result cannot say."""
    facts = [compared(night.facts.environment, across, also) for night in nights]
    _carry(nights, facts, range(len(nights)))
    _carry(nights, facts, reversed(range(len(nights))))
    return facts


def _carry(nights: Sequence[Night], facts: list[dict[str, str]], order: Iterable[int]) -> None:
    last: dict[str, dict[str, str]] = {}
    for index in order:
        machine = nights[index].facts.host.machine_id
        facts[index] = last[machine] = {**last.get(machine, {}), **facts[index]}


def find_markers(
    nights: Sequence[Night], across: Sequence[str], also: Sequence[str] = ()
) -> tuple[Marker, ...]:
    """Where a host differs from itself the night before."""
    last: dict[str, dict[str, str]] = {}
    markers = []
    for index, facts in enumerate(settled(nights, across, also)):
        host = nights[index].facts.host
        before = last.get(host.machine_id, facts)
        last[host.machine_id] = facts
        if changes := changed(before, facts):
            markers.append(Marker(host.name, host.machine_id, index, changes))
    return tuple(markers)


def newest_facts(
    runs: Sequence[Run], across: Sequence[str] = (), also: Sequence[str] = ()
) -> dict[str, dict[str, str]]:
    """Machine id → the facts that are compared between its runs, as its newest
    run has them. What belongs to one device alone, its serial number, is left out."""
    found: dict[str, dict[str, str]] = {}
    for run in sorted(runs, key=lambda run: run.started_ns):
        facts = compared(run.environment, across, also)
        found[run.host.machine_id] = {
            name: value
            for name, value in facts.items()
            if not any(fnmatchcase(name, glob) for glob in _OF_ONE_HOST)
        }
    return found
