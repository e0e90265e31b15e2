"""Whether two arms do anything different: a comparison of the same would pass, and say nothing."""

from __future__ import annotations

from dataclasses import replace

from iogate.errors import UsageError
from iogate.model.comparison import Arm
from iogate.model.plan import Case
from iogate.spec.arms import Sides
from iogate.spec.case_id import case_id
from iogate.spec.depths import idle_depth, without_idle_depth

_OUTSIDE = ("engine", "prepare", "kernel", "module", "parameters", "library")


def check_differing(sides: Sides, base: Arm, candidate: Arm) -> None:
    """UsageError for arms that say changes, and change none of the cases. An arm without any says
    that it is the same."""
    if _differ_outside(base, candidate) or replace(base, name="") == replace(candidate, name=""):
        return
    if all(map(_is_same, sides.base, sides.candidate)):
        raise UsageError(
            f"arms {base.name} and {candidate.name} do the same in every case: there is nothing to"
            " compare",
            remedy="name a change that the cases do not have yet; iogate canary compares a spec "
            "with itself",
        )


def idle_difference(sides: Sides, base: Arm, candidate: Arm) -> str:
    """An iodepth in which alone the arms differ, where ioengines do nothing with it, as
    ``iodepth=32``; empty where they differ otherwise."""
    pairs = [(a, b) for a, b in zip(sides.base, sides.candidate, strict=True) if not _is_same(a, b)]
    if _differ_outside(base, candidate) or not pairs:
        return ""
    if not all(_is_same(_without_depths(a), _without_depths(b)) for a, b in pairs):
        return ""
    depths = (idle_depth(job) for pair in pairs for case in pair for job in case.jobs)
    return next((f"iodepth={depth}" for depth in depths if depth), "")


def _differ_outside(base: Arm, candidate: Arm) -> bool:
    """Whether they differ in what no case shows."""
    return any(getattr(base, key) != getattr(candidate, key) for key in _OUTSIDE)


def _is_same(base: Case, candidate: Case) -> bool:
    ids = [case_id(case.jobs, case.target, _setup(case)) for case in (base, candidate)]
    return ids[0] == ids[1]


def _setup(case: Case) -> dict[str, object]:
    return {"environment": case.environment.measured_under if case.environment else {}}


def _without_depths(case: Case) -> Case:
    return replace(case, jobs=tuple(map(without_idle_depth, case.jobs)))
