"""``vs case target=ext4``: which other case of its workload a limit compares a case with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from iogate.model.spec import JobSpec
from iogate.spec.build.jobs import with_options
from iogate.spec.matrix import Point, canonical_point


class Siblings:
    """The points of a workload's cases, each to be found by what differs from another."""

    def __init__(self, jobs: Sequence[JobSpec], points: Iterable[Point]) -> None:
        self._jobs = jobs
        self._points = {canonical_point(point): point for point in points}

    def of(self, point: Point, case: Mapping[str, str]) -> Point | None:
        """The point that has the values of ``case``, and else those of ``point``; None where that
        is the same point, or none."""
        wanted = canonical_point({**point, **case})
        return None if wanted == canonical_point(point) else self._points.get(wanted)

    def jobs(self, point: Point) -> tuple[JobSpec, ...]:
        """The jobs of the case of a point."""
        return tuple(with_options(job, point) for job in self._jobs)
