"""What can be refused before anything is changed."""

from __future__ import annotations

import os
from dataclasses import dataclass

from iogate.ci import is_pull_request
from iogate.engine import open_engine
from iogate.engine.base import Engine, EngineInfo
from iogate.engine.launcher import find_layers
from iogate.errors import RefusedError
from iogate.git.ancestry import MERGE_BASE, find_ancestry, is_shallow
from iogate.git.revision import find_revision
from iogate.host.facts import Fact
from iogate.host.sandbox import Sandbox, open_sandbox
from iogate.host.stage import check_stage, devices_of
from iogate.host.targets.check import resolved
from iogate.jobs import estimate
from iogate.model.plan import Plan
from iogate.run.commands import check_programs
from iogate.run.jobs import check_jobs
from iogate.run.precondition import look_at
from iogate.run.request import Request
from iogate.run.targets import check_uses, uses_of
from iogate.spec import require_trust


@dataclass(frozen=True, slots=True)
class Tools:
    """What the machine under test measures with."""

    engine: Engine
    info: EngineInfo
    sandbox: Sandbox

    def facts(self) -> dict[str, Fact]:
        """What of them belongs to the environment of a run."""
        said = ("name", "version", "semantics", "clock")
        known = {name: getattr(self.info, name) for name in said}
        engine = {f"engine.{name}": value for name, value in known.items() if value}
        return engine | self.sandbox.facts()


def check_request(request: Request, plan: Plan) -> Tools:
    """All that can be refused without a look at the targets, and what was found. ``plan`` holds
    every case that may run, of any arm."""
    engine = open_engine(request.engine, request.sut)
    sandbox = _sandbox(request)
    info = engine.info(sandbox.to_ask())
    require_trust(plan, trusted=request.trusted)
    check_depth(plan)
    check_io_engines(plan, info)
    check_jobs(engine, plan, sandbox.to_ask())
    check_programs(request.sut, plan.cases)
    return Tools(engine, info, sandbox)


def check_depth(plan: Plan) -> None:
    """RefusedError where the baseline is to be found by commits that this clone does not have."""
    rule = plan.baseline
    relative = any(t.limit.vs_baseline for case in plan.cases for t in case.thresholds)
    if rule.ref is None or not relative or plan.comparison is not None or not is_shallow():
        return
    if rule.ref == MERGE_BASE or find_ancestry(rule.ref):
        raise RefusedError(
            f"this clone is shallow: it lacks the commits by which baseline.ref: {rule.ref} finds "
            "runs to compare with",
            remedy="fetch them: git fetch --unshallow, or in GitHub Actions fetch-depth: 0 of "
            "actions/checkout (GIT_DEPTH: 0 in GitLab)",
        )


def check_run(request: Request, plan: Plan) -> None:
    """Every check of a run that changes nothing, in its order; raises what the run would."""
    check_request(request, plan)
    find_revision(ref=request.revision, label=request.label)
    uses = resolved(request.sut, uses_of(plan))
    check_uses(request, uses)
    check_stage(request.sut, plan, uses)


def check_io_engines(plan: Plan, info: EngineInfo) -> None:
    """RefusedError when a job asks for an ioengine that the engine does not have here."""
    for case in plan.cases:
        for name, job in estimate.io_engines(case).items():
            if info.ioengines and name not in info.ioengines:
                raise RefusedError(
                    f"case {case.name}: {info.name} has no ioengine {name} here",
                    remedy=f"it has: {', '.join(info.ioengines)}",
                    where=job.places.get("ioengine", job.where),
                )


def precondition_prospects(request: Request, plan: Plan) -> tuple[str, ...]:
    """Whether each device would be preconditioned, and why, in a sentence each."""
    steps, sut = plan.precondition, request.sut
    if steps is None:
        return ()
    sentences = []
    for target in devices_of(sut, uses_of(plan)):
        looked = look_at(sut, steps, target, anew=request.precondition)
        holds = f"the {looked.state.name} still holds" if looked.state else ""
        sentences.append(f"{target.path}: {holds or f'would be preconditioned: {looked.why}'}")
    return tuple(sentences)


def _sandbox(request: Request) -> Sandbox:
    """What keeps the engines of a run to their targets. RefusedError where nothing does."""
    return open_sandbox(
        request.sut,
        None if request.unconfined else find_layers(request.sut),
        unconfined=request.unconfined,
        trusted=request.trusted,
        proposed=is_pull_request(os.environ),  # where iogate runs, not where it measures
    )
