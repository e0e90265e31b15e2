"""A run seen case by case: what charts and sections are drawn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Protocol, TypeVar

from iogate.model.measurement import Measurement, undisturbed
from iogate.model.plan import Case
from iogate.model.pool import Pool
from iogate.model.run import CaseFailure, Run
from iogate.model.trend import Trend
from iogate.model.verdict import Observation, ThresholdVerdict
from iogate_reports.history import Lines, lines_of, minutes
from iogate_reports.text import anchor, short
from iogate_reports.trend_lines import Line

CURVE_BASELINES = 5
"""Curves show the newest runs of the baseline only: more would cost time, not add truth. Each chart
says so where there are more."""

_LONGEST_HEAD = 11


@dataclass(frozen=True, slots=True)
class Sides:
    """What the two sides of a page are called: a run and its baseline, or two arms; and what their
    values are in tables, where there is less room. Of a run they are medians. Those of arms are
    not: they are about the middle of what the blocks measured, and apart by the change."""

    now: str = "this run"
    before: str = "baseline"
    value: str = "median"
    value_before: str = "baseline"


def sides_of(run: Run) -> Sides:
    """What the sides of a run are called, wherever it is shown."""
    compared = run.plan.comparison
    if compared is None:
        return Sides()
    base, candidate = (short(arm.name, 40) for arm in (compared.base, compared.candidate))
    if max(len(base), len(candidate)) > _LONGEST_HEAD or base == candidate:
        return Sides(candidate, base, "candidate", "base")
    return Sides(candidate, base, candidate, base)


@dataclass(frozen=True, slots=True)
class CaseData:
    """One case with its repetitions, those it is compared with, and its verdicts. The latter
    are of the newest baseline runs; in a comparison of the base arm. ``history`` is of each
    metric that has one; ``nights`` are the times (Unix minutes) of all nights it counts.
    ``disturbed`` are repetitions that do not count: no other field has them. ``baseline_runs`` is
    how many runs the whole baseline has, of which the page has the newest."""

    case: Case
    anchor: str
    measurements: tuple[Measurement, ...] = ()
    baseline: tuple[Measurement, ...] = ()
    sides: Sides = Sides()
    thresholds: tuple[ThresholdVerdict, ...] = ()
    observations: tuple[Observation, ...] = ()
    failures: tuple[CaseFailure, ...] = ()
    history: Mapping[str, Line] = field(default_factory=dict)
    nights: Sequence[int] = ()
    disturbed: tuple[Measurement, ...] = ()
    baseline_runs: int = 0


def of_newest(data: CaseData) -> str:
    """A sentence where curves do not show all of the baseline, which limits are judged by."""
    if not data.baseline or data.baseline_runs <= CURVE_BASELINES:
        return ""
    return f"Of the baseline’s {data.baseline_runs} runs these are the newest {CURVE_BASELINES}."


def counted(data: CaseData) -> str:
    """``3 vs 9 repetitions``; what a case's charts are drawn from."""
    before = f" vs {len(data.baseline)}" if data.baseline else ""
    only = len(data.measurements) == 1 and not before
    return f"{len(data.measurements)}{before} {'repetition' if only else 'repetitions'}"


def number_of(measurement: Measurement) -> int:
    """Of a repetition; in a comparison of its block."""
    return measurement.block or measurement.repetition


def called(measurements: Sequence[Measurement]) -> list[str]:
    """What each is called where several are told apart: its number; ``3.2`` for the second one of
    block 3, of an arm whose boots have several."""
    blocks = Counter((m.arm, m.block) for m in measurements if m.block)
    seen: Counter[tuple[str, int]] = Counter()
    names = []
    for each in measurements:
        block = each.arm, each.block
        seen[block] += 1
        turn = f".{seen[block]}" if blocks[block] > 1 else ""
        names.append(f"{number_of(each)}{turn}")
    return names


def counted_as(data: CaseData) -> str:
    """What those numbers are of."""
    return "block" if any(m.block for m in data.measurements) else "repetition"


@dataclass(frozen=True, slots=True)
class WorkloadData:
    """The cases of one workload, in plan order."""

    name: str
    cases: tuple[CaseData, ...]

    @property
    def chart(self) -> Mapping[str, str]:
        return self.cases[0].case.chart

    def varying(self) -> dict[str, list[str]]:
        """Parameters with more than one value: name → values in plan order."""
        seen: dict[str, list[str]] = {}
        for data in self.cases:
            for key, value in data.case.parameters.items():
                values = seen.setdefault(key, [])
                if value not in values:
                    values.append(value)
        return {key: values for key, values in seen.items() if len(values) > 1}


@dataclass(frozen=True)
class Page:
    """Everything a section may show. ``baseline`` is newest first. A page ``in_folder`` lies
    where the run left its files, and may link to them."""

    run: Run
    baseline: Sequence[Run] = ()
    job_files: Mapping[str, str] = field(default_factory=dict)
    trend: Trend | None = None
    broken: Sequence[str] = ()
    in_folder: bool = True

    @cached_property
    def sides(self) -> Sides:
        return sides_of(self.run)

    @cached_property
    def cases(self) -> tuple[CaseData, ...]:
        return tuple(_cases(self))

    @cached_property
    def history(self) -> Lines:
        return lines_of(self.run, self.trend)

    @cached_property
    def by_id(self) -> dict[str, CaseData]:
        return {data.case.id: data for data in self.cases}

    @cached_property
    def pools(self) -> dict[str, Pool]:
        """What else a limit may be on, by its id."""
        return {pool.id: pool for pool in self.run.plan.pools}

    def named(self, identifier: str) -> str:
        """What people call a case or a pool; the id where the plan has neither."""
        return short(self.run.plan.names.get(identifier, identifier))

    @cached_property
    def workloads(self) -> tuple[WorkloadData, ...]:
        groups: dict[str, list[CaseData]] = {}
        for data in self.cases:
            groups.setdefault(data.case.workload, []).append(data)
        return tuple(WorkloadData(name, tuple(cases)) for name, cases in groups.items())


def _cases(page: Page) -> Iterator[CaseData]:
    run, verdict = page.run, page.run.verdict
    compared = run.plan.comparison
    kept = undisturbed(run.measurements)
    own = [m for m in kept if compared is None or m.arm != compared.base.name]
    base = [m for m in kept if compared and m.arm == compared.base.name]
    spoiled = _grouped([m for m in run.measurements if not any(m is other for other in kept)])
    measured, other_arm = _grouped(own), _grouped(base)
    before = [(old, _grouped(undisturbed(old.measurements))) for old in page.baseline]
    judged = _grouped(verdict.thresholds if verdict else ())
    observed = _grouped(verdict.observations if verdict else ())
    failed = _grouped(run.failures)
    past: dict[str, dict[str, Line]] = {}
    for (case_id, metric), line in page.history.items():
        past.setdefault(case_id, {})[metric] = line
    nights = minutes(page.trend)
    for index, case in enumerate(run.plan.cases):
        former = _former(case, measured.get(case.id, ()), before)
        yield CaseData(
            case=case,
            anchor=anchor("case", case.id, index),
            measurements=measured.get(case.id, ()),
            baseline=other_arm.get(case.id, ()) or tuple(chain(*former[:CURVE_BASELINES])),
            sides=page.sides,
            thresholds=judged.get(case.id, ()),
            observations=observed.get(case.id, ()),
            failures=failed.get(case.id, ()),
            history=past.get(case.id, {}),
            nights=nights,
            disturbed=spoiled.get(case.id, ()),
            baseline_runs=len(former),
        )


_Groups = Mapping[str, tuple[Measurement, ...]]


def _former(
    case: Case, own: Sequence[Measurement], before: Sequence[tuple[Run, _Groups]]
) -> list[list[Measurement]]:
    """The baseline's repetitions of a case by the same engine, under its present id or one
    that it is also known as; run by run, of those that have any."""
    engines = {m.engine.name for m in own}
    of_runs = (
        [
            m
            for case_id in run.ids_of(case)
            for m in groups.get(case_id, ())
            if m.engine.name in engines
        ]
        for run, groups in before
    )
    return [each for each in of_runs if each]


class _OfCase(Protocol):
    @property
    def case_id(self) -> str: ...


_T = TypeVar("_T", bound=_OfCase)


def _grouped(items: Sequence[_T]) -> dict[str, tuple[_T, ...]]:
    groups: dict[str, list[_T]] = {}
    for item in items:
        groups.setdefault(item.case_id, []).append(item)
    return {case_id: tuple(group) for case_id, group in groups.items()}
