"""Comparisons whose arms are kernels: each run of an arm has a boot of its own, and a block is one
boot of each. What differs from boot to boot is so a part of the noise of blocks, and the
boundary's error rates hold for it.

Within a boot every case is measured once, or ``per_boot`` times, which together are one value of a
verdict. Both kernels are booted before anything is measured, as what they say of themselves is
recorded side by side.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from iogate.engine.base import Stop
from iogate.environments import describe, differences
from iogate.errors import IogateError, RefusedError, RunError
from iogate.files.bounds import LOG_BYTES
from iogate.host.facts import Fact
from iogate.host.locks.host_lock import Patience
from iogate.host.own_host import own_host
from iogate.host.stage import Stage, staged
from iogate.model.comparison import ARMS, CANDIDATE, Comparison, repetition_of
from iogate.model.plan import Case, Plan
from iogate.model.run import Run
from iogate.run.arm_modules import kernel_of, module_facts
from iogate.run.beginning import begin, new_run
from iogate.run.blocks import (
    Progress,
    Side,
    counted_blocks,
    in_blocks,
    measure_arm,
    note_failure,
    order_of,
    write_jobs,
)
from iogate.run.checks import Tools, check_request
from iogate.run.ending import Ending
from iogate.run.failures import failure_of
from iogate.run.finishing import Finished, finish
from iogate.run.measure import Bench, Observer
from iogate.run.precondition import with_known_states
from iogate.run.request import Request
from iogate.run.targets import taken
from iogate.run.work_folder import WorkFolder, working
from iogate.spec.arms import Sides
from iogate.store import open_to_measure
from iogate.store.unkept import unkept
from iogate.sut.bootable import Bootable, Bootee, bootable
from iogate.vm.console import kept_text
from iogate.vm.kept_console import left_out

_KEY = "boots"  # all cases of a boot share its place in the block
_ROLES = ("base", "candidate")


def check_bootable(request: Request, comparison: Comparison) -> Bootable:
    """The machine, as one that boots kernels. RefusedError where it does not, or an arm brings
    what only the controller has."""
    machine = bootable(request.sut)
    if machine is None:
        raise RefusedError(
            "an arm is a kernel or a module of one, and this machine boots none",
            remedy="measure in a virtual machine, iogate --machine vm:FILE ab …, or kernels on a"
            " host that a file describes: --machine host:FILE",
        )
    for arm in comparison.arms:
        if arm.engine or arm.prepare or arm.library:
            raise RefusedError(
                f"arm {arm.name} has an engine, a library or a prepare, and an arm is booted",
                remedy="compare kernels with the engine that comes with iogate",
            )
    return machine


def execute_boots(
    request: Request,
    sides: Sides,
    observer: Observer,
    stop: Stop,
    announce: Callable[[str], None],
    *,
    begun_with: Callable[[Run], Run],
) -> Finished:
    """As ``execute_comparison``, of two kernels."""
    comparison = sides.plan.comparison
    assert comparison is not None
    machine = check_bootable(request, comparison)
    kernels = [kernel_of(machine, arm) for arm in comparison.arms]
    with closing(open_to_measure(request.store)) as history:
        store = unkept(history) if request.no_store else history
        course = _Course(request, sides, (machine, kernels), (observer, stop))
        facts = course.first_look(1)
        ending = Ending(replace(new_run(request, sides.plan), started_ns=time.time_ns()), store)
        with ending.faults_kept():
            bench = course.begin(ending, facts, begun_with)
            ending.measure(bench, lambda run, bench: course.measure(run, bench, announce))
        if machine.is_virtual and stop.requested and not machine.up:
            return finish(ending, None)  # it was ended: nobody waits for another boot
        ending.attempt(lambda: machine.settle(kernels[0]), None)  # the history asks it who it is
        return finish(ending, request.sut)


@dataclass(slots=True)
class _Course:
    """The boots of a comparison. ``machine`` is who boots, and the kernel of each arm."""

    request: Request
    sides: Sides
    machine: tuple[Bootable, Sequence[Bootee]]
    watchers: tuple[Observer, Stop]

    @property
    def everything(self) -> Plan:
        """Every case of either arm."""
        return replace(self.sides.plan, cases=(*self.sides.base, *self.sides.candidate))

    @property
    def comparison(self) -> Comparison:
        assert self.sides.plan.comparison
        return self.sides.plan.comparison

    @contextmanager
    def booted(self, place: int, run_id: str, notes: Callable[[str], None]) -> Iterator[_Standing]:
        """The machine under the kernel of an arm (0: the base), ready to measure on."""
        machine, kernels = self.machine
        observer, stop = self.watchers
        observer.noted(f"booting {kernels[place].release} ({_ROLES[place]})")
        machine.boot(kernels[place])
        sut, plan = self.request.sut, self.sides.plan
        modules = module_facts(sut, kernels[place], machine.console)
        tools = check_request(self.request, self.everything)
        patience = Patience(self.request.wait_s, observer.waiting, lambda: stop.requested)
        with ExitStack() as stack:
            stack.enter_context(
                own_host(sut, run_id, patience, observer, shared=not plan.exclusive)
            )
            uses = stack.enter_context(taken(self.request, self.everything, patience))
            stage = stack.enter_context(staged(sut, self.everything, uses, run_id, notes))
            root = stack.enter_context(working(sut, run_id, notes))
            yield _Standing(tools, stage, root, modules)

    def first_look(self, place: int) -> Mapping[str, Fact]:
        """The facts of the machine under the kernel of an arm, before the run has begun."""
        with self.booted(place, "0" * 32, lambda _text: None) as standing:
            facts = standing.stage.facts(), standing.tools.facts(), standing.modules
            return {name: value for each in facts for name, value in each.items()}

    def begin(
        self, ending: Ending, candidate: Mapping[str, Fact], begun_with: Callable[[Run], Run]
    ) -> Bench:
        """The run's folder and its entry in the history, with the facts of both arms."""

        def with_both(run: Run) -> Run:
            base = {**run.environment, **on.modules}
            both = {**base, **_beside(base, candidate)}
            for change in differences(run.environment, candidate):
                if not change.fact.startswith("kernel."):
                    self.watchers[0].told(f"the arms differ beyond the kernel: {describe(change)}")
            return begun_with(replace(run, environment=both))

        with self.booted(0, ending.run.id, ending.notes.append) as on:
            where = on.stage, on.root
            bench = begin(
                self.request, ending, on.tools, where, self.watchers, begun_with=with_both
            )
            ready = with_known_states(
                self.everything.cases, lambda run, _bench: run, anew=self.request.precondition
            )
            ending.run = ready(ending.run, bench)
            self._keep_console(bench, "begin")
            return bench

    def measure(self, run: Run, bench: Bench, announce: Callable[[str], None]) -> Run:
        """Block by block."""

        def block(number: int, cases: Sequence[Case], progress: Progress) -> None:
            done = min(counted_blocks(progress.measurements, case) for case in cases)
            left = list(cases)
            for place in order_of(self.comparison, _KEY, done + 1):
                if left and not bench.stop.requested:
                    boot = _Boot(number, place, left, left)
                    self._boot((run, bench), boot, progress)
                    left = boot.whole(self.comparison.per_boot)

        return in_blocks(run, bench, block, fail_fast=self.request.fail_fast, announce=announce)

    def _boot(self, where: tuple[Run, Bench], boot: _Boot, progress: Progress) -> None:
        """One boot. Where the kernel goes down, the case that it ran then has failed, and the
        others lack this block; where it does not come up, all have."""
        run, bench = where
        try:
            with self.booted(boot.place, run.id, bench.observer.noted) as on:
                side = self._side(on, bench, boot.place)
                write_jobs(run, side, boot.place)
                self._measure(run, boot, side, progress)
        except RefusedError:
            raise
        except RunError as error:
            self._fail(where, boot, progress, error)
        finally:
            self._keep_console(bench, f"block-{boot.block}-{_ROLES[boot.place]}")

    def _measure(self, run: Run, boot: _Boot, side: Side, progress: Progress) -> None:
        """Every case of a boot, then every case again, as often as it is due: what drifts is spread
        over the cases. One that is no longer worth it is left out."""
        due, timeout_s = list(boot.cases), self.request.timeout_s
        for turn in range(1, self.comparison.per_boot + 1):
            boot.turn, boot.done, going = turn, [], due
            for case in going:
                if side.bench.stop.requested:
                    return
                boot.blamed = (case,)
                which = (run, case, boot.block)
                if measure_arm(which, side, boot.place, progress, timeout_s, turn=turn):
                    boot.done.append(case)
                boot.blamed = ()
            due = boot.done

    def _side(self, on: _Standing, bench: Bench, place: int) -> Side:
        cases = (self.sides.base, self.sides.candidate)[place]
        fresh = replace(
            bench,
            engine=on.tools.engine,
            sandbox=on.tools.sandbox,
            places=on.stage.places,
            stage=on.stage,
            work=WorkFolder(self.request.sut, bench.folder, on.root),
        )
        return Side(self.comparison.arms[place], fresh, {case.id: case for case in cases})

    def _fail(
        self, where: tuple[Run, Bench], boot: _Boot, progress: Progress, error: IogateError
    ) -> None:
        """What was to be measured under a kernel that did not come up, or went down, has failed."""
        run, bench = where
        told = {(failure.case_id, failure.repetition) for failure in progress.failures}
        per_boot = self.comparison.per_boot
        repetition = repetition_of(boot.block, boot.place, boot.turn, per_boot=per_boot)
        for case in boot.blamed:
            if (case.id, repetition) not in told:
                why = f"arm {self.comparison.arms[boot.place].name}: "
                failure = failure_of((case.id, repetition), error, bench.folder, None, why=why)
                note_failure(run, bench, progress, failure, error.remedy)

    def _keep_console(self, bench: Bench, name: str) -> None:
        """What the kernel said, in the run folder."""
        console = self.machine[0].console
        if console is not None and Path(console).is_file():
            (bench.folder.root / "consoles").mkdir(exist_ok=True)
            text = kept_text(console, LOG_BYTES)
            bench.folder.write_text(f"consoles/{name}.log", text)
            if missing := left_out(text):
                said = f"the kernel said more than is kept: {missing} bytes in the middle"
                bench.observer.told(f"{said} of consoles/{name}.log are left out")


@dataclass(slots=True)
class _Boot:
    """A boot of an arm (its ``place``; 0: the base) in a block, for these cases: those that have
    failed where it goes down now (``blamed``), and those that are ``done`` for the ``turn``-th
    time."""

    block: int
    place: int
    cases: Sequence[Case]
    blamed: Sequence[Case]
    turn: int = 1
    done: list[Case] = field(default_factory=list)

    def whole(self, turns: int) -> list[Case]:
        """The cases that it has measured as often as was due."""
        return self.done if self.turn == turns else []


@dataclass(frozen=True, slots=True)
class _Standing:
    """A machine that stands ready: ``root`` is the run's work folder on it, ``modules`` are the
    facts of the arm's own."""

    tools: Tools
    stage: Stage
    root: str
    modules: Mapping[str, Fact]


def _beside(base: Mapping[str, Fact], candidate: Mapping[str, Fact]) -> dict[str, Fact]:
    """The facts of the candidate's kernel, and what else of it is compared and not the base's."""
    own = {name for name in candidate if name.startswith("kernel.")}
    names = sorted(own | {change.fact for change in differences(base, candidate)})
    return {f"{CANDIDATE}{name}": candidate[name] for name in names if name in candidate}


assert len(_ROLES) == ARMS
