"""What of a plan changes the host, and so is only done for a spec that somebody has read."""

from __future__ import annotations

from iogate.errors import RefusedError
from iogate.model.plan import Plan
from iogate.model.spec import TargetKind


def needs_trust(plan: Plan) -> tuple[str, ...]:
    """Keys of the spec that change the host beside the targets that it may write to."""
    found = [
        f"environment.{name}"
        for case in plan.cases
        if case.environment
        for name in case.environment.changes
    ]
    found += [
        f"targets.{case.target.name}.filesystem"
        for case in plan.cases
        if case.target.kind is TargetKind.FILESYSTEM
    ]
    return tuple(dict.fromkeys(found))


def require_trust(plan: Plan, *, trusted: bool) -> None:
    """RefusedError for a plan that changes the host, unless its spec is ``trusted``."""
    changes = needs_trust(plan)
    if not changes or trusted:
        return
    settings = next((c.environment for c in plan.cases if c.environment), None)
    targets = [c.target for c in plan.cases if c.target.kind is TargetKind.FILESYSTEM]
    raise RefusedError(
        f"{plan.spec_file} changes this host: {', '.join(changes)}",
        remedy="read it, and allow it with --trust",
        where=settings.where if settings and settings.changes else targets[0].where,
    )
