"""What a run may not do while others measure on the same host."""

from __future__ import annotations

from iogate.errors import Location, SpecError
from iogate.model.plan import Plan


def check_sharing(plan: Plan) -> None:
    """SpecError for a plan that shares the host and changes what other runs there go by: two
    that set one thing would put it back as the other had set it."""
    change = None if plan.exclusive else _changed(plan)
    if change:
        key, where = change
        raise SpecError(
            f"{key} changes the host, and runner.exclusive: false lets other runs measure there",
            remedy=f"leave out {key} (the host's own set-up may do it for all runs), or "
            "exclusive: false",
            where=where,
        )


def _changed(plan: Plan) -> tuple[str, Location | None] | None:
    for case in plan.cases:
        if case.environment and case.environment.changes:
            return f"environment: {case.environment.changes[0]}", case.environment.where
        if case.target.is_made:
            return f"target {case.target.name}: {case.target.kind}", case.target.where
    return None
