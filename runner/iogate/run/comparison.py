"""The flow of a comparison: the spec as two arms, measured in blocks, judged as it goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from iogate.engine.base import Engine, Stop
from iogate.engine.native import NativeEngine
from iogate.errors import RefusedError, UsageError
from iogate.model.comparison import Arm, Comparison
from iogate.model.plan import Case
from iogate.model.run import Run
from iogate.model.spec import Spec
from iogate.run.arm_libraries import held_with, library_facts
from iogate.run.blocks import Side, measure_blocks
from iogate.run.boots import execute_boots
from iogate.run.finishing import Finished
from iogate.run.measure import Bench, Observer
from iogate.run.pipeline import execute_with
from iogate.run.request import Request, nothing_selected, selected
from iogate.spec import check_doable, check_engine, load_spec
from iogate.spec.arms import MORE_BLOCKS, NO_BOOTS, Sides, find_arm, make_sides
from iogate.spec.differing import check_differing
from iogate.sut.bootable import bootable


def make_comparison(
    request: Request,
    base: str,
    candidate: str,
    *,
    seed: int,
    most_blocks: int | None = None,
    budget_s: float | None = None,
    per_boot: int | None = None,
) -> Sides:
    """The spec as a plan to compare two arms by, cut down to what the request selects.
    RefusedError for an arm of the spec that runs a program, unless the spec is trusted."""
    spec = load_spec(request.spec)
    arms = trusted_arms(request, spec, base, candidate)
    asked = spec.compare
    rule = Comparison(
        *arms,
        seed=seed,
        most_blocks=most_blocks or asked.blocks,
        sees=asked.sees,
        budget_s=asked.budget_s if budget_s is None else budget_s,
        per_boot=per_boot or asked.per_boot,
    )
    if rule.per_boot > 1 and not rule.boots:
        raise UsageError(
            f"{request.spec} is measured {rule.per_boot} times a boot, and {NO_BOOTS}",
            remedy=f"{MORE_BLOCKS} (--per-boot 1)",
        )
    sides = cut_down(request, make_sides(spec, *arms, request.overrides), rule)
    check_differing(sides, *arms)
    limits = [t for case in sides.plan.cases for t in case.thresholds if t.limit.vs_baseline]
    if not limits and not sides.plan.pools:
        raise UsageError(
            f"{request.spec} has no limit vs baseline: there is nothing to compare by",
            remedy='give a metric a limit such as "vs baseline < +5%"',
        )
    return sides


def trusted_arms(request: Request, spec: Spec, base: str, candidate: str) -> tuple[Arm, Arm]:
    """Two different arms. RefusedError for one of the spec that runs a program, unless the spec is
    trusted."""
    arms = find_arm(spec, base, "base"), find_arm(spec, candidate, "candidate")
    if arms[0].name == arms[1].name:
        raise UsageError(
            f"both arms are {arms[0].name}", remedy="iogate canary compares a spec with itself"
        )
    for arm in arms:
        own = f"the engine {arm.engine}" if arm.engine else f"the library {arm.library}"
        theirs = (arm.engine or arm.library) and arm in spec.compare.arms
        if (arm.prepare or theirs) and not request.trusted:
            what = "a shell command" if arm.prepare else own
            raise RefusedError(
                f"arm {arm.name} of {request.spec} runs {what} as you",
                remedy="read it, and allow it with --trust",
            )
        if arm.kernel and arm in spec.compare.arms and not request.trusted:
            _check_held(request)
    return arms


def _check_held(request: Request) -> None:
    """RefusedError for a spec that boots a kernel where nothing holds it."""
    machine = bootable(request.sut)
    if machine is not None and not machine.is_virtual:
        raise RefusedError(
            f"{request.spec} reboots {request.sut.name} into a kernel",
            remedy="read it, and allow it with --trust, or name the kernel by --candidate kernel=…",
        )


def make_canary(request: Request, *, seed: int, blocks: int) -> Sides:
    """The spec against itself, in ``blocks`` blocks, all of them measured."""
    arms, spec = (Arm("A"), Arm("B")), load_spec(request.spec)
    rule = Comparison(
        *arms,
        seed=seed,
        most_blocks=blocks,
        sequential=False,
        canary=True,
        sees=spec.compare.sees,
    )
    return cut_down(request, make_sides(spec, *arms, request.overrides), rule)


def cut_down(request: Request, sides: Sides, comparison: Comparison) -> Sides:
    """The cases that the request selects, to be compared by this rule."""
    plan = sides.plan
    kept = [n for n, case in enumerate(plan.cases) if selected(case, request)]
    if not kept:
        raise nothing_selected(request, plan)
    base, candidate = (tuple(s[n] for n in kept) for s in (sides.base, sides.candidate))
    for cases in (base, candidate):
        check_doable(replace(plan, cases=cases))
        check_engine(replace(plan, cases=cases), request.engine)
    cases = tuple(plan.cases[n] for n in kept)
    return Sides(replace(plan.with_cases(cases), comparison=comparison), base, candidate)


def execute_comparison(
    request: Request,
    sides: Sides,
    observer: Observer,
    stop: Stop,
    announce: Callable[[str], None] = lambda _text: None,
    *,
    begun_with: Callable[[Run], Run] = lambda run: run,
) -> Finished:
    """Blocks of one run of each arm, until every case is decided. ``announce`` is told after
    each block how it stands; ``begun_with`` gives the run what it begins with."""
    comparison = sides.plan.comparison
    assert comparison is not None
    if comparison.boots:
        return execute_boots(request, sides, observer, stop, announce, begun_with=begun_with)

    def measure(run: Run, bench: Bench) -> Run:
        pair = (
            _side(bench, comparison.base, sides.base),
            _side(bench, comparison.candidate, sides.candidate),
        )
        return measure_blocks(
            run, pair, timeout_s=request.timeout_s, fail_fast=request.fail_fast, announce=announce
        )

    def with_libraries(run: Run) -> Run:
        facts = library_facts(request.sut, comparison)
        return begun_with(replace(run, environment={**run.environment, **facts}))

    everything = replace(sides.plan, cases=(*sides.base, *sides.candidate))
    return execute_with(
        request, (sides.plan, everything), observer, stop, measure, begun_with=with_libraries
    )


def _side(bench: Bench, arm: Arm, cases: tuple[Case, ...]) -> Side:
    by_id = {case.id: case for case in cases}
    engine = _engine(bench, arm)
    sandbox = held_with(bench.stage.sut, bench.sandbox, arm, engine)
    return Side(arm, replace(bench, engine=engine, sandbox=sandbox), by_id)


def _engine(bench: Bench, arm: Arm) -> Engine:
    """The engine of the run, or the arm's own binary. EngineError when that does not start."""
    if not arm.engine:
        return bench.engine
    engine = NativeEngine(bench.stage.sut, arm.engine)
    engine.info(bench.sandbox.to_ask())
    return engine
