"""Repetitions that were disturbed: kept, measured again, and never judged, wherever numbers are
read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import pytest

from iogate.errors import ExitCode
from iogate.gate.blocks import stand
from iogate.gate.judge import judge
from iogate.gate.more_repetitions import wants_more
from iogate.history.planning import host_noise
from iogate.model.comparison import Arm, Comparison
from iogate.model.measurement import Disturbance, Measurement, undisturbed
from iogate.model.plan import Case, Plan
from iogate.model.run import CaseFailure
from iogate.model.spec import Comparison as Compare
from iogate.model.spec import OnMissingBaseline, Repetitions, Threshold
from iogate.model.validity import Validity
from iogate.model.verdict import Outcome, RunVerdict
from iogate.run.blocks import Progress, _still_open
from iogate.run.measure import repetitions_of, times_disturbed
from support import samples as s

HOGS = Disturbance("cpu", 0.61, 0.1, "", "other processes used 61 % of the engine's CPUs")
NOTE = Disturbance("saturation", 1.0, 0.95, "", "the engine used all of its CPUs", counts=False)
OVER_100 = s.threshold(comparison=Compare.GREATER, value=100)
SLOWER = s.threshold(comparison=Compare.GREATER, value=-0.10, relative=True)
ARMS = Comparison(Arm("old"), Arm("new"), seed=1)


def spoiled(measurements: Iterable[Measurement], *numbers: int) -> list[Measurement]:
    """Those with these numbers were disturbed."""
    return [
        replace(m, disturbances=(HOGS,)) if m.repetition in numbers else m for m in measurements
    ]


def judged(measurements: Iterable[Measurement], **of_case: object) -> RunVerdict:
    case = replace(s.case(OVER_100), **{"repetitions": Repetitions(5, 5), **of_case})  # type: ignore[arg-type]
    return judge(s.plan(case), list(measurements), (), ())


def test_the_verdict_is_that_of_a_run_without_the_disturbed_repetition() -> None:
    calm = judged(s.repetitions([120] * 5))
    found = judged(spoiled(s.repetitions([120, 120, 70, 120, 120, 120]), 3))
    assert found.thresholds == calm.thresholds
    assert found.outcome is Outcome.PASS
    assert found.sentence == (
        "pass: the only limit holds; 1 repetition was disturbed (other processes used 61 % of"
        " the engine's CPUs) and does not count"
    )
    (seen,) = [o for o in found.observations if o.metric == "write.iops"]
    assert (seen.samples, seen.disturbed) == ((120.0,) * 5, (70.0,))


def test_what_does_not_count_takes_nothing_away() -> None:
    noted = [replace(m, disturbances=(NOTE,)) for m in s.repetitions([120] * 5)]
    assert judged(noted) == judged(s.repetitions([120] * 5))


def test_too_many_make_it_inconclusive_and_say_why() -> None:
    found = judged(spoiled(s.repetitions([120] * 8), 2, 3, 4, 5))
    assert found.outcome is Outcome.WARN  # as the spec's policy has it
    (threshold,) = found.thresholds
    assert threshold.outcome is Outcome.INCONCLUSIVE
    assert "4 of 8 repetitions were disturbed (other processes used 61 %" in threshold.reason
    assert "5 that were not are needed; stop what else runs there" in threshold.reason
    assert found.failed_cases == ()


def test_a_limit_that_is_broken_on_too_few_is_not_failed() -> None:
    found = judged(spoiled(s.repetitions([20] * 8), 2, 3, 4, 5))
    assert found.thresholds[0].outcome is Outcome.INCONCLUSIVE


def test_none_that_counts_is_no_failure_of_the_run() -> None:
    found = judged(spoiled(s.repetitions([120] * 2), 1, 2), repetitions=Repetitions(1, 1))
    assert found.failed_cases == ()
    assert found.thresholds[0].outcome is Outcome.INCONCLUSIVE
    assert "2 of 2 repetitions were disturbed" in found.thresholds[0].reason


def test_a_disturbed_repetition_of_the_baseline_is_not_compared_with() -> None:
    plan = s.plan(s.case(SLOWER))
    base = [s.run(f"b{n}", measurements=s.repetitions([100, 101, 99])) for n in range(4)]
    odd = [
        replace(run, measurements=tuple(spoiled((*run.measurements, *_extra(10.0)), 9)))
        for run in base
    ]
    calm = judge(plan, s.repetitions([100] * 3), (), base)
    assert judge(plan, s.repetitions([100] * 3), (), odd).thresholds == calm.thresholds


def _extra(value: float) -> tuple[Measurement, ...]:
    return (replace(s.repetitions([value])[0], repetition=9),)


def measured(plan: Plan, when: set[int]) -> list[int]:
    """The numbers of the repetitions of a run in which those of ``when`` are disturbed."""
    found: list[Measurement] = []

    def wanted(case: Case) -> bool:
        return wants_more(case, found, plan)

    for _, number in repetitions_of(plan, wanted, partial(times_disturbed, found)):
        one = replace(s.repetitions([120.0])[0], repetition=number)
        found += spoiled([one], *when)
    return [m.repetition for m in found]


@pytest.mark.parametrize(
    ("when", "count"), [(set(), 5), ({3}, 6), ({5}, 6), ({2, 6}, 7), (set(range(1, 20)), 8)]
)
def test_it_is_measured_again_up_to_a_limit(when: set[int], count: int) -> None:
    plan = s.plan(replace(s.case(OVER_100), repetitions=Repetitions(5, 5)))
    assert measured(plan, when) == list(range(1, count + 1))


def test_the_spec_says_how_often() -> None:
    plan = s.plan(replace(s.case(OVER_100), repetitions=Repetitions(5, 5)))
    assert len(measured(replace(plan, validity=Validity(again=0)), {1, 2})) == 5
    assert len(measured(replace(plan, validity=Validity(again=9)), set(range(1, 99)))) == 14


def blocks(base: list[float], candidate: list[float], **disturbed: set[int]) -> list[Measurement]:
    return [
        replace(
            one,
            arm=arm,
            block=block,
            repetition=2 * block - (arm == "old"),
            disturbances=(HOGS,) if block in disturbed.get(arm, ()) else (),
        )
        for arm, values in (("old", base), ("new", candidate))
        for block, one in enumerate(s.repetitions(values), start=1)
    ]


COMPARED = replace(s.plan(s.case(SLOWER)), comparison=ARMS)


@pytest.mark.parametrize("arm", ["old", "new"])
def test_a_disturbed_arm_takes_its_whole_block(arm: str) -> None:
    found = blocks([100.0] * 6, [100.0] * 5 + [10.0], **{arm: {6}})
    assert len(undisturbed(found)) == 10
    (one,) = stand(COMPARED, found)
    assert one.pairs.blocks == (1, 2, 3, 4, 5)
    verdict = judge(COMPARED, found, (), ())
    assert verdict.thresholds[0].outcome is Outcome.PASS
    assert "1 repetition was disturbed" in verdict.sentence


@pytest.mark.parametrize("arm", ["old", "new"])
def test_an_arm_that_failed_takes_its_whole_block(arm: str) -> None:
    found = blocks([100.0] * 6, [100.0] * 6)
    left = [m for m in found if (m.arm, m.block) != (arm, 6)]
    assert len(undisturbed(left)) == 10
    number = 11 if arm == "old" else 12
    again = CaseFailure(s.CASE_ID, number, "EIO", {"io": {"EIO": 1}}, again=True)
    verdict = judge(COMPARED, left, [again], ())
    assert (verdict.outcome, verdict.exit_code) == (Outcome.PASS, 0)
    which = "1 of old, 0 of new" if arm == "old" else "0 of old, 1 of new"
    assert f"the disk failed in 1 repetition ({which})" in verdict.sentence


def test_undecided_blocks_say_that_some_were_disturbed() -> None:
    found = blocks([100.0] * 4, [100.0] * 4, new={2, 3})
    reason = judge(COMPARED, found, (), ()).thresholds[0].reason
    assert "2 blocks were disturbed (other processes used 61 %" in reason


def test_a_comparison_goes_on_until_its_blocks_count_and_ends_when_too_many_do_not() -> None:
    rule = replace(ARMS, sequential=False, most_blocks=4)
    for count, spoiled_blocks, is_open in (
        (4, set(), False),
        (4, {2}, True),
        (5, {2}, False),
        (7, {1, 2, 3}, False),
        (6, {1, 2, 3}, True),
        (6, {1, 2, 3, 4}, False),
    ):
        found = blocks([100.0] * count, [100.0] * count, old=spoiled_blocks)
        plan = replace(COMPARED, comparison=rule)
        progress = Progress(found, open=frozenset({s.CASE_ID}))
        assert bool(_still_open(plan, stand(plan, found), progress)) is is_open


def test_noise_is_not_that_of_disturbed_repetitions() -> None:
    case = s.case(SLOWER)
    calm = s.run("a", measurements=s.repetitions([100, 101, 99, 100, 102]))
    found = spoiled((*calm.measurements, *_extra(10.0)), 9)
    odd = replace(calm, measurements=tuple(found))
    assert host_noise(s.plan(case), [odd]) == host_noise(s.plan(case), [calm])


def test_the_repetitions_of_a_run_are_those_that_count() -> None:
    run = s.run(measurements=tuple(spoiled(s.repetitions([1, 2, 3]), 2)))
    assert [m.repetition for m in run.measurements_of(s.CASE_ID)] == [1, 3]


def test_a_run_of_disturbed_repetitions_alone_says_that_none_counts() -> None:
    found = judged(spoiled(s.repetitions([120] * 5), 1, 2, 3, 4, 5))
    assert found.sentence.endswith("; every repetition was disturbed, so none counts")
    assert found.sentence.count(HOGS.text) == 1, "why is told once"


def test_a_run_without_limits_of_which_nothing_counts_is_no_pass() -> None:
    found = judged(spoiled(s.repetitions([120] * 3), 1, 2, 3), thresholds=())
    assert (found.outcome, found.exit_code) == (Outcome.INCONCLUSIVE, ExitCode.PASS)
    assert found.sentence == (
        "inconclusive: nothing is known of oltp/bs=4k: every repetition was disturbed (other"
        " processes used 61 % of the engine's CPUs); stop what else runs there, or raise the limits"
        " under validity:, and measure again"
    )
    assert judged(s.repetitions([120] * 3), thresholds=()).outcome is Outcome.PASS
    some = judged(spoiled(s.repetitions([120] * 3), 1, 2), thresholds=())
    assert some.outcome is Outcome.PASS


def test_such_a_run_blocks_where_the_spec_says_that_what_is_inconclusive_does() -> None:
    plan = replace(s.plan(s.case()), on_inconclusive=OnMissingBaseline.FAIL)
    found = judge(plan, spoiled(s.repetitions([120]), 1), (), ())
    assert (found.outcome, found.exit_code) == (Outcome.INCONCLUSIVE, ExitCode.INCONCLUSIVE)


def test_a_case_of_which_nothing_counts_is_no_part_of_a_pass() -> None:
    other = s.case(id="ff" * 8, name="other")
    plan = s.plan(replace(s.case(OVER_100), repetitions=Repetitions(1, 1)), other)
    calm = s.repetitions([120])
    odd = [replace(m, case_id=other.id) for m in spoiled(s.repetitions([120]), 1)]
    found = judge(plan, [*calm, *odd], (), ())
    assert found.outcome is Outcome.INCONCLUSIVE
    assert found.sentence.startswith("inconclusive: nothing is known of other: every repetition")
    assert judge(plan, [*s.repetitions([20]), *odd], (), ()).outcome is Outcome.FAIL


def test_a_comparison_without_limits_of_which_no_block_counts_is_no_pass() -> None:
    plan = replace(COMPARED, cases=(s.case(),))
    found = judge(plan, blocks([100.0] * 2, [100.0] * 2, new={1, 2}), (), ())
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "nothing is known of oltp/bs=4k: every block was disturbed (" in found.sentence


def test_disturbed_repetitions_that_break_the_limit_are_told_of() -> None:
    found = judged(spoiled(s.repetitions([120, 120, 70, 120, 60, 120, 120]), 3, 5))
    assert found.outcome is Outcome.PASS
    (told,) = found.cautions
    assert told == (
        "write.iops of oltp/bs=4k: 2 disturbed repetitions were 46 % slower than those that count,"
        " which fails its limit > 100; they are not judged: see whether what is tested caused it"
    )


@pytest.mark.parametrize(
    ("values", "limit"),
    [
        ([120, 119, 119, 120, 120, 120, 120], OVER_100),  # slower, and within the limit
        ([120, 130, 130, 120, 120, 120, 120], OVER_100),  # faster
        ([20, 10, 10, 20, 20, 20, 20], OVER_100),  # what counts breaks it, too
        ([120, 110, 110, 120, 120, 120, 120], SLOWER),  # 8 % of 10 %
    ],
)
def test_others_are_not(values: list[float], limit: Threshold) -> None:
    found = judged(spoiled(s.repetitions(values), 2, 3), thresholds=(limit,))
    assert found.cautions == ()


@pytest.mark.parametrize(
    ("count", "disturbed", "told"), [(7, 1, 0), (7, 2, 1), (20, 2, 1), (21, 2, 0), (21, 3, 1)]
)
def test_few_of_many_are_no_ground_to_tell_of(count: int, disturbed: int, told: int) -> None:
    values = [60.0] * disturbed + [120.0] * (count - disturbed)
    found = judged(spoiled(s.repetitions(values), *range(1, disturbed + 1)))
    assert found.outcome is Outcome.PASS
    assert len(found.cautions) == told


def test_a_limit_from_the_baseline_is_held_against_the_change_to_those_that_count() -> None:
    found = judged(spoiled(s.repetitions([120, 90, 90, 120, 120, 120]), 2, 3), thresholds=(SLOWER,))
    (told,) = found.cautions
    assert "2 disturbed repetitions were 25 % slower than those that count, which fails" in told
    later = replace(SLOWER, metric="write.clat.mean", limit=replace(SLOWER.limit, value=0.1))
    later = replace(later, limit=replace(later.limit, comparison=Compare.LESS))
    found = judged(
        spoiled(s.repetitions([120, 180, 180, 120, 120, 120]), 2, 3), thresholds=(later,)
    )
    assert "2 disturbed repetitions were 50 % slower" in found.cautions[0]


def test_what_is_no_rate_or_time_is_higher_and_not_slower() -> None:
    own = s.threshold("cpu.sys", Compare.LESS, 50.0)
    values = [replace(m, jobs=tuple(replace(j, sys_cpu_percent=40.0) for j in m.jobs))
              for m in s.repetitions([120] * 6)]  # fmt: skip
    hot = [replace(m, jobs=tuple(replace(j, sys_cpu_percent=60.0) for j in m.jobs))
           for m in values[:2]]  # fmt: skip
    (told,) = judged(spoiled([*hot, *values[2:]], 1, 2), thresholds=(own,)).cautions
    assert "2 disturbed repetitions were 50 % higher than those that count" in told
    free = s.threshold("cpu.sys", Compare.GREATER, 35.0)
    idle = [replace(m, jobs=tuple(replace(j, sys_cpu_percent=20.0) for j in m.jobs))
            for m in values[:2]]  # fmt: skip
    (told,) = judged(spoiled([*idle, *values[2:]], 1, 2), thresholds=(free,)).cautions
    assert "were 50 % lower than" in told


def test_nothing_is_told_where_there_is_nothing_to_hold_it_against() -> None:
    assert judged(spoiled(s.repetitions([70] * 5), 1, 2, 3, 4, 5)).cautions == ()


def test_an_arm_that_disturbs_itself_does_not_hide() -> None:
    candidate = [100.0] * 6 + [50.0] * 2
    found = judge(COMPARED, blocks([100.0] * 8, candidate, new={7, 8}), (), ())
    assert found.thresholds[0].outcome is Outcome.PASS
    (told,) = found.cautions
    assert "2 disturbed repetitions of new were 50 % slower" in told
    of_base = judge(COMPARED, blocks(candidate, [100.0] * 8, old={7, 8}), (), ())
    assert of_base.cautions == ()


def test_the_arm_that_is_left_of_a_block_was_not_disturbed_itself() -> None:
    found = blocks([100.0] * 8, [100.0] * 6 + [50.0] * 2, old={7}, new={8})
    assert judge(COMPARED, found, (), ()).cautions == (), "one of new, and one that was left"
    plan = replace(COMPARED, cases=(s.case(OVER_100),))
    none_left = judge(plan, blocks([120.0] * 3, [120.0] * 3, old={1, 2}, new={3}), (), ())
    assert none_left.thresholds[0].outcome is Outcome.INCONCLUSIVE
    reason = none_left.thresholds[0].reason
    assert "none of 3 blocks counts: 3 were disturbed (other processes used 61 %" in reason


def test_a_block_of_which_an_arm_failed_was_not_disturbed() -> None:
    plan = replace(COMPARED, cases=(s.case(OVER_100),))
    left = [m for m in blocks([120.0] * 2, [120.0] * 2, new={1}) if (m.arm, m.block) != ("old", 2)]
    again = CaseFailure(s.CASE_ID, 3, "EIO", {"io": {"EIO": 1}}, again=True)
    reason = judge(plan, left, [again], ()).thresholds[0].reason
    assert "none of 2 blocks counts: 1 was disturbed (other processes" in reason
    assert "), and of the other an arm failed; stop what else runs there" in reason


def canary(left: int) -> RunVerdict:
    """That of a canary without limits, of whose 10 blocks so many count."""
    rule = replace(ARMS, sequential=False, most_blocks=10, canary=True)
    plan = replace(COMPARED, comparison=rule, cases=(s.case(),))
    spoiled_blocks = set(range(left + 1, 11))
    return judge(plan, blocks([100.0] * 10, [100.0] * 10, new=spoiled_blocks), (), ())


def test_a_canary_of_which_too_few_blocks_are_left_is_no_pass() -> None:
    assert canary(4).outcome is Outcome.PASS
    found = canary(3)
    assert found.outcome is Outcome.INCONCLUSIVE
    assert found.sentence == (
        "inconclusive: too little is known of oltp/bs=4k: 3 of 10 blocks count, of which a canary"
        " needs 4; the others were disturbed (other processes used 61 % of the engine's CPUs);"
        " stop what else runs there, or raise the limits under validity:, and measure again"
    )
    assert "nothing is known of oltp/bs=4k: every block was disturbed" in canary(0).sentence
