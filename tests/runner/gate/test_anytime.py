"""What a comparison says at any look, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iogate.gate.anytime import evidence_of, evidence_so_far
from iogate.gate.judge import judge
from iogate.gate.pairs import blocks_of, pairs_of
from iogate.model.comparison import Arm, Comparison
from iogate.model.measurement import Measurement
from iogate.model.plan import Plan
from iogate.model.spec import Comparison as Compare
from iogate.model.spec import Level
from support import samples as s

LIMIT = s.threshold(comparison=Compare.GREATER, value=-0.02, relative=True)
RULE = Comparison(Arm("base"), Arm("candidate"), seed=1)


def blocks(base: Sequence[float], candidate: Sequence[float]) -> list[Measurement]:
    return [
        replace(each, arm=arm, block=number)
        for arm, values in (("base", base), ("candidate", candidate))
        for number, each in enumerate(s.repetitions(values), start=1)
    ]


def plan(rule: Comparison | None = RULE, *limits: Level) -> Plan:
    thresholds = [replace(LIMIT, level=level) for level in limits] or [LIMIT]
    return replace(s.plan(s.case(*thresholds)), comparison=rule)


def told(base: Sequence[float], candidate: Sequence[float], the_plan: Plan | None = None) -> str:
    return evidence_so_far(the_plan or plan(), blocks(base, candidate))


def test_it_says_nothing_before_the_first_pair_of_blocks() -> None:
    assert told([1000], [900]) == ""
    assert "evidence" in told([1000, 1001], [900, 901])


def test_only_whole_pairs_count() -> None:
    even = told([1000.0] * 6, [900.0] * 6)
    assert even == told([1000.0] * 7, [900.0] * 6 + [2000.0])
    assert even == "at any look: evidence of a regression, 5 to 1"


def test_no_change_and_a_better_candidate_are_no_evidence() -> None:
    none = "at any look: no evidence of a regression"
    assert told([1000.0] * 12, [1000.0] * 12) == none
    assert told([1000.0] * 12, [1100.0] * 12) == none


def test_much_is_not_told_to_the_last_digit() -> None:
    assert "evidence of a regression, more than 10,000 to 1" in told([1000.0] * 40, [900.0] * 40)


def test_what_compares_no_arms_has_none() -> None:
    assert told([1000.0] * 6, [900.0] * 6, plan(None)) == ""
    assert told([1000.0] * 6, [900.0] * 6, plan(replace(RULE, canary=True))) == ""


def test_advisory_limits_do_not_thin_it_out() -> None:
    alone = told([1000.0] * 6, [900.0] * 6)
    assert told([1000.0] * 6, [900.0] * 6, plan(RULE, Level.FAIL, Level.WARN)) == alone
    assert told([1000.0] * 6, [900.0] * 6, plan(RULE, Level.WARN)) == alone


def test_a_pair_with_an_unusable_block_says_nothing_and_the_others_stay_pairs() -> None:
    holed = blocks([1000.0, -1.0, 1000.0, 1000.0], [900.0, 900.0, 900.0, 900.0])
    (paired,) = pairs_of(plan(), blocks_of(plan(), holed, RULE))
    whole = blocks([1000.0] * 2, [900.0] * 2)
    (two,) = pairs_of(plan(), blocks_of(plan(), whole, RULE))
    assert evidence_of(paired) is not None
    assert paired.unusable == (2,)
    assert evidence_of(paired) == evidence_of(two)


def test_the_verdict_of_a_limit_has_its_evidence() -> None:
    verdict = judge(plan(), blocks([1000.0] * 6, [900.0] * 6), (), ()).thresholds[0]
    assert verdict.evidence is not None
    assert 5 < verdict.evidence < 6
