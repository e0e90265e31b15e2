"""Bring the devices of a run into a known state before it is measured: fill them, then write
until the rate is steady. A flash drive is faster when it is empty, and for a while after that."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from iogate.engine.base import EitherStop, EngineJob, EngineResult, Progress, Stop
from iogate.errors import EngineError, RunError
from iogate.host.devices.block_devices import find_device
from iogate.host.devices.state import DeviceState, Looked, believed, carry, forget, look, remember
from iogate.host.stage import Stage
from iogate.jobs import estimate
from iogate.jobs.job_file import render
from iogate.jobs.steady_times import timeout_of
from iogate.model.plan import Case
from iogate.model.run import Run
from iogate.model.spec import JobSpec, Precondition, Repetitions, Target
from iogate.model.steady import DevicePrecondition, SteadyState
from iogate.run.measure import Bench
from iogate.run.steady_watch import NOTHING_WRITTEN, SteadyWatch
from iogate.spec.case_id import canonical_options
from iogate.spec.options.support import own_options
from iogate.sut.base import Sut


class NotSteadyError(RunError):
    """A device that did not become steady in time; ``steady`` is how far it came."""

    def __init__(self, what: str, steady: SteadyState | None) -> None:
        remedy = "give it more time (timeout), or a wider limit (steadystate)"
        if steady and steady.found == NOTHING_WRITTEN:
            remedy = "see dmesg for what holds the device up, or let the job write more often"
        super().__init__(what, remedy=remedy)
        self.steady = steady


def precondition(run: Run, bench: Bench, *, anew: bool) -> None:
    """Bring every device of the run into the state that the plan says, where what an earlier
    run did does not hold any more, or ``anew``. What became of each is kept on the bench, also
    of one that did not become steady. RunError when that fails, or when the rate does not become
    steady in time; a stop ends it without an error."""
    steps = run.plan.precondition
    for number, target in enumerate(bench.stage.devices() if steps else (), 1):
        if steps is None or bench.stop.requested:
            break
        looked = look_at(bench.stage.sut, steps, target, anew=anew)
        if looked.state:
            held = _held(target, looked.state)
            bench.kept.preconditions.append(held)
            bench.observer.noted(f"{target.path}: {held.text}")
            continue
        bench.observer.noted(f"{target.path} is preconditioned now: {looked.why}")
        bench.stage.claim(target)
        _do(run, steps, (target, number), bench, looked.why)


def _do(run: Run, steps: Precondition, which: tuple[Target, int], bench: Bench, why: str) -> None:
    """Write one device, and keep what came of it."""
    try:
        done = _done(run, steps, which, bench)
    except NotSteadyError as error:
        lost = DevicePrecondition(
            target=which[0].name,
            device=which[0].path,
            text=error.what,
            done=False,
            at_ns=time.time_ns(),
            run_id=run.id,
            written_bytes=0,
            steady=error.steady,
        )
        bench.kept.preconditions.append(lost)
        raise
    if done:
        text = f"done by this run: {why}"
        bench.kept.preconditions.append(replace(done, text=text))


def with_known_states(
    cases: Iterable[Case], measure: Callable[[Run, Bench], Run], *, anew: bool
) -> Callable[[Run, Bench], Run]:
    """``measure`` on devices that are in a known state, which is remembered rightly. ``cases``
    are all that may run, of any arm."""

    def measured(run: Run, bench: Bench) -> Run:
        precondition(run, bench, anew=anew)
        run = replace(run, preconditions=tuple(bench.kept.preconditions))
        bench.folder.write_run(run)  # a run that is killed says it, too
        if run.preconditions:
            bench.store.keep_preconditions(run.id, run.preconditions)
        with keeping_states(run, cases, bench):
            return measure(run, bench)

    return measured


def look_at(sut: Sut, steps: Precondition, target: Target, *, anew: bool) -> Looked:
    """Whether the precondition of a device still holds."""
    device = find_device(sut, target.path)
    if anew or device is None:
        return Looked(None, "asked for by --precondition")
    known = _canonical(steps)
    return look(sut, device, known, keep_s=steps.keep_s, now_ns=time.time_ns())


def _canonical(steps: Precondition) -> tuple[dict[str, str], ...]:
    """The steps as they are remembered. How long one may take is no part of what it reaches."""
    each = [canonical_options(step) if step else {} for step in (steps.fill, steps.steady_state)]
    return tuple({key: step[key] for key in sorted(step) if key != "runtime"} for step in each)


def _held(target: Target, state: DeviceState) -> DevicePrecondition:
    return DevicePrecondition(
        target=target.name,
        device=target.path,
        text=f"the {state.name} still holds",
        done=False,
        at_ns=state.at_ns,
        run_id=state.run,
        written_bytes=state.written_bytes,
        steady=state.steady,
    )


def _done(
    run: Run, steps: Precondition, which: tuple[Target, int], bench: Bench
) -> DevicePrecondition | None:
    """Write one device, and remember it; None when a stop came before its end."""
    sut, (target, _) = bench.stage.sut, which
    device = find_device(sut, target.path)
    if device:
        forget(sut, device, f"the precondition by run {run.id[:12]} did not come to its end")
    written_bytes, steady = _write(steps, which, bench)
    if bench.stop.requested:
        return None
    at_ns = time.time_ns()
    if device and (why := remember(
        sut, device, _canonical(steps), run=run.id, at_ns=at_ns, written_bytes=written_bytes,
        steady=steady,
    )):  # fmt: skip
        bench.observer.noted(f"{target.path}: its precondition is not remembered: {why}")
    return DevicePrecondition(
        target.name, target.path, "", True, at_ns, run.id, written_bytes, steady
    )


@contextmanager
def keeping_states(run: Run, cases: Iterable[Case], bench: Bench) -> Iterator[None]:
    """What is remembered of the devices of a run is right after it: forgotten before the first
    case that changes it, and else still believed, although the run has written."""
    sut, kept = bench.stage.sut, []
    changed = _changed(bench.stage, cases)
    for target in bench.stage.devices():
        device = find_device(sut, target.path)
        state = believed(sut, device) if device else None
        if device is None or state is None:
            continue
        if why := changed.get(device.path):
            forget(sut, device, f"run {run.id[:12]} {why} on it")
        else:
            kept.append((device, state))
    try:
        yield
    finally:
        for device, state in kept:
            carry(sut, device, state)


def _changed(stage: Stage, cases: Iterable[Case]) -> dict[str, str]:
    """Devices that a case leaves in another state, by path, and what does so."""
    changes: dict[str, str] = {}
    for case in cases:
        why = estimate.remakes(case)
        target = stage.footing.target(case.target)
        for part in target.made_on or (target,) if why else ():
            if device := find_device(stage.sut, part.path):
                changes.setdefault(device.path, why)
    return changes


def _write(
    steps: Precondition, which: tuple[Target, int], bench: Bench
) -> tuple[int, SteadyState | None]:
    """All steps on one device: how many bytes were written, and how it became steady."""
    written_bytes, steady = 0, None
    if steps.fill and not bench.stop.requested:
        written_bytes += _fill(_case(steps.fill, *which), bench)
    if steps.steady_state and not bench.stop.requested:
        more, steady = _write_until_steady(_case(steps.steady_state, *which), bench)
        written_bytes += more
    return written_bytes, steady


def _case(step: JobSpec, target: Target, number: int) -> Case:
    """A step as a case that the engine can run, on a device."""
    return Case(
        id=f"{step.name}-{number}",
        name=f"{step.name.replace('-', ': ', 1)} of {target.path}",
        workload=step.name,
        target=target,
        jobs=(step,),
        parameters={},
        repetitions=Repetitions(1, 1),
        thresholds=(),
    )


def _fill(case: Case, bench: Bench) -> int:
    """Write the whole device; the bytes that were written."""
    size = find_device(bench.stage.sut, case.target.path)
    options = {"size": str(size.size_bytes if size else 0), **case.jobs[0].options}

    def tell(progress: Progress) -> None:
        bench.observer.preparing(case.name, progress)

    try:
        return _run(_with(case, options), bench, tell, bench.stop)
    except EngineError as error:
        if not bench.stop.requested:
            raise RunError(f"{case.name}: {error.what}", remedy=error.remedy) from error
    return 0


def _write_until_steady(case: Case, bench: Bench) -> tuple[int, SteadyState | None]:
    """Write until the rate is steady; the bytes that were written, and how it became so."""
    given = case.jobs[0].options
    timeout = timeout_of(given)
    watch = SteadyWatch(given)
    stop = EitherStop(bench.stop)
    options = {**own_options(case.jobs[0]), "time_based": "1", "runtime": timeout}
    written = _Written()

    def tell(progress: Progress) -> None:
        written.look(progress)
        watch.look(progress)
        stop.own = watch.steady
        bench.observer.preparing(f"{case.name}, {watch.text}", progress)

    try:
        _run(_with(case, options), bench, tell, stop)
    except EngineError as error:
        if not watch.steady and not bench.stop.requested:
            raise RunError(f"{case.name}: {error.what}", remedy=error.remedy) from error
    if not watch.steady and not bench.stop.requested:
        what = f"{case.name}: not steady within {timeout}: {watch.text}"
        raise NotSteadyError(what, watch.found())
    return written.total_bytes, watch.found()


class _Written:
    """Sums what the status lines of an engine say that it wrote: one that is stopped, as it is
    once a device is steady, gives no result."""

    def __init__(self) -> None:
        self._at_ms = 0
        self._sum = 0.0

    def look(self, progress: Progress) -> None:
        """One status line."""
        rate = sum(each.bw for each in progress.rates.values())
        self._sum += rate * max(progress.elapsed_ms - self._at_ms, 0) / 1000
        self._at_ms = progress.elapsed_ms

    @property
    def total_bytes(self) -> int:
        return round(self._sum)


def _with(case: Case, options: dict[str, str]) -> Case:
    return replace(case, jobs=(replace(case.jobs[0], options=options),))


def _run(case: Case, bench: Bench, tell: Callable[[Progress], None], stop: Stop) -> int:
    """The bytes that the job wrote. EngineError when it did not come to its end."""
    text = render(case, location=case.target.path)
    bench.work.write_job(case.id, text)
    place = bench.stage.footing.confirm_device(case.target)
    files = bench.work.files(case.id, 1)
    job = EngineJob(
        job_file=files.job,
        result_file=files.result,
        kept_file=files.kept,
        log_file=files.log,
        folder=files.folder,
        timeout_s=estimate.timeout_s(case),
        places=(place,),
        confinement=bench.sandbox.of(case, place, files.folder, bench.work.jobs),
    )
    try:
        result = bench.engine.run(job, on_progress=tell, stop=stop)
    finally:
        bench.work.settle(case.id, 1)
    return _written_bytes(result)


def _written_bytes(result: EngineResult) -> int:
    return sum(job.directions["write"].io_bytes for job in result.jobs if "write" in job.directions)
