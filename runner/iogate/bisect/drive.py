"""Build, measure and decide, revision by revision."""

from __future__ import annotations

import math
import os
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from iogate.bisect.boots import Boots, WentDownError
from iogate.bisect.ends import (
    END_REPETITIONS,
    END_ROUNDS,
    LEAD,
    Ends,
    Key,
    Side,
    find_ends,
    may_differ,
)
from iogate.engine.base import Stop
from iogate.errors import RunError, UsageError
from iogate.history.trends import followed_metrics
from iogate.metrics import KERNEL_ERRORS, Metric
from iogate.model.run import Run
from iogate.model.verdict import Outcome
from iogate.run.before_builds import check_host_is_free, plan_before_builds
from iogate.run.measure import Observer
from iogate.run.pipeline import execute
from iogate.run.request import Request, make_request_plan
from iogate.sut.bootable import bootable

_ABORTS = 128  # a build that ends with this or more, or by a signal, ends it all
MOST = 15  # repetitions of a revision before it is given up
_MORE = 2  # repetitions added while a revision is unclear


class Search(Protocol):
    """What is tried next, and what is left; see ``search.ListSearch``."""

    def next(self) -> str | None: ...
    def mark(self, build: str, side: Side) -> None: ...
    def result(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Step:
    """What one revision turned out to be. ``values`` are of the metric that decides."""

    build: str
    side: Side
    values: tuple[float, ...] = ()
    why: str = ""


@dataclass(slots=True)
class Bisection:
    """One search. ``prepare`` puts a revision in place (a checkout), ``command`` builds and
    installs it, in ``folder``; ``asked`` are the metrics that may decide. ``boots`` boots what was
    built before each repetition."""

    request: Request
    output: Path
    prepare: Callable[[str], None]
    command: Sequence[str]
    folder: Path
    observer: Observer
    stop: Stop
    asked: tuple[str, ...] = ()
    most: int = MOST
    told: Callable[[str], None] = lambda _line: None
    boots: Boots | None = None
    _count: int = field(default=0, init=False)

    def check(self) -> None:
        """What can be refused before anything is built: errors as for ``plan_before_builds`` and
        ``check_host_is_free``, UsageError for a metric that there is not. A virtual machine, and
        one that is not up, has no other run on it."""
        plan = plan_before_builds(self.request)
        if plan:
            for case in plan.cases:
                list(followed_metrics(case, plan, self.asked))
        machine = bootable(self.request.sut)
        if machine is None or (machine.up and not machine.is_virtual):
            check_host_is_free(self.request, plan, self.observer, self.stop, "bisect")

    def find_ends(self, good: str, bad: str) -> Ends:
        """Measure both ends, in turns for as long as they may differ but are not apart.
        UsageError when nothing tells them apart."""
        runs: dict[str, list[Run]] = {good: [], bad: []}
        for _ in range(END_ROUNDS):
            for build, own in runs.items():
                if why := self._build(build):
                    raise RunError(f"{build}: {why}", remedy=f"see {self._log()}")
                own.extend(self._measure(build, END_REPETITIONS))
            metrics = self._metrics(runs[bad][-1])
            measured = [_values(own, metrics) for own in runs.values()]
            ends = find_ends(metrics, *measured)
            if ends is not None or not may_differ(metrics, *measured):
                break
        if ends is None:
            unbuilt = "" if self.command else "; no command behind -- has built them"
            raise UsageError(
                "the good end and the bad end do not differ measurably:"
                f" {_told_apart(measured)}{unbuilt}",
                remedy="see with iogate ab that there is a difference, name the metric that "
                "shows it with --metric, or give it more time (runtime)",
            )
        return ends

    def steps(self, search: Search, ends: Ends) -> Iterator[Step]:
        """Each revision that is tried, until one is left."""
        while (build := search.next()) is not None:
            step = self._step(build, ends)
            search.mark(build, step.side)
            yield step

    def _step(self, build: str, ends: Ends) -> Step:
        why = self._build(build)
        if why:
            return Step(build, Side.UNCLEAR, why=why)
        try:
            return self._measured_step(build, ends)
        except WentDownError as error:
            return Step(build, Side.UNCLEAR, why=error.what)

    def _measured_step(self, build: str, ends: Ends) -> Step:
        runs: list[Run] = []
        values: tuple[float, ...] = ()
        for count in [LEAD] + [_MORE] * ((self.most - LEAD) // _MORE):
            runs += self._measure(build, count)
            values = tuple(_values(runs, [(ends.key, ends.metric)])[ends.key])
            if not values:
                return Step(build, Side.UNCLEAR, why="no repetition gave a value of the metric")
            side = ends.side(values)
            if side is not Side.UNCLEAR:
                return Step(build, side, values)
        return Step(build, Side.UNCLEAR, values, why="its repetitions are on both sides")

    def _build(self, build: str) -> str:
        """Why there is nothing to measure; empty when there is."""
        self._check_stop()
        self._count += 1
        self.prepare(build)
        if not self.command:
            return self.boots.why_not() if self.boots else ""
        environment = {**os.environ, "IOGATE_BUILD": build}
        with self._log().open("wb") as log:
            try:
                done = subprocess.run(
                    self.command, cwd=self.folder, env=environment, check=False,
                    stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                )  # fmt: skip
            except OSError as error:
                raise UsageError(f"cannot run {self.command[0]}: {error.strerror}") from error
        self._check_stop()
        if done.returncode < 0 or done.returncode >= _ABORTS:
            raise RunError(
                f"the build command ended with {done.returncode} at {build}",
                remedy=f"see {self._log()}",
            )
        if done.returncode:
            return f"the build command ended with {done.returncode}"
        return self.boots.why_not() if self.boots else ""

    def _measure(self, build: str, repetitions: int) -> list[Run]:
        self.told(f"measuring {build}")
        if self.boots is None:
            return [self._run(build, repetitions)]
        return [self._booted(build, self.boots) for _ in range(repetitions)]

    def _booted(self, build: str, boots: Boots) -> Run:
        """One repetition, in a boot of its own."""
        self._check_stop()
        boots.boot()
        try:
            run = self._run(build, 1)
        except RunError as error:
            boots.check_up(error.what)
            raise
        boots.check_up(run.failures[0].reason if run.failures else "it is no longer up")
        return run

    def _run(self, build: str, repetitions: int) -> Run:
        self._check_stop()
        number = len(list((self.output / "runs").glob("*"))) + 1
        request = replace(
            self.request,
            output=self.output / "runs" / f"{number:03}",
            store=str(self.output / "history.sqlite"),
            repetitions=repetitions,
            label=f"bisect {build}",
        )
        finished = execute(request, make_request_plan(request), self.observer, self.stop)
        self._check_stop()
        if finished.errors:
            raise finished.errors[0]
        for each in faults_told(finished.run):
            self.told(f"{build}: {each}")
        return finished.run

    def _metrics(self, run: Run) -> list[tuple[Key, Metric]]:
        return [
            (Key(case.name, metric.path), metric)
            for case in run.plan.cases
            for metric in followed_metrics(case, run.plan, self.asked)
        ]

    def _log(self) -> Path:
        return self.output / f"build-{self._count:03}.log"

    def _check_stop(self) -> None:
        if self.stop.requested:
            raise RunError("stopped", remedy=f"what was measured is in {self.output}")


def _values(runs: Sequence[Run], metrics: Sequence[tuple[Key, Metric]]) -> dict[Key, list[float]]:
    """One value a repetition; by the case's name, as its id may change with a revision."""
    by_key: dict[Key, list[float]] = defaultdict(list)
    for run in runs:
        ids = {case.name: case.id for case in run.plan.cases}
        for key, metric in metrics:
            for measurement in run.measurements_of(ids.get(key.case, "")):
                value = metric.extract(measurement)
                if value is not None and math.isfinite(value):
                    by_key[key].append(value)
    return by_key


def faults_told(run: Run) -> list[str]:
    """What the disk that all revisions share did wrong meanwhile: no value is worth much then."""
    judged = run.verdict.thresholds if run.verdict else ()
    return [
        each.reason
        for each in judged
        if each.threshold.metric == KERNEL_ERRORS and each.outcome is Outcome.FAIL
    ]


def _told_apart(measured: Sequence[dict[Key, list[float]]]) -> str:
    names = sorted({f"{key.metric} of {key.case}" for values in measured for key in values})
    return f"looked at {', '.join(names[:6])}" if names else "no metric has a value"
