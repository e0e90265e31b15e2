"""Histories of nights, made from levels and seeded noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from iogate.metrics import metric
from iogate.model.night import Night, RunFacts
from iogate.model.run import Host, Revision
from iogate.trend import Line

CASE = "00112233445566aa"
DAY_NS = 86_400 * 10**9
Values = Mapping[tuple[str, str], float]
Environment = Mapping[str, str | int | float | bool]


def line(path: str = "write.iops", case_id: str = CASE, *former: str) -> Line:
    """A line of a case that is named after its id."""
    return Line((case_id, *former), f"case-{case_id[:4]}", metric(path))


def night(
    number: int, values: Values, *, machine: str = "m1", environment: Environment | None = None
) -> Night:
    """The night of a day; its commit is ``cNNN``."""
    facts = RunFacts(
        run_id=f"run-{machine}-{number:03}",
        spec="demo",
        host=Host(f"host-{machine}", machine),
        revision=Revision(f"c{number:03}", branch="main"),
        started_ns=(number + 1) * DAY_NS,
        environment=environment or {"kernel.release": "6.1", "load.average_1m": number / 7},
    )
    return Night(facts, values)


def levels(
    *parts: tuple[int, float], noise: float = 1.0, seed: int = 1, path: str = "write.iops"
) -> list[dict[tuple[str, str], float]]:
    """Nights at each (count, level) in turn, with ``noise`` per cent around it."""
    means = np.concatenate([np.full(count, float(level)) for count, level in parts])
    drawn = means * (1 + noise / 100 * np.random.default_rng(seed).normal(size=len(means)))
    return [{(CASE, path): float(value)} for value in drawn]


def nights_of(values: Sequence[Values], **more: object) -> list[Night]:
    """One night for each, on one host."""
    return [night(number, each, **more) for number, each in enumerate(values)]  # type: ignore[arg-type]


def merged(*histories: Sequence[Values]) -> list[dict[tuple[str, str], float]]:
    """Several series of the same nights."""
    return [
        {key: value for each in at for key, value in each.items()}
        for at in zip(*histories, strict=True)
    ]
