"""What came back from a host: read, judged by the history here, and kept by this one writer."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from iogate import exits
from iogate.dispatch.base import Ended
from iogate.dispatch.clocks import dated_here
from iogate.errors import IogateError, RunError
from iogate.files.run_folder import RunFolder
from iogate.history.baseline import Baseline
from iogate.history.judging import baseline_for, judge_run
from iogate.model.dispatch import Part
from iogate.model.plan import Plan
from iogate.model.run import Run, RunStatus
from iogate.model.verdict import RunVerdict
from iogate.recovery.salvage import is_run_folder, read_run_folder
from iogate.run.ending import Ending
from iogate.run.finishing import Finished
from iogate.store.base import Store


@dataclass(frozen=True, slots=True)
class Gathered:
    """A part, and what its reports are made of, where it has a run. ``left`` are the cases that the
    host was lost with; ``rest_code`` is the exit code of the others."""

    part: Part
    finished: Finished | None = None
    left: tuple[str, ...] = ()
    rest_code: int = int(exits.DONE)


def gather(ended: Ended, store: Store, plan: Plan, *, keep: bool, since_ns: int = 0) -> Gathered:
    """The part of a share of ``plan``, which was given out at ``since_ns`` (Unix time in ns). What
    comes back broken makes no other part worse."""
    share = ended.share
    part = Part(
        host=ended.host,
        cases=share.cases,
        folder=str(share.folder),
        exit_code=int(exits.of_unmeasured(ended.code)),
        sentence=ended.said or "nothing was measured",
        came_from=share.came_from,
    )
    left = share.cases if _may_go_on(ended) else ()
    if not is_run_folder(share.folder):
        return Gathered(part, left=left)
    try:
        run, clock = dated_here(_read(ended, store, plan), since_ns, time.time_ns())
        done = _with_run(part, run, ended, store, keep=keep)
        if done.finished:
            finished = replace(done.finished, notes=(*clock, *done.finished.notes))
            done = replace(done, finished=finished)
        return done
    except Exception as error:  # whatever it is: the parts of the other hosts are kept
        told = f"{type(error).__name__}: {error}"
        if isinstance(error, IogateError):
            told = "; ".join(filter(None, (error.what, error.remedy)))
        failed = int(exits.of_run(None))
        sentence = f"what came back cannot be used: {told}"
        return Gathered(replace(part, exit_code=failed, sentence=sentence), left=left)


def _may_go_on(ended: Ended) -> bool:
    """Whether other hosts may measure what is not measured yet."""
    return ended.replaceable and exits.was_cut(ended.code)


def _read(ended: Ended, store: Store, plan: Plan) -> Run:
    """The run of the share's folder; of a host that was lost, as far as it came. Its limits are
    those that were asked for here, whatever the host read in its spec."""
    share = ended.share
    if share.folder.is_symlink():
        raise RunError(f"{share.folder} is a link, and a run is read through none")
    found = read_run_folder(share.folder, store)
    if found.broken and ended.code == exits.DONE:  # of a host that was lost, what came is kept
        raise RunError("; ".join(found.broken), remedy="dispatch again")
    run = found.run
    if run.id in store.run_ids():
        raise RunError(
            f"{share.folder} holds run {run.id}, which the history has",
            remedy="dispatch again: a run counts once",
        )
    if {case.id for case in run.plan.cases} != set(share.cases):
        raise RunError(
            f"{share.folder} holds a run of other cases", remedy="leave the spec as it is meanwhile"
        )
    asked = plan.with_cases(tuple(case for case in plan.cases if case.id in share.cases))
    return replace(run, plan=_absolute_only(asked) if share.came_from else asked)


def _with_run(part: Part, run: Run, ended: Ended, store: Store, *, keep: bool) -> Gathered:
    notes: tuple[str, ...] = ()
    baseline = Baseline()
    if not part.came_from:
        baseline, notes = baseline_for(run, store)
    verdict = _verdict(run, ended, store, baseline)
    killed = run.status is RunStatus.RUNNING
    if killed:
        run = replace(run, status=RunStatus.FAILED, finished_ns=time.time_ns())
    run = replace(run, verdict=verdict)
    folder = RunFolder(Path(part.folder))
    folder.write_run(run)
    if keep:
        store.add_runs([run])
        notes = (*notes, *store.sync().notes)
    left = _unfinished(run) if verdict.fault and _may_go_on(ended) else ()
    if killed and _may_go_on(ended):  # what it did last, nobody knows
        left = left or part.cases
    rest = _rest(run, left, store, baseline) if left else verdict
    part = replace(
        part,
        exit_code=int(exits.of_run(verdict)),
        sentence=verdict.sentence,
        run=run.id,
        name=run.host.name,
        machine_id=run.host.machine_id,
        outcome=rest.outcome if rest else None,
        word=rest.word if rest else "",
    )
    finished = Finished(run, baseline.runs, folder, notes)
    return Gathered(part, finished, left, rest.exit_code if rest else int(exits.DONE))


def _verdict(run: Run, ended: Ended, store: Store, baseline: Baseline) -> RunVerdict:
    """By the history here. A run that was cut short keeps what was said of it there."""
    if run.verdict and run.verdict.fault and exits.was_not_judged(run.verdict.exit_code):
        return run.verdict
    verdict = judge_run(run, store, baseline)
    if ended.share.came_from:
        caution = (
            f"{ended.share.came_from} was lost with these cases: here they are judged by their"
            " absolute limits only, as the host is another one"
        )
        verdict = replace(verdict, cautions=(*verdict.cautions, caution))
    if run.status is not RunStatus.RUNNING:
        return verdict
    lost = RunError(ended.said or f"{ended.host} was lost")
    return Ending(run, store, errors=[lost]).judged(verdict)


def _unfinished(run: Run) -> tuple[str, ...]:
    """The cases with fewer repetitions that count than were planned at the least."""
    return tuple(
        case.id
        for case in run.plan.cases
        if len(run.measurements_of(case.id)) < case.repetitions.min
    )


def _rest(run: Run, left: Collection[str], store: Store, baseline: Baseline) -> RunVerdict | None:
    """The verdict on the cases that were finished; None where there is none."""
    cases = tuple(case for case in run.plan.cases if case.id not in left)
    if not cases:
        return None
    ids = {case.id for case in cases}
    measured = replace(
        run,
        plan=run.plan.with_cases(cases),
        measurements=tuple(m for m in run.measurements if m.case_id in ids),
        failures=tuple(f for f in run.failures if f.case_id in ids),
    )
    return judge_run(measured, store, baseline)


def _absolute_only(plan: Plan) -> Plan:
    """Without the limits that need the history of the host that they began on."""
    cases = tuple(
        replace(case, thresholds=tuple(t for t in case.thresholds if not t.limit.relative))
        for case in plan.cases
    )
    pools = tuple(pool for pool in plan.pools if not pool.threshold.limit.relative)
    return replace(plan, cases=cases, pools=pools)
