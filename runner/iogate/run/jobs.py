"""Whether the engine takes the jobs of a plan: said before anything is touched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from iogate.engine.base import Engine
from iogate.engine.complaints import Complaint
from iogate.errors import Location
from iogate.model.confinement import Confinement
from iogate.model.plan import Case, Plan
from iogate.model.spec import JobSpec, Repetitions, Target, TargetKind
from iogate.spec.options.support import own_options
from iogate.spec.text.problems import Problems

_REMEDY = "docs/options.md has what each option takes"


def check_jobs(engine: Engine, plan: Plan, confinement: Confinement | None) -> None:
    """SpecError that names each option of the plan's cases, and of its precondition, that the
    engine does not take, with its place."""
    problems = Problems()
    for complaint in engine.complaints([*_steps(plan), *plan.cases], confinement):
        what = ": ".join(filter(None, (_subject(complaint), complaint.text)))
        problems.add(what, _place(complaint), _REMEDY)
    problems.check()


def _steps(plan: Plan) -> Iterator[Case]:
    """Each step of the precondition as a case of its own."""
    steps = plan.precondition
    for name, step in (("fill", steps.fill), ("steady-state", steps.steady_state)) if steps else ():
        if step:
            job = replace(step, name=name, options=own_options(step))
            target = Target("device", TargetKind.DEVICE, "/dev/null")
            yield Case(name, name, "precondition", target, (job,), {}, Repetitions(1, 1), ())


def _subject(complaint: Complaint) -> str:
    where = f"workload {complaint.case.workload!r}"
    where = "precondition" if complaint.case.workload == "precondition" else where
    return f"{where}: {complaint.key}" if complaint.key else f"{where}, job {complaint.job!r}"


def _place(complaint: Complaint) -> Location | None:
    """That of the option, in the job whose value the sentence repeats most of where several have
    it; of the job where it is about no option."""
    jobs = complaint.case.jobs
    having = [job for job in jobs if complaint.key in job.options or job.name == complaint.job]
    told = re.split(r"[\s',;:]+", complaint.text)

    def repeated(job: JobSpec) -> int:
        value = job.options.get(complaint.key, "")
        return max(len(word) if word in value else 0 for word in told)

    job = max(having or jobs, key=repeated)
    return job.places.get(complaint.key, job.where)
