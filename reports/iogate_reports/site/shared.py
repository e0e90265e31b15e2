"""What some hosts of a fleet have in common, and no other has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from iogate.model.fleet import SharedFact

Facts = Mapping[str, str]


def shared_facts(some: Sequence[Facts], others: Sequence[Facts]) -> tuple[SharedFact, ...]:
    """The facts of which all of ``some`` have one value that none of the others has, by name. What
    one of ``some``, or all of the others, do not know is told nothing of."""
    return tuple(_shared(some, others))


def _shared(some: Sequence[Facts], others: Sequence[Facts]) -> Iterator[SharedFact]:
    for name, value in sorted(some[0].items()) if some else ():
        elsewhere = {facts[name] for facts in others if name in facts}
        if elsewhere and value not in elsewhere and all(f.get(name) == value for f in some):
            yield SharedFact(name, value, tuple(sorted(elsewhere)))
