"""A result of another program as a run of one case, measured once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from iogate.foreign.base import ForeignResult, Origin
from iogate.foreign.fio_numbers import as_people_write, size
from iogate.foreign.fio_options import place_jobs
from iogate.jobs.options import DEFAULT_RW
from iogate.model.measurement import Measurement
from iogate.model.plan import Case, Plan
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.model.spec import JobSpec, Repetitions
from iogate.model.verdict import Outcome, RunVerdict
from iogate.spec.case_id import case_id, former_ids

_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]+")
_LONGEST_NAME = 60
_FORM = "origin.form"
_DEFAULT_BS = "4k"
_KNOWN_OF_ALL = {"name", "numjobs"}  # also where no option is told


def as_run(foreign: ForeignResult, origin: Origin) -> Run:
    """The run that the result was. Its id is made from the result and the host, so that
    importing it again gives the same run; its case id is what a spec with the same options
    and target would give. A job that failed makes it a failed run."""
    case = _case(foreign, origin)
    ended_ns = foreign.ended_ns or origin.ended_ns
    started_ns = max(ended_ns - foreign.elapsed_ns, 0)
    failed = next((job for job in foreign.result.jobs if job.error), None)
    run = Run(
        id=_run_id(foreign.text, origin.host.machine_id),
        plan=_plan(case, origin),
        host=origin.host,
        revision=origin.revision,
        started_ns=started_ns,
        finished_ns=ended_ns,
        status=RunStatus.FAILED if failed else RunStatus.COMPLETE,
        environment=_environment(foreign, origin),
    )
    if failed:
        reason = f"job {failed.name} ended with error {failed.error}"
        return replace(run, failures=(CaseFailure(case.id, 1, reason),))
    verdict = RunVerdict(Outcome.PASS, 0, "imported: nothing was judged")  # its word says so, too
    return replace(run, measurements=(_measurement(foreign, case.id, started_ns),), verdict=verdict)


def is_imported(run: Run) -> bool:
    """Whether another program measured it: nothing was judged then."""
    return _FORM in run.environment


def _case(foreign: ForeignResult, origin: Origin) -> Case:
    target, jobs = place_jobs(foreign.jobs, origin.directory)
    name = _name([*_names(jobs), *(_shape(jobs[0]) if len(jobs) == 1 else ())])
    return Case(
        id=case_id(jobs, target),
        name=name,
        workload=name,
        target=target,
        jobs=jobs,
        parameters={},
        repetitions=Repetitions(1, 1),
        thresholds=(),
        aka=former_ids(jobs, target),
    )


def _shape(job: JobSpec) -> Iterator[str]:
    """What a job of the same name is often varied in, in one spelling: what is printed for people
    tells defaults, and JSON does not."""
    if job.options.keys() - _KNOWN_OF_ALL:
        yield job.options.get("rw", DEFAULT_RW)
        yield _sizes(job.options.get("bs", _DEFAULT_BS))
    for key, form in (("iodepth", "qd{}"), ("numjobs", "x{}")):
        value = job.options.get(key, "1")
        if value != "1":
            yield form.format(value)


def _sizes(text: str) -> str:
    """``4k`` of ``4096`` and of ``4k,4k,4k``; what are no sizes stays as it is."""
    try:
        parts = [as_people_write(int(size(part))) for part in text.split(",")]
    except ValueError:
        return text
    while len(parts) > 1 and parts[-1] == parts[-2]:
        parts.pop()
    return ",".join(parts)


def _measurement(foreign: ForeignResult, case_id: str, started_ns: int) -> Measurement:
    return Measurement(
        case_id=case_id,
        repetition=1,
        started_ns=started_ns,
        duration_ns=foreign.elapsed_ns,
        engine=foreign.result.engine,
        jobs=foreign.result.jobs,
        disks=foreign.result.disks,
        warnings=foreign.result.warnings,
    )


def _plan(case: Case, origin: Origin) -> Plan:
    return Plan(
        spec_name=origin.spec or _name(_names(case.jobs)),
        spec_file=origin.file,
        spec_sha256=hashlib.sha256(b"").hexdigest(),
        spec_text="",
        cases=(case,),
    )


def _environment(foreign: ForeignResult, origin: Origin) -> dict[str, str | int | float | bool]:
    facts = {
        "engine.name": foreign.result.engine.name,
        "engine.version": foreign.result.engine.version,
        "engine.semantics": foreign.result.engine.semantics,
        _FORM: foreign.form,
        "origin.clients": ", ".join(foreign.clients),
        "origin.file": origin.file,
    }
    return {name: value for name, value in facts.items() if value}


def _names(jobs: Sequence[JobSpec]) -> list[str]:
    joined = "+".join(dict.fromkeys(job.name for job in jobs))
    return [joined] if joined else []


def _name(parts: Sequence[str]) -> str:
    return _UNSAFE.sub("-", " ".join(parts))[:_LONGEST_NAME].strip("-") or "fio"


def _run_id(text: str, machine_id: str) -> str:
    own = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    own.update(f"\0{machine_id}".encode("utf-8", "surrogatepass"))
    return own.hexdigest()[:32]
