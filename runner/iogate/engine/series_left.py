"""Time series that run.json was too large for are in the engine's own results: put back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from iogate.engine.result import parse_result
from iogate.errors import RunError
from iogate.files import bounded
from iogate.files.bounds import DOCUMENT_BYTES
from iogate.files.run_folder import SERIES_IN_RAW, SERIES_KEPT, RunFolder
from iogate.model.measurement import Measurement
from iogate.model.run import Run


def with_series(run: Run, root: Path, lost: Callable[[str], object] = lambda _: None) -> Run:
    """A run as its run.json says, with what was left out of that. A repetition whose result cannot
    be read goes on saying what it lacks, and ``lost`` gets a sentence."""
    whole = tuple(_whole(each, root, lost) for each in run.measurements)
    return replace(run, measurements=whole)


def lacking(run: Run) -> int:
    """Of how many repetitions only the history has the time series."""
    return sum(SERIES_KEPT in each.warnings for each in run.measurements)


def with_kept(run: Run, kept: Run) -> Run:
    """With those repetitions as the history has them."""
    known = {(each.case_id, each.repetition): each for each in kept.measurements}
    measurements = tuple(
        known.get((each.case_id, each.repetition), each) if SERIES_KEPT in each.warnings else each
        for each in run.measurements
    )
    return replace(run, measurements=measurements)


def _whole(measurement: Measurement, root: Path, lost: Callable[[str], object]) -> Measurement:
    if SERIES_IN_RAW not in measurement.warnings:
        return measurement
    with suppress(OSError, ValueError, RunError):
        return _filled(measurement, root)
    lost(f"the time series of {measurement.raw_file or 'a repetition'} cannot be read")
    return measurement


def _filled(measurement: Measurement, root: Path) -> Measurement:
    """OSError, ValueError or RunError where the result is not there, or another one."""
    name = RunFolder(root).raw_file(measurement.case_id, measurement.repetition).name
    handle = bounded.open_below(str(root), ["raw", name])
    result = parse_result(bounded.parse_json(bounded.read_fd(handle, DOCUMENT_BYTES)))
    jobs = tuple(
        replace(job, series=read.series)
        for job, read in zip(measurement.jobs, result.jobs, strict=True)
    )
    warnings = tuple(each for each in measurement.warnings if each != SERIES_IN_RAW)
    return replace(measurement, jobs=jobs, warnings=warnings)
