"""From a plan and a history to its trend: which lines are followed, and the nights of them."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TypeVar

from iogate.errors import UsageError
from iogate.history.plans import kept_plans
from iogate.jobs.options import DEFAULT_RW, transfers_of
from iogate.metrics import Metric, metric
from iogate.model.decision import Decision
from iogate.model.measurement import TRANSFERS
from iogate.model.night import Night
from iogate.model.plan import Case, Plan
from iogate.model.trend import Alert, Trend
from iogate.spec.ordering import takes_turns
from iogate.store.base import Store
from iogate.trend import Line, analyse

V = TypeVar("V")
LAST_NIGHTS = 300
_LEAST_OF_ID = 4  # characters
_LIST_THEM = (
    "list them with: iogate trend SPEC; what it shows with --across, --branch, --metric or --last,"
    " or of a spec file that says so, needs the same (--spec FILE) here"
)
_HEADLINES = ("iops", "clat.p99")
_GLOB = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a history: ``metrics`` beside those of the spec's limits (paths, or
    patterns of what was kept), on one host or all, the last so many nights of each, of one
    branch or all, and which facts may change without a new series."""

    metrics: tuple[str, ...] = ()
    host: str | None = None
    last: int = LAST_NIGHTS
    branch: str | None = None
    across: tuple[str, ...] = ()


def is_pattern(name: str) -> bool:
    """Whether what is asked for is no metric but a pattern of those that were kept."""
    return _GLOB.search(name) is not None


def find_trend(store: Store, plan: Plan, question: Question) -> Trend:
    """The trend of a plan's cases. UsageError for a metric that does not exist."""
    patterns = [name for name in question.metrics if is_pattern(name)]
    asked = [metric(n, plan.metrics) for n in question.metrics if not is_pattern(n)]
    followed = {case.id: [*followed_metrics(case, plan), *asked] for case in plan.cases}
    unique = {each.path: each for metrics in followed.values() for each in metrics}
    ids = [name for case in plan.cases for name in case.ids]
    nights = store.nights(
        ids,
        metrics=None if patterns else list(unique.values()),
        host=question.host,
        limit=question.last if question.branch is None else None,
    )
    own = [metric(each.name, plan.metrics) for each in plan.metrics]
    if patterns and (asked or own):
        nights = _joined(nights, store, ids, [*asked, *own], question)
    nights = _of_branch(nights, question)
    kept = {path for night in nights for _, path in night.values}
    matching = [metric(path, plan.metrics) for path in sorted(kept) if _matches(path, patterns)]
    lines = [
        Line(case.ids, case.name, each)
        for case in plan.cases
        for each in {m.path: m for m in (*followed[case.id], *matching)}.values()
    ]
    return analyse(
        plan.spec_name,
        lines,
        nights,
        store.decisions(),
        now_ns=time.time_ns(),
        across=(*plan.baseline.across, *question.across),
        also=plan.baseline.also,
    )


def find_alert(
    store: Store, name: str, question: Question, given: Plan | None = None
) -> tuple[Plan, Alert]:
    """The alert of that id (or of the only one that begins so), of any spec in the history, and
    of the plan that is given, of which there may be no run yet.

    It is looked for in what ``iogate trend SPEC`` follows by itself and what the question
    adds, then in everything that was kept. UsageError when there is none, or several.
    """
    plans = [*([given] if given else []), *kept_plans(store.runs(verdicts=False)).values()]
    for metrics in (question.metrics, ("*",)):
        wider = Question(metrics, question.host, question.last, question.branch, question.across)
        matching = [
            (plan, alert)
            for plan in plans
            for alert in find_trend(store, plan, wider).alerts
            if _is_called(alert.id, name)
        ]
        if len({alert.id for _, alert in matching}) > 1:
            ids = ", ".join(sorted({alert.id for _, alert in matching}))
            raise UsageError(f"{name!r} is the beginning of several alerts: {ids}")
        if matching:
            return matching[0]
    raise UsageError(
        f"there is no alert {name!r} in this history",
        remedy=f"the start of an id has at least {_LEAST_OF_ID} characters"
        if len(name) < _LEAST_OF_ID
        else _LIST_THEM,
    )


def _is_called(alert_id: str, name: str) -> bool:
    """Whether it is the id of the alert, or enough of its start to be meant."""
    return name == alert_id or (len(name) >= _LEAST_OF_ID and alert_id.startswith(name))


def find_decision(store: Store, name: str) -> Decision | None:
    """The last decision on the alert of that id, or of the only one that begins so."""
    decisions = [d for d in store.decisions() if _is_called(d.alert, name)]
    return decisions[-1] if len({d.alert for d in decisions}) == 1 else None


def followed_metrics(case: Case, plan: Plan, asked: Sequence[str] = ()) -> Iterator[Metric]:
    """What is followed of a case: what its limits are on (without any, how much and how late,
    of each job where they took turns) and what the spec defines; or what is asked for instead.
    UsageError for a metric that does not exist."""
    if asked:
        yield from (metric(path, plan.metrics) for path in asked)
        return
    paths = list(dict.fromkeys(threshold.metric for threshold in case.thresholds))
    paths = paths or list(_headlines(case))
    for path in dict.fromkeys((*paths, *(each.name for each in plan.metrics))):
        yield metric(path, plan.metrics)


def _headlines(case: Case) -> Iterator[str]:
    """How much and how late. Jobs that took turns are followed one by one: their sum is nobody's
    rate."""
    if not takes_turns(case):
        yield from (f"{direction}.{name}" for direction in TRANSFERS for name in _HEADLINES)
        return
    for job in case.jobs:
        for direction in transfers_of(job.options.get("rw", DEFAULT_RW)):
            yield from (f"jobs.{job.name}.{direction}.{name}" for name in _HEADLINES)


def _matches(path: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in patterns)


def _of_branch(nights: Sequence[Night], question: Question) -> Sequence[Night]:
    """The last nights of each host that are of the branch asked for."""
    if question.branch is None:
        return nights
    left: dict[str, int] = defaultdict(lambda: question.last)
    of_branch = []
    for night in reversed(nights):
        machine = night.facts.host.machine_id
        if left[machine] > 0 and fnmatchcase(night.facts.revision.branch, question.branch):
            left[machine] -= 1
            of_branch.append(night)
    return of_branch[::-1]


def _joined(
    nights: Sequence[Night],
    store: Store,
    ids: Sequence[str],
    asked: Sequence[Metric],
    question: Question,
) -> list[Night]:
    """The nights with what was asked for by name, too, and as it is defined now."""
    named = {each.path for each in asked}
    limit = question.last if question.branch is None else None
    more = store.nights(ids, metrics=asked, host=question.host, limit=limit)
    known = {night.facts.run_id: night for night in more}
    return [
        Night(
            night.facts,
            {**_others(night.values, named), **also.values},
            {**_others(night.spreads, named), **also.spreads},
        )
        for night in nights
        for also in (known.get(night.facts.run_id, Night(night.facts, {}, {})),)
    ]


def _others(
    values: Mapping[tuple[str, str], V], named: Collection[str]
) -> dict[tuple[str, str], V]:
    """Those of other metrics than are named."""
    return {key: value for key, value in values.items() if key[1] not in named}
