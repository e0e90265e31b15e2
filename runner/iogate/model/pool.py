"""Metrics of cases that are judged together, by one limit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from iogate.model.spec import Threshold
from iogate.model.units import Better

POOLED = "pooled"
"""What stands in the place of a metric in the limit of a pool."""
FEWEST_MEMBERS = 2


@dataclass(frozen=True, slots=True)
class PoolMember:
    """A metric of a case."""

    case_id: str
    metric: str
    better: Better


@dataclass(frozen=True, slots=True)
class Pool:
    """Members that a limit is on together. ``id`` is made of them alone, so that it stays when
    cases are named, written or limited otherwise; ``name`` is for people: ``oltp/bs=4k``."""

    id: str
    name: str
    threshold: Threshold
    members: tuple[PoolMember, ...]
    workload: str = ""

    def among(self, ids: Mapping[str, str]) -> Pool:
        """The pool of the cases whose ids are among the keys, by the ids that stand there."""
        kept = tuple(replace(m, case_id=ids[m.case_id]) for m in self.members if m.case_id in ids)
        return replace(self, id=pool_id(kept), members=kept)


def pool_id(members: Iterable[PoolMember]) -> str:
    """The first 16 hex digits of the SHA-256 of what a pool is made of, in any order."""
    parts = sorted(f"{member.case_id}\0{member.metric}" for member in members)
    return hashlib.sha256("\0".join((POOLED, *parts)).encode()).hexdigest()[:16]


def pools_among(pools: Iterable[Pool], ids: Mapping[str, str]) -> tuple[Pool, ...]:
    """As ``Pool.among``; a pool that keeps too few members is left out."""
    kept = (pool.among(ids) for pool in pools)
    return tuple(pool for pool in kept if len(pool.members) >= FEWEST_MEMBERS)
