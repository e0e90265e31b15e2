"""One run on a machine, and when each of its repetitions began and ended."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import Mock

from iogate.engine.base import Stop
from iogate.model.run import Run
from iogate.run.pipeline import execute
from iogate.run.request import Request, make_request_plan
from iogate.sut.base import Sut


@dataclass(slots=True)
class Times:
    """``repetitions`` are seconds from the start of each to when it was kept."""

    run_s: float = 0.0
    repetitions: list[float] = field(default_factory=list)


def measured(sut: Sut, spec: str, folder: Path) -> tuple[Run, Times]:
    """A run of a spec's text; its files are in a new folder below ``folder``."""
    output = folder / f"run-{time.monotonic_ns()}"
    path = output.with_suffix(".yaml")
    path.write_text(spec)
    times, observer = Times(), Mock()
    observer.repetition_started.side_effect = lambda *_: times.repetitions.append(-_now())

    def ended(*_: Any) -> None:
        times.repetitions[-1] += _now()

    observer.repetition_ended.side_effect = ended
    request = Request(spec=path, sut=sut, store=f"{folder}/history.sqlite", output=output)
    began = _now()
    run = execute(request, make_request_plan(request), observer, Stop()).run
    times.run_s = _now() - began
    assert not run.failures, run.failures
    return run, times


def _now() -> float:
    return time.monotonic()
