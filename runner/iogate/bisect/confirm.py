"""Whether a change that nights suspect is in the code: the last good revision against the first
bad one, in interleaved blocks, on the metrics that moved."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from iogate.bisect.git import Clone
from iogate.errors import RunError, UsageError
from iogate.model.commit import is_commit
from iogate.model.comparison import MOST_BLOCKS, Arm, Comparison
from iogate.model.decision import Action, Decision
from iogate.model.run import Run
from iogate.model.spec import Comparison as Compare
from iogate.model.spec import Limit, OnMissingBaseline, Threshold
from iogate.model.trend import Alert, Change, Turn
from iogate.model.units import format_change
from iogate.model.verdict import Outcome, RunVerdict, ThresholdVerdict
from iogate.run.comparison import cut_down
from iogate.run.request import Request
from iogate.spec import load_spec, make_plan
from iogate.spec.arms import Sides, make_sides
from iogate.trend.decisions import new_decision

_MOST_METRICS = 4  # the largest changes: what moved together need not all be seen again
_SHARE = 0.25  # of the change seen by night that is the limit here
_LEAST_LIMIT = 0.002
_LIMIT_UNKNOWN = 0.01  # where the nights allow no relative change


@dataclass(frozen=True, slots=True)
class Build:
    """A revision in a clone of its own, and the words of the command that puts it in place."""

    role: str
    commit: str
    clone: Path
    command: tuple[str, ...]

    def arm(self) -> Arm:
        """The arm that is this revision: it is built, or installed, again before each run."""
        return Arm(f"{self.role} {self.commit[:12]}", prepare=self._shell())

    def make(self) -> None:
        """Build it for the first time, however long it takes. RunError when that fails."""
        done = subprocess.run(
            ["/bin/sh", "-c", self._shell()], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=os.environ, check=False,
        )  # fmt: skip
        if done.returncode:
            said = done.stdout.decode(errors="replace").strip().splitlines()
            raise RunError(
                f"the build command ended with {done.returncode} at {self.commit[:12]}",
                remedy=said[-1] if said else "it said nothing",
            )

    def _shell(self) -> str:
        words = shlex.join(self.command)
        clone, commit = shlex.quote(str(self.clone)), shlex.quote(self.commit)
        return f"cd {clone} && IOGATE_BUILD={commit} {words}"


def check_out_both(
    alert: Alert, repository: Path, folder: Path, command: Sequence[str]
) -> tuple[Build, Build]:
    """The last good and the first bad revision of an alert, each in a clone. UsageError when
    the alert is no regression, or they cannot be had or are the same."""
    if alert.turn is not Turn.REGRESSION:
        raise UsageError(f"{alert.id} is an improvement: there is no regression to confirm")
    good, bad = alert.last_good.commit, alert.first_bad.commit
    if not is_commit(good) or not is_commit(bad):
        raise UsageError(
            f"the nights of {alert.id} do not name the commits that they measured",
            remedy="measure in the repository, or with --revision; more nights confirm it, too",
        )
    if good == bad:
        raise UsageError(
            f"the nights on both sides of {alert.id} measured the same commit {good[:12]}",
            remedy="what changed is not in the repository: see the markers of iogate trend",
        )
    builds = []
    for role, commit in (("good", good), ("bad", bad)):
        clone = Clone(repository, folder / role)
        whole = clone.resolve(commit)
        clone.make()
        clone.check_out(whole)
        builds.append(Build(role, whole, clone.checkout, tuple(command)))
    return builds[0], builds[1]


def confirmation_sides(
    request: Request, alert: Alert, arms: tuple[Arm, Arm], *, seed: int, most_blocks: int | None
) -> Sides:
    """The cases and metrics that an alert is about, as a comparison of two arms. UsageError when
    the spec does not have them (any more)."""
    spec = load_spec(request.spec)
    wanted = [change for change in alert.changes if _is_worse(change)][:_MOST_METRICS]
    own = [case.ids for case in make_plan(spec, overrides=request.overrides).cases]
    sides = make_sides(spec, *arms, request.overrides)
    limits = [
        tuple(_limit(change) for change in wanted if change.case_id in names) for names in own
    ]
    kept = [n for n, of_case in enumerate(limits) if of_case]
    if not kept:
        raise UsageError(
            f"{request.spec} has none of the cases of {alert.id}",
            remedy=f"it is about {', '.join(dict.fromkeys(change.case for change in wanted))}",
        )
    cases = tuple(replace(sides.plan.cases[n], thresholds=limits[n]) for n in kept)
    base, candidate = (tuple(s[n] for n in kept) for s in (sides.base, sides.candidate))
    rule = Comparison(*arms, seed=seed, most_blocks=most_blocks or MOST_BLOCKS)
    plan = replace(sides.plan, cases=cases, pools=(), on_inconclusive=OnMissingBaseline.FAIL)
    return cut_down(request, Sides(plan, base, candidate), rule)


def confirmation_of(alert: Alert, spec: str, run: Run, author: str) -> Decision | None:
    """The decision that a judged comparison amounts to: none unless it has seen the
    regression, or where a person has decided already."""
    verdict = run.verdict
    if verdict is None or verdict.outcome is not Outcome.FAIL or alert.decision is not None:
        return None
    seen = _failed(verdict)
    if not seen:
        return None
    what = ", ".join(f"{each.threshold.metric} {_seen(each)}" for each in seen)
    return new_decision(
        alert,
        spec,
        Action.CONFIRM,
        author=author,
        reason=f"{what} in run {run.id[:12]}",
        at_ns=time.time_ns(),
    )


def conclusion(alert: Alert, run: Run) -> str:
    """What a comparison says of an alert, for people."""
    verdict = run.verdict
    outcome = verdict.outcome if verdict else None
    if verdict and _failed(verdict):
        return f"{alert.id} is confirmed: the revisions differ"
    if outcome is Outcome.PASS:
        return (
            f"{alert.id} is not confirmed: the revisions do not differ here today. What differs"
            " may be the host: see the markers of iogate trend, and iogate canary"
        )
    return (
        f"{alert.id} is inconclusive: more blocks (--blocks), more time, or less noise would decide"
    )


def _failed(verdict: RunVerdict) -> list[ThresholdVerdict]:
    """What the arms differ in. A fault of the disk that they share is no difference."""
    return [
        each
        for each in verdict.thresholds
        if each.outcome is Outcome.FAIL and each.threshold.limit.vs_baseline
    ]


def _is_worse(change: Change) -> bool:
    return change.turn is Turn.REGRESSION and not change.closed


def _limit(change: Change) -> Threshold:
    """A part of the change that was seen: what is within it is not what the nights saw."""
    size = _LIMIT_UNKNOWN if change.effect is None else abs(change.effect) * _SHARE
    size = max(size, _LEAST_LIMIT)
    comparison, value = Compare.asking(change.better), size * change.better.worse
    text = f"vs baseline {comparison.value} {value:+.1%}".replace("%", " %")
    return Threshold(change.metric, Limit(comparison, value, relative=True, text=text))


def _seen(verdict: ThresholdVerdict) -> str:
    interval = verdict.change_interval
    ends = f" ({format_change(interval.low)} … {format_change(interval.high)})" if interval else ""
    return f"{format_change(verdict.change)}{ends}"
