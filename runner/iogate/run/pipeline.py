"""The whole flow: request → plan → checks → targets → measure → judge → keep.

``request`` makes the plan, ``checks`` refuses what can be refused at once, ``targets`` and the
stage of the host make the machine ready, ``beginning`` and ``finishing`` are what stands in the
run folder and the history before and after.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

from iogate.engine.base import Stop
from iogate.host.locks.host_lock import Patience
from iogate.host.own_host import own_host
from iogate.host.stage import staged
from iogate.model.plan import Plan
from iogate.model.run import Run
from iogate.run.beginning import begin, new_run
from iogate.run.checks import check_request
from iogate.run.ending import Ending
from iogate.run.finishing import Finished, finish
from iogate.run.measure import Bench, Observer, measure_all
from iogate.run.precondition import with_known_states
from iogate.run.request import Request
from iogate.run.targets import taken
from iogate.run.work_folder import working
from iogate.store import open_to_measure
from iogate.store.unkept import unkept

Way = Callable[[Run, Bench], Run]
"""How the cases of a run are measured: the run with its measurements and failures."""


def execute(request: Request, plan: Plan, observer: Observer, stop: Stop) -> Finished:
    """Measure, keep, judge. What was measured is kept however this ends."""

    def measure(run: Run, bench: Bench) -> Run:
        return measure_all(run, bench, timeout_s=request.timeout_s, fail_fast=request.fail_fast)

    return execute_with(request, (plan, plan), observer, stop, measure)


def execute_with(
    request: Request,
    plans: tuple[Plan, Plan],
    observer: Observer,
    stop: Stop,
    measure: Way,
    *,
    begun_with: Callable[[Run], Run] = lambda run: run,
) -> Finished:
    """As execute, with another way to measure. The second plan holds all cases that may run,
    of any arm: targets are made for them. ``begun_with`` gives a run, whose environment is known,
    what it begins with; where it raises, the run has not begun."""
    (plan, everything), sut = plans, request.sut
    tools = check_request(request, everything)
    run = new_run(request, plan)
    patience = Patience(request.wait_s, observer.waiting, lambda: stop.requested)
    with (
        own_host(sut, run.id, patience, observer, shared=not plan.exclusive),
        closing(open_to_measure(request.store)) as history,
    ):
        store = unkept(history) if request.no_store else history
        # What the run has waited for was another's.
        ending = Ending(replace(run, started_ns=time.time_ns()), store)
        if tools.sandbox.why_not:
            observer.told(f"the engine is not confined: {tools.sandbox.why_not}")
        with (
            ending.faults_kept(),
            taken(request, everything, patience) as uses,
            staged(sut, everything, uses, run.id, ending.notes.append) as stage,
            working(sut, run.id, ending.notes.append) as root,
        ):
            bench = begin(
                request, ending, tools, (stage, root), (observer, stop), begun_with=begun_with
            )
            known = with_known_states(everything.cases, measure, anew=request.precondition)
            ending.measure(bench, known)
        return finish(ending, sut)
