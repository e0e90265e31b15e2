"""Which jobs of a result began when those before them had ended.

fio's JSON leaves out options that have no value, and so ``stonewall``. It is told by the groups
that fio reports: a wall begins another one. ``new_group`` does, too, but its jobs run at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from iogate.model.measurement import TRANSFERS
from iogate.model.spec import JobSpec

_TELLING = ("stonewall", "wait_for")


def with_walls(rows: Sequence[Mapping[str, Any]], jobs: Sequence[JobSpec]) -> Iterator[JobSpec]:
    """The jobs of the rows, one each: the first of each later group has its ``stonewall`` again.
    They stay as they are where their own options say who waits."""
    told = any(key in job.options for job in jobs for key in _TELLING)
    groups = [row.get("groupid", 0) for row in rows]
    turns = not told and len(set(groups)) > 1 and _took_turns(rows)
    first: dict[Any, str] = {}
    for group, job in zip(groups, jobs, strict=True):
        begins = first.setdefault(group, job.name) == job.name and group != groups[0]
        yield replace(job, options={**job.options, "stonewall": "1"}) if turns and begins else job


def _took_turns(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the groups together took no longer than all of it."""
    longest: dict[Any, float] = defaultdict(float)
    for row in rows:
        spent = max(float((row.get(name) or {}).get("runtime", 0)) for name in TRANSFERS)
        group = row.get("groupid", 0)
        longest[group] = max(longest[group], spent)
    elapsed_ms = 1000 * max(float(row.get("elapsed", 0)) for row in rows)
    return sum(longest.values()) <= elapsed_ms
