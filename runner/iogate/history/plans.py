"""What a history holds of each spec: every case that a run of it has measured.

The newest run alone does not tell. It may have been killed, or have measured a part of the
cases (``--case``, ``--set``), and the nights of the others are still there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from iogate.model.plan import Case, Plan
from iogate.model.run import Run
from iogate.store.base import NIGHTS


def kept_plans(runs: Iterable[Run], earlier: Mapping[str, Plan] | None = None) -> dict[str, Plan]:
    """The plan of each spec: that of its newest night, with the cases of those before it, each
    as it was measured last. ``runs`` are newest first; ``earlier`` are such plans of runs
    before them. A spec without a night has none."""
    by_spec: dict[str, list[Plan]] = {}
    for run in runs:
        if run.status in NIGHTS and run.is_level:
            by_spec.setdefault(run.plan.spec_name, []).append(run.plan)
    for name, plan in (earlier or {}).items():
        by_spec.setdefault(name, []).append(plan)
    return {name: _joined(plans) for name, plans in by_spec.items()}


def _joined(plans: list[Plan]) -> Plan:
    """One plan of several, which are newest first."""
    newest = plans[0]
    cases = tuple(_cases(plans))
    wanted = {each.metric for case in cases for each in case.thresholds}
    metrics = {each.name: each for each in newest.metrics}
    for plan in plans[1:]:
        for each in plan.metrics:
            if each.name in wanted:
                metrics.setdefault(each.name, each)
    return replace(newest, cases=cases, metrics=tuple(metrics.values()))


def _cases(plans: list[Plan]) -> Iterator[Case]:
    """Each case once. One that has another id by now is known by its old one too."""
    taken: set[str] = set()
    for plan in plans:
        new = [case for case in plan.cases if case.id not in taken]
        others = taken | {case.id for case in new}
        for case in new:
            aka = tuple(name for name in case.aka if name not in others)
            yield case if plan is plans[0] else replace(case, aka=aka)
        taken |= {name for case in new for name in (case.id, *case.aka)}
