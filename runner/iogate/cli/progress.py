"""How a run is shown while it goes: a live display on a terminal, plain lines elsewhere.
All of it on stderr; stdout is for results."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from iogate.cli.table import duration, printable, tamed
from iogate.engine.base import Progress, Rates
from iogate.model.comparison import ARMS, block_of
from iogate.model.measurement import COMMAND, TRANSFERS, Measurement
from iogate.model.plan import Case
from iogate.model.run import CaseFailure
from iogate.model.units import Unit, format_value
from iogate.run.measure import Observer

if TYPE_CHECKING:
    from rich.console import RenderableType

_PLAIN_EVERY_S = 10.0


def open_display(
    repetitions: int,
    *,
    quiet: bool,
    name: Callable[[int], str] = "repetition {}".format,
    at_most: bool = False,
    again: int = 0,
    per_boot: int = 1,
) -> Display:
    """The display that fits where stderr goes. ``name`` says what a repetition is called;
    ``at_most`` that there may be fewer; ``again`` how many disturbed repetitions of a case, in a
    comparison blocks, are measured again; ``per_boot`` how many a boot has."""
    kind = Display
    if not quiet:
        kind = LiveDisplay if sys.stderr.isatty() else PlainDisplay
    return kind(_Count(repetitions, at_most, again, per_boot), name)


class _Count:
    """How many repetitions are done, and how many there will be."""

    def __init__(self, total: int, at_most: bool, again: int, per_boot: int) -> None:
        self.done, self.total = 0, total
        self.at_most = at_most
        self._again, self._per_boot = again, per_boot
        self._disturbed: Counter[str] = Counter()  # by case
        self._blocks: Counter[tuple[str, int]] = Counter()  # how many of each are done

    def ended(self, case: Case, measurement: Measurement) -> None:
        """A disturbed one is measured again. Of a block, that is all of it, and what this one has
        left is not measured."""
        self.done += 1
        block = (case.id, measurement.block)
        self._blocks[block] += 1
        if measurement.disturbed:
            self._disturbed[case.id] += 1
            is_again = self._disturbed[case.id] <= self._again
            if not measurement.block:
                self.total += is_again
            else:
                left = ARMS * self._per_boot - self._blocks[block]
                self.total += self._blocks[block] if is_again else -left
                self.at_most |= not is_again  # the case ends here

    def failed(self, case: Case, failure: CaseFailure) -> None:
        """The rest of the case is not measured, or this one again: of a block, all of it, and what
        this one has left is not measured."""
        self.done += 1
        if failure.again:
            self._disturbed[case.id] += 1
            block = (case.id, block_of(failure.repetition, per_boot=self._per_boot))
            self.total += 1 + self._blocks[block]  # none in a run, which has no such block
            return
        planned = case.repetitions.min + min(self._disturbed[case.id], self._again)
        self.total -= max(planned - failure.repetition, 0)

    def __str__(self) -> str:
        return f"[{self.done}/{'≤' if self.at_most else ''}{self.total}]"


class Display(Observer):
    """Counts, and shows nothing but failures and what people must know at once. ``close`` may be
    called twice."""

    def __init__(self, count: _Count, name: Callable[[int], str]) -> None:
        self._count = count
        self._name = name
        self._title = ""
        self._warned: set[str] = set()

    def waiting(self, holder: str) -> None:
        self.noted(f"waiting for the host: {holder}")

    def told(self, text: str) -> None:
        self._say(text)

    def noted(self, text: str) -> None:
        pass

    def preparing(self, what: str, progress: Progress) -> None:
        pass

    def repetition_started(self, case: Case, repetition: int) -> None:
        self._title = printable(f"{case.name}, {self._name(repetition)}")

    def progressed(self, progress: Progress) -> None:
        pass

    def repetition_ended(self, case: Case, measurement: Measurement) -> None:
        self._count.ended(case, measurement)
        self._tell_end(measurement)
        for warning in measurement.warnings:
            text = f"{printable(case.name)}: warning: {printable(warning)}"
            if text not in self._warned:
                self._warned.add(text)
                self.noted(text)

    def _tell_end(self, measurement: Measurement) -> None:
        """Say what a repetition gave."""

    def repetition_failed(self, case: Case, failure: CaseFailure, remedy: str) -> None:
        self._count.failed(case, failure)
        reason = printable(failure.reason)  # what a program said last is in it
        self._say(f"{self._title}: FAILED: {reason}" + (f"\n  {remedy}" if remedy else ""))

    def announce(self, text: str) -> None:
        """Say how a comparison stands."""

    def close(self) -> None:
        """Leave the terminal as it was."""

    def _say(self, text: str) -> None:
        print(tamed(text), file=sys.stderr, flush=True)


class PlainDisplay(Display):
    """A line when a repetition ends, and one every ten seconds meanwhile."""

    def __init__(self, count: _Count, name: Callable[[int], str]) -> None:
        super().__init__(count, name)
        self._said_at = 0.0

    def noted(self, text: str) -> None:
        self._say(text)

    def repetition_started(self, case: Case, repetition: int) -> None:
        super().repetition_started(case, repetition)
        self._said_at = time.monotonic()

    def preparing(self, what: str, progress: Progress) -> None:
        self._now_and_then(f"{what}: {progress.percent:.0f} %  {rates_text(progress)}")

    def progressed(self, progress: Progress) -> None:
        self._now_and_then(f"      {self._title}: {progress.state}  {rates_text(progress)}")

    def _now_and_then(self, text: str) -> None:
        if time.monotonic() - self._said_at >= _PLAIN_EVERY_S:
            self._said_at = time.monotonic()
            self._say(text)

    def _tell_end(self, measurement: Measurement) -> None:
        gave = f"{summary_text(measurement)}{disturbed_text(measurement)}"
        self._say(f"{self._count} {self._title}: {gave}")

    def announce(self, text: str) -> None:
        self._say(printable(text))


class LiveDisplay(Display):
    """Two lines that stay in place: the whole run, and the repetition that runs.

    Refreshed by the engine's own status lines, so no thread of rich's is needed: the
    process stays single-threaded, which starting engines relies on.
    """

    def __init__(self, count: _Count, name: Callable[[int], str]) -> None:
        super().__init__(count, name)
        from rich.console import Console
        from rich.live import Live
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        self._console = Console(stderr=True)
        self._bars = Bars(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            auto_refresh=False,
        )
        self._task = self._bars.add_task(
            "repetitions, at most" if count.at_most else "repetitions", total=count.total
        )
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._live.start()

    def noted(self, text: str) -> None:
        self._say(text)

    def repetition_started(self, case: Case, repetition: int) -> None:
        super().repetition_started(case, repetition)
        self._show("starting")

    def preparing(self, what: str, progress: Progress) -> None:
        self._title = printable(what)
        self._show(f"{progress.percent:3.0f} %  {rates_text(progress)}")

    def progressed(self, progress: Progress) -> None:
        self._show(f"{progress.state} {progress.percent:3.0f} %  {rates_text(progress)}")

    def repetition_ended(self, case: Case, measurement: Measurement) -> None:
        super().repetition_ended(case, measurement)
        self._show("")

    def _tell_end(self, measurement: Measurement) -> None:
        disturbed = disturbed_text(measurement)
        sign = "!" if disturbed else "✓"
        self._say(f"{sign} {self._title}: {summary_text(measurement)}{disturbed}")

    def repetition_failed(self, case: Case, failure: CaseFailure, remedy: str) -> None:
        super().repetition_failed(case, failure, remedy)
        self._show("")

    def announce(self, text: str) -> None:
        self._say(printable(text))

    def close(self) -> None:
        self._live.stop()

    def _show(self, text: str) -> None:
        self._bars.update(self._task, completed=self._count.done, total=self._count.total)
        self._live.update(self._lines(text), refresh=True)

    def _lines(self, text: str) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        return Group(
            self._bars, Text(f"{self._title}  {printable(text)}", no_wrap=True, overflow="ellipsis")
        )

    def _say(self, text: str) -> None:
        self._console.print(tamed(text), markup=False, highlight=False)


def rates_text(progress: Progress) -> str:
    """``read 12.1 k/s 47 MiB/s mean 1.2 ms p99 3.4 ms`` for each direction that moves."""
    return "  ".join(_rate_text(name, rate) for name, rate in progress.rates.items())


def _rate_text(name: str, rate: Rates) -> str:
    words = [
        name,
        format_value(rate.iops, Unit.PER_SECOND),
        format_value(rate.bw, Unit.BYTES_PER_SECOND),
    ]
    if rate.clat_mean_ns:
        words.append(f"mean {format_value(rate.clat_mean_ns, Unit.NANOSECONDS)}")
    if rate.clat_p99_ns:
        words.append(f"p99 {format_value(rate.clat_p99_ns, Unit.NANOSECONDS)}")
    return " ".join(words)


def disturbed_text(measurement: Measurement) -> str:
    """``: disturbed, does not count: …`` with every reason; empty where it counts."""
    why = "; ".join(
        printable(disturbance.text)
        for disturbance in measurement.disturbances
        if disturbance.counts
    )
    return f": disturbed, does not count: {why}" if why else ""


def summary_text(measurement: Measurement) -> str:
    """What a repetition gave, in a line: totals over its jobs, and how long it took."""
    words = []
    for name in TRANSFERS:
        parts = [job.directions[name] for job in measurement.jobs if name in job.directions]
        if parts:
            iops = format_value(sum(part.iops for part in parts), Unit.PER_SECOND)
            bw = format_value(sum(part.bw for part in parts), Unit.BYTES_PER_SECOND)
            words.append(f"{name} {iops} {bw}")
    took = duration(measurement.duration_ns / 1e9)
    if measurement.engine.name == COMMAND:
        own_ns = sum(job.runtime_ns for job in measurement.jobs)
        words.append(f"took {format_value(own_ns, Unit.NANOSECONDS)}")
    return f"{'  '.join(words) or 'no I/O'}  ({took})"
