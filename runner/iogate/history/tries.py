"""How often two arms have been compared already, and what asking again does to the error: a new
comparison is another try, and blocks that are added to one are not."""

from __future__ import annotations

from collections.abc import Sequence

from iogate.environments import differences
from iogate.model.comparison import Comparison, Part
from iogate.model.run import Run, RunStatus
from iogate.store.base import Store

CLEAN_FAILS = 0.01
"""Of comparisons of arms that do not differ: at most so many fail (docs/statistics.md)."""
_LOOK_BACK = 100  # runs of the spec among which earlier tries are looked for


def tries_words(run: Run, store: Store) -> str:
    """A remark on a comparison that is not the first of its arms; empty for all others."""
    number = 1 + _earlier(run, store)
    if number == 1:
        return ""
    errs = 1 - (1 - CLEAN_FAILS) ** number
    return (
        f"comparison {number} of these arms: where they do not differ, at least one of {number}"
        f" fails by chance in up to {errs * 100:.2g} %, and a regression passes one of them more"
        " easily"
    )


def _earlier(run: Run, store: Store) -> int:
    """Complete comparisons before this one that asked the same."""
    rule = run.plan.comparison
    if rule is None or rule.canary:
        return 0
    same = [other for other in _latest(run, store) if _asks_the_same(other, run, rule)]
    gone_on_with = {part.run for each in (*same, run) for part in _parts(each)}
    return sum(other.id not in gone_on_with for other in same)


def parts_words(run: Run) -> str:
    """What earlier runs measured of a comparison; empty where it was measured in one go."""
    parts, measured = _parts(run), [m.block for m in run.measurements]
    if not parts:
        return ""
    runs = ", ".join(f"{part.run[:12]} (up to block {part.last_block})" for part in parts)
    last, added = parts[-1].last_block, max(measured, default=0)
    what = "no block was added"
    if added > last:
        alone = added == last + 1
        what = f"block {added} was added" if alone else f"blocks {last + 1} to {added} were added"
    return (
        f"{what} to those of run {runs}: they are one comparison, and where the arms do not differ"
        " it fails in at most 1 %"
    )


def later_part(run: Run, store: Store) -> Run | None:
    """The run that has measured on with the comparison of ``run`` already."""
    for other in _latest(run, store):
        last = next((part.last_block for part in _parts(other) if part.run == run.id), None)
        if last is None:
            continue
        if any(m.block > last for m in store.run(other.id).measurements):
            return other
    return None


def _latest(run: Run, store: Store) -> Sequence[Run]:
    """The newest of the spec on the host, without verdicts."""
    spec, host = run.plan.spec_name, run.host.machine_id
    return store.runs(spec=spec, host=host, limit=_LOOK_BACK, verdicts=False)


def _parts(run: Run) -> tuple[Part, ...]:
    return run.plan.comparison.parts if run.plan.comparison else ()


def _asks_the_same(other: Run, run: Run, rule: Comparison) -> bool:
    """The seed and the number of blocks may differ: they are how it was asked."""
    theirs, mine = other.plan.comparison, run.revision
    if theirs is None or theirs.canary or other.status is not RunStatus.COMPLETE:
        return False
    if other.id == run.id or other.started_ns >= run.started_ns:
        return False
    if (theirs.base, theirs.candidate) != (rule.base, rule.candidate):
        return False
    revision = other.revision.commit, other.revision.dirty
    if other.plan.overrides != run.plan.overrides or revision != (mine.commit, mine.dirty):
        return False
    if {case.id for case in other.plan.cases}.isdisjoint(case.id for case in run.plan.cases):
        return False
    across, also = run.plan.baseline.across, run.plan.baseline.also
    return not differences(other.environment, run.environment, across, also)
