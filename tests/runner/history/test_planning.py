"""What a number of blocks can see, from the noise that is kept."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from iogate.cli.prospect_table import prospect_table, thin_lines
from iogate.history.planning import block_seconds, free, host_noise, prospects
from iogate.model.comparison import Arm, Comparison
from iogate.model.run import Run
from iogate.model.spec import Comparison as Compare
from iogate.model.verdict import HostNoise, NoiseSource
from iogate.spec.arms import canary_id
from iogate.stats.boundary import Rules, boundary_for
from support import samples as s

LIMIT = s.threshold(comparison=Compare.GREATER, value=-0.05, relative=True)
CASE = s.case(LIMIT)
PLAN = s.plan(CASE)


def canary(*values: float, started_ns: int = 1) -> Run:
    rule = Comparison(Arm("A"), Arm("B"), seed=0, canary=True)
    plan = replace(PLAN, cases=(replace(CASE, id=canary_id(CASE)),), comparison=rule)
    measured = s.repetitions(values, case_id=canary_id(CASE))
    return s.run("canary", the_plan=plan, measurements=measured, started_ns=started_ns)


def noise_of(*runs: Run, blocks: tuple[int, ...] = (10,)) -> HostNoise | None:
    return prospects(PLAN, runs, blocks, Rules())[0].noise


def test_without_noise_nothing_is_promised() -> None:
    assert noise_of() is None
    assert noise_of(canary(1, 2, 3)) is None
    assert host_noise(PLAN, [canary(1, 2, 3)]) == ()


def test_more_blocks_see_less_and_more_noise_needs_more() -> None:
    quiet = noise_of(canary(100, 101, 99, 100, 102), blocks=(6, 28))
    loud = noise_of(canary(100, 110, 90, 100, 120), blocks=(6, 28))
    assert quiet is not None
    assert loud is not None
    (_, few), (_, many) = [(v.blocks, v.change or math.nan) for v in quiet.visible]
    assert few < many < 0
    assert (loud.visible[1].change or math.nan) < many
    assert quiet.blocks_for_limit is not None
    assert loud.blocks_for_limit is not None
    assert quiet.blocks_for_limit < loud.blocks_for_limit


def test_a_quantile_that_is_too_thin_is_no_prospect() -> None:
    thin = s.threshold("write.clat.p99", Compare.LESS, 0.05, relative=True)
    plan = s.plan(s.case(LIMIT, thin))
    measured = tuple(
        s.measurement(
            s.job(
                write=s.direction(clat=s.latency([round((1000 + n) * 1.02**k) for k in range(300)]))
            ),
            repetition=n,
        )
        for n in range(1, 6)
    )
    run = s.run(the_plan=plan, measurements=measured)
    enough, found = prospects(plan, [run], (10,), Rules())
    assert enough.thin is None
    assert found.noise is not None
    assert found.thin is not None
    assert found.thin < 1
    _, row, last = prospect_table([enough, found], (10,)).splitlines()
    assert row.endswith(" blocks")
    assert last.endswith("times the I/Os (too few)")
    assert last.split()[-7] == "–", "what cannot be compared sees nothing"
    (line,) = thin_lines([enough, found])
    assert "write.clat.p99 of oltp/bs=4k" in line
    assert "too few I/Os (about 300 in a run): " in line
    assert "1.2 % is a quarter of the limit: run longer" in line
    (_, alone) = prospects(plan, [replace(run, measurements=measured[:1])], (10,), Rules())
    assert alone.noise is None
    assert thin_lines([alone]), "one run without noise tells it, too"


def test_two_arms_that_differ_say_nothing_of_noise() -> None:
    rule = Comparison(Arm("A"), Arm("B"), seed=0)
    plan = replace(PLAN, comparison=rule)
    measured = s.repetitions([1, 9, 1, 9, 5])
    assert noise_of(s.run("ab", the_plan=plan, measurements=measured)) is None


def test_a_comparison_finds_the_canary_of_its_spec_by_the_cases_name() -> None:
    compared = replace(PLAN, cases=(replace(CASE, id="f" * 16),))
    (found,) = host_noise(compared, [canary(100, 101, 99, 100)])
    assert (found.case_id, found.source, found.run) == ("f" * 16, NoiseSource.CANARY, "canary")
    assert [each.blocks for each in found.visible] == [6, 10, 20, 28]


def test_a_canary_is_believed_before_a_newer_run() -> None:
    run = s.run("new", measurements=s.repetitions([1, 9, 1, 9, 5]), started_ns=10**15)
    found = noise_of(run, canary(100, 101, 99, 100))
    assert found is not None
    assert found.source is NoiseSource.CANARY
    alone = noise_of(run)
    assert alone is not None
    assert alone.source is NoiseSource.HISTORY
    assert alone.sd == pytest.approx(1.1, abs=0.2)


def test_a_block_is_two_runs_of_each_case() -> None:
    assert block_seconds(PLAN, [canary(1, 1, 1, 1)]) == pytest.approx(4.0)
    assert block_seconds(PLAN, [canary(1, 1, 1, 1)], per_boot=3) == pytest.approx(12.0)


def run_of(name: str, *values: float, started_ns: int) -> Run:
    return s.run(name, measurements=s.repetitions(values), started_ns=started_ns)


def test_repetitions_of_several_runs_count_together() -> None:
    runs = [run_of(f"r{n}", level, level * 1.1, started_ns=n) for n, level in enumerate((1, 5, 9))]
    found = noise_of(*runs)
    assert found is not None
    assert found.sd == pytest.approx(math.log(1.1) / math.sqrt(2)), "levels are no noise"
    assert (found.run, found.runs, found.source) == ("r2", 6, NoiseSource.HISTORY)
    assert noise_of(*runs[:2]) is None
    assert free(PLAN, CASE, LIMIT, runs[:2]) == 2
    assert noise_of(*(run_of(f"s{n}", n, started_ns=n) for n in range(1, 9))) is None


def test_a_run_with_repetitions_enough_is_taken_alone() -> None:
    enough = run_of("enough", 100, 101, 99, 100, started_ns=1)
    found = noise_of(enough, run_of("few", 1, 9, started_ns=2), run_of("two", 1, 9, started_ns=3))
    assert found is not None
    assert (found.run, found.runs) == ("enough", 4)


def test_a_case_that_was_renamed_has_the_noise_of_its_former_name() -> None:
    before = replace(CASE, id="0123456789abcdef", name="before/bs=4k")
    measured = s.repetitions([100, 101, 99, 100, 102], case_id=before.id)
    run = s.run("old", the_plan=s.plan(before), measurements=measured)
    for name in (before.name, before.id):
        renamed = s.plan(replace(CASE, aka=(name,)))
        (noise,) = host_noise(renamed, [run])
        assert noise.run == "old"
    assert host_noise(PLAN, [run]) == ()


def test_the_words_of_what_would_be_needed_rest_on_two_quantiles() -> None:
    """Four of five comparisons: a regression at all, and one past its limit."""
    boundary = boundary_for(4)
    at_all = ((boundary.constant + 0.84) * 0.03 / 0.02) ** 2
    assert boundary.blocks_to_fail(0.02, 0.03) == math.ceil(at_all)
    past = ((boundary.limit_constant + 0.84) * 0.03 / 0.005) ** 2
    assert boundary.blocks_to_fail(0.02, 0.03, limit=0.015) == math.ceil(past)
    assert boundary.blocks_to_fail(0.0, 0.03) == 10_000


def test_a_pass_needs_blocks_that_see_several_times_its_limit() -> None:
    boundary = boundary_for(4)
    vouches = ((boundary.constant + 0.84) * 0.03 / 0.06) ** 2
    assert boundary.blocks_to_pass(0.02, 0.03) == math.ceil(vouches)
    wide = ((boundary.limit_constant + 0.84) * 0.03 / 0.02) ** 2
    strict = boundary_for(4, Rules(sees=1.5))
    assert strict.blocks_to_pass(0.02, 0.03) == math.ceil(wide)
