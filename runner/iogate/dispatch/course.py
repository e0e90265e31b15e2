"""The course of a dispatch: share out, measure, gather, again elsewhere, and one verdict."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

from iogate import exits
from iogate.dispatch.base import Carrier, Errand, Tell
from iogate.dispatch.gathering import Gathered, gather
from iogate.engine.base import Stop
from iogate.model.dispatch import Dispatch, Part
from iogate.model.plan import Plan
from iogate.model.verdict import NOT_JUDGED, PARTLY_JUDGED, WORST_FIRST, Outcome
from iogate.store import open_store

_GOOD = ("", Outcome.PASS)
_WORDS = (*(each for each in WORST_FIRST if each is not Outcome.PASS), NOT_JUDGED, PARTLY_JUDGED)


def dispatch(
    errand: Errand, plan: Plan, carrier: Carrier, tell: Tell, stop: Stop, *, keep: bool
) -> tuple[Dispatch, list[Gathered]]:
    """All cases of the plan, measured and judged; ``keep`` puts their runs into the history. What
    was gathered before is kept however this ends."""
    started_ns = time.time_ns()
    gathered: list[Gathered] = []
    with closing(open_store(errand.store)) as store:
        shares = list(carrier.shares(plan))
        while shares:
            ended = list(carrier.measure(shares, tell, stop))
            new = [gather(each, store, plan, keep=keep, since_ns=started_ns) for each in ended]
            lost = [each for each, part in zip(ended, new, strict=True) if part.left]
            left = {case for part in new for case in part.left}
            rest = plan.with_cases(tuple(case for case in plan.cases if case.id in left))
            shares = [] if stop.requested or not left else list(carrier.elsewhere(lost, rest))
            gathered.extend(map(_moved, new) if shares else new)
            for each in shares:
                tell(
                    f"{each.came_from} is lost: its cases are measured on {each.host or 'another'}"
                )
    return conclude(plan, gathered, started_ns, interrupted=stop.requested), gathered


def _moved(gathered: Gathered) -> Gathered:
    """A part whose unfinished cases are measured elsewhere: the others alone count."""
    if not gathered.left:
        return gathered
    part = replace(gathered.part, left=gathered.left, exit_code=gathered.rest_code)
    return replace(gathered, part=part)


def conclude(
    plan: Plan, gathered: Sequence[Gathered], started_ns: int, *, interrupted: bool
) -> Dispatch:
    """The one verdict: the worst of the parts."""
    parts = tuple(each.part for each in gathered)
    code = exits.of_hosts(part.exit_code for part in parts)
    if interrupted:
        code = exits.of_hosts([code, exits.cut_short([])])
    outcomes = [part.outcome for part in parts if part.outcome is not None]
    return Dispatch(
        spec_name=plan.spec_name,
        spec_file=plan.spec_file,
        started_ns=started_ns,
        finished_ns=time.time_ns(),
        exit_code=int(code),
        outcome=min(outcomes, key=WORST_FIRST.index) if outcomes else None,
        sentence=_sentence(parts, interrupted=interrupted),
        parts=parts,
    )


def _sentence(parts: Sequence[Part], *, interrupted: bool) -> str:
    """``fail: 2 runs on 2 hosts, of lab3 first: …``: the part that decides."""
    hosts = {part.host for part in parts}
    told = f"{_counted(len(parts), 'run')} on {_counted(len(hosts), 'host')}"
    worst = exits.of_hosts(part.exit_code for part in parts)
    deciding = [part for part in parts if part.exit_code == worst]
    begin = "stopped before the end; " if interrupted else ""
    if not worst:
        word = min((part.word for part in deciding), key=_badness, default="")
        deciding = [part for part in deciding if part.word == word and word not in _GOOD]
    if not deciding:
        return f"{begin}pass: {told}"
    first = deciding[0]
    count = f"{len(deciding)} of {told}: {first.host}: {first.sentence}"
    is_said = worst or first.sentence.startswith(first.word)
    return f"{begin}{count}" if is_said else f"{begin}{first.word}: {count}"


def _badness(word: str) -> int:
    """Of a part that is no failure: the worst first."""
    return _WORDS.index(word) if word in _WORDS else len(_WORDS)


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
