"""A file target as fio wants to find it. fio lays a file out by removing it first and making
it anew, which a confined engine cannot: the file is its place, and the folder is not."""

from __future__ import annotations

from dataclasses import replace

from iogate.engine.base import EngineJob, Stop
from iogate.engine.native import NativeEngine
from iogate.host.sandbox import Sandbox
from iogate.host.targets.places import place_of
from iogate.jobs import estimate
from iogate.jobs.job_file import render
from iogate.jobs.options import DEFAULT_RW, transfers_of
from iogate.model.place import Place
from iogate.model.plan import Case
from iogate.model.spec import JobSpec, TargetKind
from iogate.run.work_folder import WorkFolder

ENGINE = "fio"
_KEPT = ("fallocate",)


def is_to_be_laid_out(engine: str, case: Case, place: Place, sandbox: Sandbox) -> bool:
    """Whether the file is to be made or made longer by our engine before fio starts."""
    if engine != ENGINE or sandbox.layers is None or case.target.kind is not TargetKind.FILE:
        return False
    status = sandbox.sut.stat(place.path)
    return (status.size_bytes if status else 0) < _bytes(case)


def layout_case(case: Case) -> Case:
    """One I/O in a file as large as the case's: before it our engine lays the file out as fio
    would, with data where a job reads and as space where all only write."""
    transfers = (transfers_of(job.options.get("rw", DEFAULT_RW)) for job in case.jobs)
    reads = any(each != ("write",) for each in transfers)
    kept = {key: job.options[key] for job in case.jobs for key in _KEPT if key in job.options}
    options = {
        **kept,
        "ioengine": "psync",
        "rw": "randread" if reads else "randwrite",
        "bs": "512",
        "size": str(_bytes(case)),
        "number_ios": "1",
    }
    return replace(case, id=f"{case.id}-layout", jobs=(JobSpec("layout", options),))


def laid_out(
    case: Case, asked: EngineJob, sandbox: Sandbox, work: WorkFolder, stop: Stop
) -> EngineJob:
    """Lay the file of a job out, confined as the job is; the job with the file as it is then.
    EngineError when that fails."""
    assert sandbox.layers is not None
    own, (place,) = layout_case(case), asked.places
    work.write_job(own.id, render(own, location=place.path))
    result_file = f"{asked.result_file}.layout"
    job = replace(asked, job_file=work.job_file(own.id), result_file=result_file, readonly=False)
    engine = NativeEngine(sandbox.sut, sandbox.layers.launcher)
    try:
        engine.run(job, on_progress=lambda _progress: None, stop=stop)
    finally:
        sandbox.sut.remove_file(result_file)
    now = place_of(sandbox.sut, place.path)
    return replace(asked, places=(now,), confinement=sandbox.of(case, now, asked.folder, work.jobs))


def _bytes(case: Case) -> int:
    return max(estimate.files(case).values(), default=0)
