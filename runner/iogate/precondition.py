"""Bring the devices of a run into a known state before it is measured: fill them, then write
until the rate is steady. A flash drive is faster when it is empty, and for a while after that."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace

from iogate import estimate
from iogate.engine.base import EitherStop, EngineJob, Progress, Stop
from iogate.errors import EngineError, RunError
from iogate.host.devices import find_device
from iogate.jobfile import render
from iogate.measure import Bench
from iogate.model.plan import Case, Plan
from iogate.model.spec import JobSpec, Repetitions, Target
from iogate.spec.support import own_options
from iogate.stats.steady import parse_rule, unsteadiness

_USUAL_TIMEOUT = "1h"
_USUAL_WINDOW_S = 60.0
_BUSY = "running"
_SAMPLE_S = 1.5  # a status line a second, not quite on time


def precondition(plan: Plan, bench: Bench) -> None:
    """Do what the plan says on every device of the run. RunError when that fails, or when the
    rate does not become steady in time; a stop ends it without an error."""
    steps = plan.precondition
    if steps is None:
        return
    for number, target in enumerate(bench.stage.devices(), 1):
        bench.stage.claim(target)
        if steps.fill and not bench.stop.requested:
            _fill(_case(steps.fill, target, number), bench)
        if steps.steady_state and not bench.stop.requested:
            _write_until_steady(_case(steps.steady_state, target, number), bench)


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


def _fill(case: Case, bench: Bench) -> None:
    size = find_device(bench.stage.sut, case.target.path)
    options = {"size": str(size.size_bytes if size else 0), **case.jobs[0].options}

    def tell(progress: Progress) -> None:
        bench.observer.preparing(case.name, progress)

    try:
        _run(_with(case, options), bench, tell, bench.stop)
    except EngineError as error:
        if not bench.stop.requested:
            raise RunError(f"{case.name}: {error.what}", remedy=error.remedy) from error


def _write_until_steady(case: Case, bench: Bench) -> None:
    given = case.jobs[0].options
    timeout = given.get("runtime", _USUAL_TIMEOUT)
    watch = _Watch(given)
    stop = EitherStop(bench.stop)
    options = {**own_options(case.jobs[0]), "time_based": "1", "runtime": timeout}

    def tell(progress: Progress) -> None:
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


class _Watch:
    """Looks at the rate of each second. ``stop`` is set once it is steady for the whole
    window."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._rule = parse_rule(options["steadystate"])
        self._window_s = _seconds(options, "steadystate_duration", _USUAL_WINDOW_S)
        self._from_s = _seconds(options, "steadystate_ramp_time", 0.0)
        self._samples: deque[tuple[float, float]] = deque()
        self.text = "the first seconds"
        self.steady = False

    def look(self, progress: Progress) -> None:
        """One status line of the engine."""
        now_s = progress.elapsed_ms / 1000
        if progress.state != _BUSY or now_s < self._from_s:
            return
        rate = sum(getattr(each, self._rule.of) for each in progress.rates.values())
        self._samples.append((now_s, rate))
        while now_s - self._samples[0][0] > self._window_s:
            self._samples.popleft()
        covered_s = now_s - self._samples[0][0]
        found = unsteadiness(tuple(self._samples), self._rule)
        unit = " %" if self._rule.relative else ""
        what = f"{self._rule.of}{' slope' if self._rule.slope else ' deviation'}"
        self.text = f"{what} {found:.2g}{unit} of {self._rule.limit:g}{unit}"
        whole = covered_s >= self._window_s - _SAMPLE_S
        self.steady = self.steady or (whole and found < self._rule.limit)


def _seconds(options: Mapping[str, str], key: str, usual: float) -> float:
    found = estimate.parse_seconds(options[key]) if key in options else None
    return usual if found is None else found


def _with(case: Case, options: dict[str, str]) -> Case:
    return replace(case, jobs=(replace(case.jobs[0], options=options),))


def _run(case: Case, bench: Bench, tell: Callable[[Progress], None], stop: Stop) -> None:
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
        bench.engine.run(job, on_progress=tell, stop=stop)
    finally:
        bench.folder.settle(case.id, 1)
