"""Several repetitions a boot: to a verdict a boot is one value, whatever it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from iogate.gate.arm_runs import sds_of
from iogate.gate.judge import judge
from iogate.model.comparison import Arm, Comparison, repetition_of
from iogate.model.measurement import Disturbance, Measurement, undisturbed
from iogate.model.plan import Plan
from iogate.model.spec import Comparison as Compare
from iogate.model.spec import Threshold
from iogate.model.verdict import Outcome, ThresholdVerdict
from support import samples as s

FASTER = s.threshold(comparison=Compare.GREATER, value=-0.02, relative=True)
ABSOLUTE = s.threshold(comparison=Compare.GREATER, value=990.0)
ERRORS = s.threshold("errors", Compare.LESS, 1.0)
PER_BOOT = 3
RULE = Comparison(Arm("old", kernel="1"), Arm("new", kernel="2"), seed=1, per_boot=PER_BOOT)
HOGS = Disturbance("cpu", 0.61, 0.1, "%", "other processes used 61 % of the engine's CPUs")

Boots = Sequence[Sequence[float]]


def measured(old: Boots, new: Boots, per_boot: int = PER_BOOT) -> list[Measurement]:
    """A boot of each arm a block, in which the case gives these values."""
    return [
        replace(
            one, arm=arm, block=block, repetition=repetition_of(block, place, n, per_boot=per_boot)
        )
        for place, (arm, boots) in enumerate((("old", old), ("new", new)))
        for block, values in enumerate(boots, start=1)
        for n, one in enumerate(s.repetitions(values), start=1)
    ]


def plan(*thresholds: Threshold, per_boot: int = PER_BOOT) -> Plan:
    return replace(s.plan(s.case(*thresholds)), comparison=replace(RULE, per_boot=per_boot))


def boots(seed: int, n: int, *, level: float = 1000.0, between: float = 0.01) -> list[list[float]]:
    """Boots that differ, and repetitions that hardly do."""
    rng = np.random.default_rng(seed)
    middles = rng.normal(0, between, (n, 1))
    each = level * np.exp(middles + rng.normal(0, 0.001, (n, PER_BOOT)))
    return [[float(value) for value in row] for row in each]


def one(old: Boots, new: Boots, limit: Threshold = FASTER) -> ThresholdVerdict:
    return judge(plan(limit), measured(old, new), (), ()).thresholds[0]


def means(values: Boots) -> list[list[float]]:
    return [[sum(value / len(boot) for value in boot)] for boot in values]


def each_alone(values: Boots) -> list[list[float]]:
    return [[value] for boot in values for value in boot]


def test_boots_are_judged_as_their_means_would_be_alone() -> None:
    old, new = boots(1, 10), boots(2, 10, level=960)
    found = one(old, new)
    alone = judge(
        plan(FASTER, per_boot=1), measured(means(old), means(new), per_boot=1), (), ()
    ).thresholds[0]
    assert found.outcome is alone.outcome is Outcome.FAIL
    assert found.blocks == alone.blocks == 10
    assert found.decision == alone.decision
    assert found.samples == pytest.approx(alone.samples)
    assert found.baseline_samples == pytest.approx(alone.baseline_samples)


def test_what_a_boot_is_made_of_is_kept() -> None:
    old, new = boots(1, 4), boots(2, 4)
    found = one(old, new)
    assert found.repetitions == tuple(map(tuple, new))
    assert found.baseline_repetitions == tuple(map(tuple, old))
    single = judge(plan(FASTER, per_boot=1), measured(means(old), means(new), 1), (), ())
    assert single.thresholds[0].repetitions == ()


def test_repetitions_of_a_boot_are_no_blocks() -> None:
    """Six boots that differ by 3 %: each taken for three blocks they would be sure of a regression
    that is none."""
    old, new = boots(1, 6, between=0.03), boots(2, 6, level=975, between=0.03)
    assert one(old, new).outcome is Outcome.INCONCLUSIVE
    apart = measured(each_alone(old), each_alone(new), per_boot=1)
    wrong = judge(plan(FASTER, per_boot=1), apart, (), ())
    assert wrong.outcome is Outcome.FAIL


def test_a_boot_of_which_one_repetition_has_no_value_has_no_ratio() -> None:
    old, new = boots(1, 6), boots(2, 6)
    new[2][1] = float("nan")
    found = one(old, new)
    assert found.blocks == 5
    assert "1 block has no ratio" in found.reason


def test_a_boot_that_was_cut_short_or_disturbed_does_not_count() -> None:
    found = measured(boots(1, 3), boots(2, 3))
    assert len(undisturbed(found)) == 18
    killed = [m for m in found if m.repetition != 18]
    assert {m.block for m in undisturbed(killed)} == {1, 2}
    odd = [replace(m, disturbances=(HOGS,)) if m.repetition == 2 else m for m in found]
    assert {m.block for m in undisturbed(odd)} == {2, 3}


def test_an_absolute_limit_counts_boots() -> None:
    found = one(boots(1, 4), boots(2, 4), ABSOLUTE)
    assert len(found.samples) == 4
    assert found.point, "twelve repetitions would have been enough to decide"
    assert "median of 4 boots" in found.reason
    kept = s.threshold(comparison=Compare.GREATER, value=900.0)
    assert one(boots(1, 12), boots(2, 12), kept).outcome is Outcome.PASS


def test_an_error_in_one_repetition_of_a_boot_is_not_averaged_away() -> None:
    found = measured(boots(1, 3), boots(2, 3))
    broken = next(m for m in found if (m.arm, m.block) == ("new", 2))
    job = replace(broken.jobs[0], errors={"EIO": 1})
    found[found.index(broken)] = replace(broken, jobs=(job,))
    verdict = judge(plan(ERRORS), found, (), ()).thresholds[0]
    assert verdict.outcome is Outcome.FAIL
    assert verdict.value == 1
    assert "block 2, new, repetition 1 of 3" in verdict.reason
    assert len(verdict.samples) == 9, "of every repetition"
    assert verdict.repetitions == ()


def test_a_place_and_a_repetition_name_each_other() -> None:
    places = [RULE.place_of(n) for n in range(1, 13)]
    assert [*map(str, places[3:5])] == [
        "block 1, new, repetition 1 of 3", "block 1, new, repetition 2 of 3",
    ]  # fmt: skip
    assert [(p.block, p.index) for p in places] == [
        (block, arm) for block in (1, 2) for arm in (0, 1) for _ in range(3)
    ]
    back = [repetition_of(p.block, p.index, p.turn, per_boot=PER_BOOT) for p in places]
    assert back == list(range(1, 13))


def test_what_went_wrong_once_in_a_boot_does_not_vanish_in_a_ratio() -> None:
    """Half as many errors again, all in one repetition of each boot: their median is the same."""
    worse = s.threshold("errors", Compare.LESS, 0.1, relative=True)
    found = [
        replace(m, jobs=(replace(m.jobs[0], errors={"EIO": 6 if odd else 2}),))
        for m in measured(boots(1, 8), boots(2, 8))
        for odd in [m.arm == "new" and m.repetition % PER_BOOT == 1]
    ]
    verdict = judge(plan(worse), found, (), ()).thresholds[0]
    assert verdict.samples == pytest.approx([10 / 3] * 8)
    assert verdict.outcome is Outcome.FAIL


def test_how_much_boots_and_their_repetitions_differ_is_told() -> None:
    found = one(boots(1, 28, between=0.03), boots(2, 28, level=500, between=0.03))
    assert found.boot_sd == pytest.approx(0.03, rel=0.3), "the change is no noise"
    assert found.repetition_sd == pytest.approx(0.001, rel=0.3)
    alike = one(boots(1, 28, between=0.0), boots(2, 28, between=0.0))
    assert alike.boot_sd == pytest.approx(0.0, abs=0.0004)
    assert one(boots(1, 1), boots(2, 1)).boot_sd is None
    assert sds_of([[(0.0, 1.0)] * 3] * 2) is None, "zero has no logarithm"
