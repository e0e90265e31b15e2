"""Going on with a kept comparison: more blocks of the same, judged together with those that were
measured before. What was asked then is asked now, or it is refused."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from iogate.ci import find_origin
from iogate.environments import describe, differences
from iogate.errors import RefusedError, UsageError
from iogate.gate.blocks import Standing, State, open_cases, stand
from iogate.git.revision import find_revision
from iogate.host.facts import this_host
from iogate.host.locks.host_lock import RETRY_S
from iogate.host.locks.measuring import is_measuring
from iogate.model.comparison import Comparison, Part, of_candidate
from iogate.model.document import to_document
from iogate.model.plan import Plan
from iogate.model.run import Run, RunStatus
from iogate.run.arm_modules import kernel_of
from iogate.run.blocks import counted_blocks
from iogate.run.boots import check_bootable
from iogate.run.comparison import cut_down, trusted_arms
from iogate.run.request import Request
from iogate.spec import load_spec
from iogate.spec.arms import Sides, make_sides
from iogate.stats.paired import hopeless
from iogate.sut.base import Sut
from iogate.sut.bootable import bootable

MOST_STAGES = 7
"""The first blocks, and six times as many again: after that an addition has no error left."""
_UNTOLD = ("where", "description", "tags", "chart", "aka")  # what of a plan measures nothing
_JUDGED_BY = {"metrics": "the definitions of its metrics", "validity": "what may disturb a run",
              "pools": "its pooled limits"}  # fmt: skip
_NEW = "start a new comparison, without --more"


@dataclass(frozen=True, slots=True)
class More:
    """A kept comparison and how it goes on: ``sides`` are as then, with the blocks that are
    planned by now."""

    kept: Run
    sides: Sides

    def taken_over(self, run: Run) -> Run:
        """The run that goes on, with what was measured before. Of the repetitions that failed it
        has those that were measured again: the others get another try. RefusedError where
        the environment is another one."""
        rule = run.plan.baseline
        then, now = self.kept.environment, run.environment
        changes = [
            *differences(then, now, rule.across, rule.also),
            *differences(of_candidate(then), of_candidate(now), rule.across, rule.also),
        ]
        if changes:
            raise RefusedError(
                f"run {_name(self.kept)} cannot go on here: {describe(changes[0])}",
                remedy=f"make it as it was, or {_NEW}",
            )
        return replace(
            run,
            measurements=tuple(replace(m, raw_file="") for m in self.kept.measurements),
            failures=tuple(each for each in self.kept.failures if each.again),
        )


def is_left(kept: Run, sut: Sut, wait_s: float = 0.0) -> bool:
    """Whether a run that has no end is measured by nobody any longer, or will be by nobody within
    ``wait_s``: its process was killed, or has ended. A virtual machine is this process's alone."""
    machine, rule = bootable(sut), kept.plan.comparison
    if machine is not None and rule is not None and rule.boots:
        machine.wake(kernel_of(machine, rule.base))
    if this_host(sut).machine_id != kept.host.machine_id:
        return False
    alone = machine is not None and machine.is_virtual
    deadline = time.monotonic() + wait_s
    while not alone and is_measuring(sut, kept.id):
        if time.monotonic() >= deadline:
            return False
        time.sleep(RETRY_S)
    return True


def goes_on(kept: Run) -> Comparison | None:
    """The rule by which a kept comparison goes on, None where it is decided (it has failed, or each
    of its limits passed), or not even ``MOST_STAGES`` times its blocks would decide it. Blocks
    that were planned and not measured come first; after them as many are added as there were in
    the beginning, and more where so few would not decide it. UsageError for what is no
    comparison."""
    rule = kept.plan.comparison
    if rule is None or rule.canary:
        what = "a canary, which measures all of its blocks" if rule else "no comparison"
        raise UsageError(
            f"run {_name(kept)} is {what}", remedy="name a run of iogate ab (iogate history)"
        )
    if kept.status is RunStatus.RUNNING:
        raise UsageError(
            f"run {_name(kept)} is not at its end",
            remedy="wait for it (--wait 2m), also where it was killed: a host by ssh is held for a "
            "minute longer. The next run there records its end",
        )
    standings = stand(kept.plan, kept.measurements)
    if any(each.gated and each.state is State.FAILED for each in standings):
        return None
    first = rule.most_blocks // rule.stages
    for stages in range(rule.stages, MOST_STAGES + 1):
        longer = replace(rule, stages=stages, most_blocks=first * stages)
        if _has_room(replace(kept.plan, comparison=longer), kept):
            return longer
    return None


def _has_room(plan: Plan, kept: Run) -> bool:
    """Whether a case is undecided that has not got all blocks yet."""
    assert plan.comparison is not None
    undecided = open_cases([_hopeful(each) for each in stand(plan, kept.measurements)])
    done = (counted_blocks(kept.measurements, case) for case in plan.cases if case.id in undecided)
    return any(n < plan.comparison.most_blocks for n in done)


def _hopeful(standing: Standing) -> Standing:
    """Undecidable where its blocks already tell that not even all of them will decide it."""
    import numpy as np

    if standing.state is not State.OPEN or standing.sd is None:
        return standing
    sd, limit = np.array([standing.sd]), np.array([standing.pairs.limit])
    never = hopeless(sd, limit, standing.boundary)[0]
    return replace(standing, state=State.UNDECIDABLE) if never else standing


def make_more(request: Request, kept: Run, rule: Comparison, *, budget_s: float | None) -> More:
    """How a comparison goes on by this rule. UsageError where the spec, the arms or the revision
    are not those of the kept one, RefusedError on another host."""
    then = kept.plan
    _boot_base(request, rule)
    _check_place(request, kept)
    spec = load_spec(request.spec)
    arms = trusted_arms(request, spec, rule.base.name, rule.candidate.name)
    for arm, was in zip(arms, rule.arms, strict=True):
        if arm != was:
            raise _another(kept, f"arm {arm.name} is not what it was")
    names = tuple(case.id for case in then.cases)
    last = max((m.block for m in kept.measurements), default=0)
    longer = replace(
        rule,
        budget_s=spec.compare.budget_s if budget_s is None else budget_s,
        parts=(*rule.parts, Part(kept.id, kept.started_ns, last)),
    )
    sides = make_sides(spec, *arms, then.overrides)
    known = {case.id for case in sides.plan.cases}
    gone = [case.name for case in then.cases if case.id not in known]
    if gone:
        raise _another(kept, f"case {gone[0]} is not in it as it was")
    sides = cut_down(replace(request, cases=names, tags=()), sides, longer)
    for what in _differing(to_document(then), to_document(sides.plan)):
        raise _another(kept, f"{what} changed")
    if spec.compare.sees != rule.sees:
        raise _another(kept, "compare.sees changed")
    return More(kept, sides)


def _boot_base(request: Request, rule: Comparison) -> None:
    """A machine that boots kernels may have none by itself, and is asked who it is."""
    if rule.boots:
        machine = check_bootable(request, rule)
        machine.wake(kernel_of(machine, rule.base))


def _check_place(request: Request, kept: Run) -> None:
    """The same host and the same revision."""
    host = this_host(request.sut)
    if host.machine_id != kept.host.machine_id:
        raise RefusedError(
            f"run {_name(kept)} was measured on {kept.host.name}, and this is {host.name}",
            remedy=f"go on there, or {_NEW}",
        )
    was = kept.revision
    now = find_revision(ref=request.revision, label=request.label, origin=find_origin())
    if (was.commit, was.dirty) != (now.commit, now.dirty):
        raise UsageError(
            f"run {_name(kept)} measured {_revision(was.commit, dirty=was.dirty)}, and this is"
            f" {_revision(now.commit, dirty=now.dirty)}",
            remedy=f"check that out, or name it with --revision; or {_NEW}",
        )


def _revision(commit: str, *, dirty: bool) -> str:
    changes = " with uncommitted changes" if dirty else ""
    return f"commit {commit[:12]}{changes}" if commit else "no commit"


def _differing(then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """What of two plans' documents measures or judges otherwise, in words."""
    for key, words in _JUDGED_BY.items():
        if _plain(then.get(key)) != _plain(now.get(key)):
            yield words
    cases = {case["id"]: case for case in now["cases"]}
    for case in then["cases"]:
        was, is_now = _plain(case), _plain(cases[case["id"]])
        for key in was.keys() | is_now.keys():
            if was.get(key) != is_now.get(key):
                what = "the limits" if key == "thresholds" else f"the {key}"
                yield f"{what} of case {case['name']}"


def _plain(value: Any) -> Any:
    """A document without what only tells people something."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items() if key not in _UNTOLD}
    return [_plain(each) for each in value] if isinstance(value, list) else value


def _another(kept: Run, why: str) -> UsageError:
    return UsageError(
        f"the spec is not the one that run {_name(kept)} compared by: {why}",
        remedy=f"put it back (iogate report shows what it was), or {_NEW}",
    )


def _name(run: Run) -> str:
    return run.id[:12]
