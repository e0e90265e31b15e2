"""What a history knows of the noise of a host, for the run that is being judged."""

from __future__ import annotations

from collections.abc import Sequence

from iogate.environments import differences
from iogate.history.planning import host_noise, ids_in, is_canary
from iogate.model.plan import Plan
from iogate.model.run import Run
from iogate.model.verdict import HostNoise
from iogate.store.base import Store

_LOOK_BACK = 100  # runs of the spec among which a canary is looked for


def noise_around(run: Run, store: Store, others: Sequence[Run]) -> tuple[HostNoise, ...]:
    """The noise of every metric that has a limit vs baseline: from the run itself if it is a
    canary, else from the newest one in its environment, else from ``others``."""
    plan = run.plan
    if not any(t.limit.vs_baseline for case in plan.cases for t in case.thresholds):
        return ()
    if plan.comparison is not None and plan.comparison.canary:
        return host_noise(plan, [run])
    canaries = newest_canary(store, plan, run.host.machine_id, run)
    return host_noise(plan, [*canaries, *others])


def newest_canary(
    store: Store, plan: Plan, machine_id: str, like: Run | None = None
) -> Sequence[Run]:
    """The newest canary of any of the plan's cases, none or one. With ``like``, in the same
    environment only. A canary is never a baseline, so it is looked for by itself."""
    rule = plan.baseline
    for run in store.runs(spec=plan.spec_name, host=machine_id, limit=_LOOK_BACK, verdicts=False):
        if not is_canary(run) or run.plan.overrides != plan.overrides:
            continue
        if like and differences(run.environment, like.environment, rule.across, rule.also):
            continue
        known = {case.id for case in run.plan.cases}
        if any(not known.isdisjoint(ids_in(run, case)) for case in plan.cases):
            return [store.run(run.id)]
    return []
