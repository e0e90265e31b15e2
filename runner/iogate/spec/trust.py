"""What of a plan changes the host, runs programs or reaches the network, and so is only done for a
spec that somebody has read."""

from __future__ import annotations

from collections.abc import Iterator

from iogate.errors import Location, RefusedError
from iogate.model.plan import Case, Plan
from iogate.model.spec import Command, JobSpec, TargetKind

_OF_THE_HOST = (TargetKind.DIRECTORY, TargetKind.FILE)
_NO_SIZE = ("0", "")


def needs_trust(plan: Plan) -> tuple[str, ...]:
    """Keys of the spec that change the host beside the targets that it may write to, run programs,
    or open connections."""
    keys = [
        f"environment.{name}"
        for case in plan.cases
        if case.environment
        for name in case.environment.changes
    ]
    keys += [
        f"targets.{case.target.name}.{case.target.kind}"
        for case in plan.cases
        if case.target.is_made
    ]
    keys += [f"workloads.{case.workload}.fio.fill_device" for case, _ in _fills(plan)]
    keys += [f"workloads.{case.workload}.network" for case in plan.cases if case.network]
    keys += [f"workloads.{case.workload}.command" for case in plan.cases if case.command]
    return tuple(dict.fromkeys(keys))


def _fills(plan: Plan) -> Iterator[tuple[Case, JobSpec]]:
    """Jobs that leave no space for others on a filesystem of the host."""
    for case in plan.cases:
        for job in case.jobs if case.target.kind in _OF_THE_HOST else ():
            sized = any(job.options.get(key, "0") not in _NO_SIZE for key in ("size", "filesize"))
            if job.options.get("fill_device") == "1" and not sized:
                yield case, job


def require_trust(plan: Plan, *, trusted: bool) -> None:
    """RefusedError for a plan that needs trust, unless its spec is ``trusted``."""
    changes = needs_trust(plan)
    if not changes or trusted:
        return
    raise RefusedError(
        f"{plan.spec_file} {_does(plan)}: {', '.join(changes)}",
        remedy="read it, and allow it with --trust",
        where=_first_place(plan),
    )


def _does(plan: Plan) -> str:
    reaches = {case.workload for case in plan.cases if case.network}
    programs = dict.fromkeys(name for c in plan.cases if c.command for name in _programs(c.command))
    commands = {case.workload for case in plan.cases if case.command}
    words = []
    if len(needs_trust(plan)) > len(reaches) + len(commands):
        words.append("changes this host")
    if reaches:
        words.append("opens connections")
    if programs:
        words.append(f"runs {', '.join(programs)} on this host")
    return " and ".join(words)


def _programs(command: Command) -> tuple[str, ...]:
    return tuple(argv[0] for argv in (*command.prepare, command.argv))


def _first_place(plan: Plan) -> Location | None:
    settings = next(
        (c.environment for c in plan.cases if c.environment and c.environment.changes), None
    )
    if settings:
        return settings.where
    targets = [c.target.where for c in plan.cases if c.target.is_made]
    fills = [job.places.get("fill_device", job.where) for _, job in _fills(plan)]
    others = [c.jobs[0].where for c in plan.cases if c.network or c.command]
    return (targets or fills or others)[0]
