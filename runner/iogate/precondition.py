"""Bring the devices of a run into a known state before it is measured: fill them, then write
until the rate is steady. A flash drive is faster when it is empty, and for a while after that."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from iogate import estimate
from iogate.engine.base import EitherStop, EngineJob, EngineResult, Progress, Stop
from iogate.errors import EngineError, RunError
from iogate.host.devices import find_device
from iogate.jobfile import render
from iogate.measure import Bench
from iogate.model.plan import Case
from iogate.model.run import Run
from iogate.model.spec import JobSpec, Precondition, Repetitions, Target
from iogate.model.steady import DevicePrecondition, SteadyState
from iogate.spec.support import own_options
from iogate.steady_watch import SteadyWatch, timeout_of


def precondition(run: Run, bench: Bench) -> tuple[DevicePrecondition, ...]:
    """Do what the plan says on every device of the run; what became of each. RunError when
    that fails, or when the rate does not become steady in time; a stop ends it without an
    error."""
    steps = run.plan.precondition
    if steps is None:
        return ()
    found = []
    for number, target in enumerate(bench.stage.devices(), 1):
        bench.stage.claim(target)
        written_bytes, steady = _write(steps, (target, number), bench)
        if not bench.stop.requested:
            found.append(
                DevicePrecondition(
                    target=target.name,
                    device=target.path,
                    text="written by this run",
                    done=True,
                    at_ns=time.time_ns(),
                    run_id=run.id,
                    written_bytes=written_bytes,
                    steady=steady,
                )
            )
    return tuple(found)


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
        raise RunError(
            f"{case.name}: not steady within {timeout}: {watch.text}",
            remedy="give it more time (timeout), or a wider limit (steadystate)",
        )
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
    bench.folder.write_text(f"jobs/{case.id}.fio", text)
    job = EngineJob(
        job_file=str(bench.folder.job_file(case.id)),
        result_file=str(bench.folder.raw_file(case.id, 1)),
        log_file=str(bench.folder.log_file(case.id, 1)),
        folder=str(bench.folder.root),
        timeout_s=estimate.timeout_s(case),
    )
    try:
        result = bench.engine.run(job, on_progress=tell, stop=stop)
    finally:
        bench.folder.settle(case.id, 1)
    return _written_bytes(result)


def _written_bytes(result: EngineResult) -> int:
    return sum(job.directions["write"].io_bytes for job in result.jobs if "write" in job.directions)
