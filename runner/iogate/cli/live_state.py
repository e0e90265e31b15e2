"""What a history holds at a time, read anew only where it has changed since the last time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from iogate.cli.fault import trace_fault
from iogate.errors import IogateError
from iogate.gate.anytime import evidence_so_far
from iogate.history.plans import kept_plans
from iogate.history.trends import Question, find_trend
from iogate.model.plan import Plan
from iogate.model.run import Run, RunStatus
from iogate.store import Store
from iogate.trend.environment import newest_facts
from iogate_reports.site import Site, SpecTrend

LISTED = 200
"""How many runs are listed, and checked for changes."""
RENEWED_S = 3600
"""A trend is made anew after so long without a change: acknowledgements expire."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is shown: the specs whose names match, and what is asked of their trends."""

    specs: tuple[str, ...] = ()
    question: Question = field(default_factory=Question)

    def shows(self, name: str) -> bool:
        """Whether a spec is one of them."""
        return not self.specs or any(fnmatchcase(name, glob) for glob in self.specs)


@dataclass(frozen=True, slots=True)
class State:
    """``known`` are all runs as they are kept, ``runs`` the newest of them, newest first;
    ``running`` those in progress with how many repetitions each has. ``marks`` tell, by spec, what
    its trend was made from. ``version`` is another one when some trend is."""

    runs: tuple[Run, ...] = ()
    known: Mapping[str, tuple[str, RunStatus]] = field(default_factory=dict)
    plans: Mapping[str, Plan] = field(default_factory=dict)
    marks: Mapping[str, object] = field(default_factory=dict)
    trends: Mapping[str, SpecTrend] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    running: tuple[tuple[Run, int, str], ...] = ()
    site: Site = field(default_factory=lambda: Site(()))
    version: int = 0


def read_state(store: Store, asked: Asked, last: State, seen: Callable[[Run], Run]) -> State:
    """The state now, its runs as they are ``seen``: the history does not know of one that was
    killed. StoreError for a history that cannot be read."""
    kept = _listed(store, last)
    listed = replace(kept, runs=tuple(map(seen, kept.runs)))
    marks = _marks(store, listed.known)
    trends, problems = _trends(store, asked, replace(listed, marks=marks), last)
    same = trends.keys() == last.trends.keys() and all(trends[n] is last.trends[n] for n in trends)
    site = last.site
    if not same:
        site = Site([t for t in trends.values() if t.lines], trace_fault, time.time_ns())
    return replace(
        listed,
        marks=marks,
        trends=trends,
        problems=tuple(problems),
        running=tuple(_so_far(store.run(run.id)) for run in _running(listed.runs)),
        site=site,
        version=last.version if same else last.version + 1,
    )


def _so_far(run: Run) -> tuple[Run, int, str]:
    """A run in progress, how many repetitions it has, and what they say by now."""
    return run, len(run.measurements), evidence_so_far(run.plan, run.measurements)


def _listed(store: Store, last: State) -> State:
    """Which runs there are. All of them are read the first time; later the newest."""
    runs = tuple(store.runs(limit=LISTED))
    ids = store.run_ids()
    known = {name: last.known[name] for name in ids if name in last.known}
    known |= {run.id: (run.plan.spec_name, run.status) for run in runs}
    listed: Sequence[Run] = runs
    if len(known) < len(ids):
        listed = store.runs(verdicts=False)
        known = {run.id: (run.plan.spec_name, run.status) for run in listed}
    return State(runs=runs, known=known, plans=kept_plans(listed, last.plans))


def _marks(store: Store, known: Mapping[str, tuple[str, RunStatus]]) -> dict[str, object]:
    nights: dict[str, set[object]] = {spec: set() for spec, _ in known.values()}
    for name, (spec, status) in known.items():
        if status is not RunStatus.RUNNING:  # that one has begun changes no trend
            nights[spec].add((name, status))
    others = int(time.time() // RENEWED_S), tuple(store.decisions())
    return {spec: (others, night) for spec, night in nights.items()}


def _trends(
    store: Store, asked: Asked, now: State, last: State
) -> tuple[dict[str, SpecTrend], list[str]]:
    """Those of all specs that are asked for, and what is wrong with those that have none."""
    trends: dict[str, SpecTrend] = {}
    problems = []
    for name in sorted(filter(asked.shows, now.marks.keys() & now.plans.keys())):
        if name in last.trends and now.marks[name] == last.marks[name]:
            trends[name] = last.trends[name]
            continue
        plan = now.plans[name]
        try:
            of_spec = [run for run in now.runs if run.plan.spec_name == name]
            facts = newest_facts(of_spec, plan.baseline.across, plan.baseline.also)
            trends[name] = _shown(SpecTrend(find_trend(store, plan, asked.question), plan, facts))
        except IogateError as error:
            problems.append(f"{name} is not shown: {error.what}")
        except Exception as error:
            trace_fault(name, error)
            problems.append(f"{name} is not shown ({type(error).__name__})")
    return trends, problems


def _shown(shown: SpecTrend) -> SpecTrend:
    """With its lines made: what is wrong with them is wrong with this spec alone."""
    _ = shown.lines
    return shown


def _running(runs: Sequence[Run]) -> list[Run]:
    """Runs in progress. A host has one at a time: an older one was left behind."""
    newest: dict[str, Run] = {}
    for run in runs:
        newest.setdefault(run.host.machine_id, run)
    return [run for run in newest.values() if run.status is RunStatus.RUNNING]
