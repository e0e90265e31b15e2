"""Which runs of a history a run is compared with: the last accepted level of each of its limits.

Accepted runs of the same host and environment, of the revisions that the spec prefers
(``baseline.ref``, else ``baseline.fallback``), and of those, for each case and metric with a
limit vs baseline, the newest ``baseline.window`` that have the level which holds today.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from iogate.environments import Comparable, SetAside, why_fewer
from iogate.errors import UsageError
from iogate.git.ancestry import MERGE_BASE, Ancestry, find_ancestry, find_merge_base
from iogate.history.left_out import left_out_words
from iogate.metrics import metric
from iogate.model.decision import Action, Decision
from iogate.model.measurement import undisturbed
from iogate.model.night import Night, RunFacts
from iogate.model.origin import Origin
from iogate.model.plan import Case
from iogate.model.run import Run, RunStatus
from iogate.model.segment import Segment
from iogate.model.verdict import BaselineUse
from iogate.store.base import Store
from iogate.trend.decisions import in_force, is_about
from iogate.trend.segments import accepted_level
from iogate.trend.series import Line, Series, make_series

LAST_NIGHTS = 300
_EVERY_FACT = ("*",)
_ALL = 1 << 31


@dataclass(frozen=True, slots=True)
class Baseline:
    """The runs, newest first, which of them count for which case (by its id) and metric, how
    they were found, the accepted ones of another environment, and what else was left out."""

    runs: tuple[Run, ...] = ()
    segments: Mapping[tuple[str, str], Segment] = field(default_factory=dict)
    use: BaselineUse = field(default_factory=BaselineUse)
    set_aside: Sequence[SetAside] = ()
    left_out: tuple[str, ...] = ()

    @property
    def why_fewer(self) -> tuple[str, ...]:
        """What a limit without a baseline says of how runs were looked for."""
        return (*why_fewer(self.set_aside, self.use), *self.left_out)


@dataclass(frozen=True, slots=True)
class _Source:
    """Revisions to compare with: which runs are of them, and how that is told."""

    holds: Callable[[RunFacts], bool]
    use: BaselineUse


@dataclass(frozen=True, slots=True)
class _Search:
    """What all sources have in common. ``nights`` are oldest first, ``accepted`` newest first;
    ``decisions`` are those in force."""

    run: Run
    store: Store
    ids: tuple[str, ...]
    accepted: tuple[RunFacts, ...]
    nights: tuple[Night, ...]
    decisions: tuple[Decision, ...]


def find_baseline(run: Run, store: Store) -> Baseline:
    """What ``run`` is compared with. A comparison has its baseline in itself."""
    if run.plan.comparison is not None:
        return Baseline()
    rule = run.plan.baseline
    comparable = Comparable(run.environment, rule.across, rule.also)
    search = _search(run, store, comparable)
    baselines = [Baseline()]
    for source in _sources(run):
        baselines.append(_of_source(search, source))
        if _is_enough(baselines[-1], run):
            break
    else:  # the first that has anything is what is too small
        baselines.append(next((each for each in baselines if each.runs), baselines[-1]))
    alike = () if _is_enough(baselines[-1], run) else tuple(_alike(search))
    left_out = left_out_words(
        baselines[-1].runs, tuple(_refused(search, comparable, alike)), _count_later(run, alike)
    )
    return replace(baselines[-1], set_aside=comparable.set_aside, left_out=left_out)


def _alike(search: _Search) -> Iterator[RunFacts]:
    """The other runs of the host and environment, whatever became of them."""
    run, rule = search.run, search.run.plan.baseline
    comparable = Comparable(run.environment, rule.across, rule.also)
    for night in search.store.nights(
        search.ids, metrics=(), host=run.host.machine_id, limit=LAST_NIGHTS
    ):
        facts = night.facts
        if facts.run_id != run.id and facts.is_level and comparable(facts):
            yield facts


def _refused(
    search: _Search, comparable: Comparable, alike: Sequence[RunFacts]
) -> Iterator[RunFacts]:
    """The earlier ones whose end keeps them from being a baseline."""
    known = {facts.run_id for facts in search.accepted}
    known |= {aside.run_id for aside in comparable.set_aside}
    for facts in alike:
        if facts.started_ns < search.run.started_ns and facts.run_id not in known:
            yield facts


def _count_later(run: Run, alike: Sequence[RunFacts]) -> int:
    """How many began after the last repetition of this run, which is only just over."""
    last_ns = max((each.started_ns for each in run.measurements), default=0)
    return sum(facts.started_ns > max(run.started_ns, last_ns) for facts in alike)


def used_baseline(run: Run, store: Store) -> Sequence[Run]:
    """The runs that a judged run was compared with, as far as they are still kept."""
    use = run.verdict.baseline if run.verdict else None
    return _read(store, run, _ids(run), use.runs) if use else ()


def baseline_of(run: Run, store: Store) -> Sequence[Run]:
    """The runs that a run was compared with, newest first; for one that was never judged, those
    that it would be compared with now."""
    if run.verdict and run.verdict.baseline:
        return used_baseline(run, store)
    return find_baseline(run, store).runs


def _search(run: Run, store: Store, comparable: Comparable) -> _Search:
    ids = _ids(run)
    accepted: list[RunFacts] = []

    def note(facts: RunFacts) -> bool:
        if comparable(facts):
            accepted.append(facts)
        return False

    store.baseline(
        ids,
        machine_id=run.host.machine_id,
        before_ns=run.started_ns,
        window=_ALL,
        comparable=note,
    )
    return _Search(
        run,
        store,
        ids,
        tuple(accepted),
        tuple(_nights(run, store, ids)) if accepted else (),
        in_force(store.decisions(), run.started_ns) if accepted else (),
    )


def _nights(run: Run, store: Store, ids: Sequence[str]) -> Iterator[Night]:
    """The nights before the run in an environment like its own."""
    rule = run.plan.baseline
    comparable = Comparable(run.environment, rule.across, rule.also)
    metrics = dict.fromkeys(path for _, path in _followed(run))
    if not metrics:
        return
    nights = store.nights(
        ids,
        metrics=[metric(path, run.plan.metrics) for path in metrics],
        host=run.host.machine_id,
        limit=LAST_NIGHTS,
    )
    for night in nights:
        if night.facts.started_ns < run.started_ns and comparable(night.facts):
            yield night


def _sources(run: Run) -> Iterator[_Source]:
    """The revisions that the spec prefers, best first."""
    rule = run.plan.baseline
    if rule.ref is None:
        yield from _mainlines(run.origin)
        return
    commit = run.revision.commit
    is_base = rule.ref == MERGE_BASE
    target = rule.fallback or (run.origin.base_ref if run.origin else None) or None
    line = find_merge_base(commit, target) if is_base else find_ancestry(rule.ref)
    names = () if is_base else (rule.ref,)
    yield _Source(_is_of(line, names, names if line is None else ()), _use(rule.ref, line))
    if rule.fallback is not None:
        branch = find_ancestry(rule.fallback)
        use = replace(_use(rule.ref, line), fallback=rule.fallback)
        yield _Source(_is_of(branch, (), (rule.fallback,)), use)


def _mainlines(origin: Origin | None) -> Iterator[_Source]:
    """The branches that a CI system names, and every run where it names none. Runs of which no
    system said anything count for each."""
    if origin is None or not origin.mainlines:
        yield _Source(lambda _: True, BaselineUse())
        return
    for branch in origin.mainlines:
        yield _Source(partial(_is_on, branch), BaselineUse(branch=branch))


def _is_on(branch: str, facts: RunFacts) -> bool:
    return facts.origin is None or facts.origin.head_ref == branch


def _use(ref: str, line: Ancestry | None) -> BaselineUse:
    return BaselineUse(ref=ref, commit=line.commit if line else "")


def _is_of(
    line: Ancestry | None, labels: Sequence[str], branches: Sequence[str]
) -> Callable[[RunFacts], bool]:
    """Whether a run is of a line of commits, has one of the labels, or is of one of the branches.
    What was measured with uncommitted changes is of no commit."""
    commits = line.commits if line else frozenset()

    def holds(facts: RunFacts) -> bool:
        revision = facts.revision
        if revision.label in labels:
            return True
        return not revision.dirty and (revision.commit in commits or revision.branch in branches)

    return holds


def _of_source(search: _Search, source: _Source) -> Baseline:
    accepted = [facts.run_id for facts in search.accepted if source.holds(facts)]
    nights = [night for night in search.nights if source.holds(night.facts)]
    window = search.run.plan.baseline.window
    segments = dict(_segments(search, nights, frozenset(accepted)))
    chosen = {run_id for segment in segments.values() for run_id in segment.runs}
    chosen.update(accepted[:window])  # to show beside what no limit judges
    runs = tuple(_read(search.store, search.run, search.ids, chosen))
    return Baseline(runs, segments, replace(source.use, runs=tuple(run.id for run in runs)))


def _segments(
    search: _Search, nights: Sequence[Night], accepted: frozenset[str]
) -> Iterator[tuple[tuple[str, str], Segment]]:
    """What counts for each case and metric that has a limit vs baseline and a history."""
    window = search.run.plan.baseline.window
    metrics = search.run.plan.metrics
    lines = [
        Line(case.ids, case.name, metric(path, metrics))
        for case, path in _followed(search.run)
        if case.ids == (case.id, *case.aka)  # a night knows no names
    ]
    for series in make_series(lines, nights, across=_EVERY_FACT):
        decision = _acceptance(series, search.decisions)
        facts, since_ns = _level(series, nights, decision)
        eligible = [f.run_id for f in facts if f.run_id in accepted or _was_seen(f, decision)]
        key = series.line.case_ids[0], series.line.metric.path
        yield key, Segment(frozenset(eligible[-window:]), since_ns)


def _level(
    series: Series, nights: Sequence[Night], decision: Decision | None
) -> tuple[list[RunFacts], int | None]:
    """The nights of a series that have its accepted level, oldest first, and since when they
    do where they did not always."""
    facts = [nights[index].facts for index in series.nights]
    start = sum(each.started_ns < decision.to_ns for each in facts) if decision else 0
    if decision and start == len(facts):
        return [], decision.to_ns
    level = accepted_level(replace(series, start=start))
    accepted = [nights[index].facts for index in level.nights]
    return accepted, None if level.is_first or not accepted else accepted[0].started_ns


def _acceptance(series: Series, decisions: Sequence[Decision]) -> Decision | None:
    """The last acceptance of a change of the series."""
    accepted = [
        decision
        for decision in decisions
        if decision.action is Action.ACCEPT
        and decision.machine_id == series.host.machine_id
        and is_about(decision, series)
    ]
    return max(accepted, key=lambda decision: decision.to_ns, default=None)


def _was_seen(facts: RunFacts, decision: Decision | None) -> bool:
    """A night of the new level that was there when it was accepted counts, even if the gate
    had failed it."""
    return decision is not None and decision.to_ns <= facts.started_ns <= decision.at_ns


def _is_enough(baseline: Baseline, run: Run) -> bool:
    """Whether any case has enough repetitions to compare with."""
    counting = [
        (each, Counter(m.case_id for m in undisturbed(each.measurements))) for each in baseline.runs
    ]
    counts = (
        sum(measured[case_id] for each, measured in counting for case_id in each.ids_of(case))
        for case in run.plan.cases
    )
    return max(counts, default=0) >= max(run.plan.baseline.min_samples, 1)


def _read(
    store: Store, run: Run, ids: Sequence[str], chosen: Sequence[str] | set[str]
) -> list[Run]:
    """The chosen runs, newest first; also those whose outcome was accepted later."""
    wanted = frozenset(chosen)
    if not wanted:
        return []
    runs = list(
        store.baseline(
            ids,
            machine_id=run.host.machine_id,
            before_ns=run.started_ns,
            window=len(wanted),
            comparable=lambda facts: facts.run_id in wanted,
        )
    )
    later = _kept(store, sorted(wanted - {each.id for each in runs}))
    runs += [each for each in later if each.status is RunStatus.COMPLETE]
    return sorted(runs, key=lambda each: (each.started_ns, each.id), reverse=True)


def _kept(store: Store, ids: Sequence[str]) -> Iterator[Run]:
    """Those that this history holds: others were pruned, or are in the history of another host."""
    for run_id in ids:
        with suppress(UsageError):
            yield store.run(run_id)


def _followed(run: Run) -> Iterator[tuple[Case, str]]:
    """Each case with each metric of it that has a limit vs baseline."""
    for case in run.plan.cases:
        for path in dict.fromkeys(t.metric for t in case.thresholds if t.limit.vs_baseline):
            yield case, path


def _ids(run: Run) -> tuple[str, ...]:
    return tuple(name for case in run.plan.cases for name in case.ids)
