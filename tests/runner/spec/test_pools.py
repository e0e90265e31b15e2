"""The ``pooled`` key of a workload: what it puts together, and what it refuses."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.errors import SpecError
from iogate.model.plan import Plan
from iogate.model.pool import PoolMember, pool_id
from iogate.model.spec import Level
from iogate.model.units import Better
from iogate.spec import load_spec_text, make_plan
from iogate.spec.arms import find_arm, make_sides

SPEC = """\
version: 1
targets: {{ here: {{ directory: /tmp }} }}
workloads:
  rr:
    fio: {{ rw: randread, size: 4m }}
    strategy: {{ matrix: {{ bs: [4k, 16k], iodepth: [1, 2] }} }}
    thresholds:
      read.iops: ["vs baseline > -5%", "> 10"]
      read.clat.p50: {{ limit: "vs baseline < +5%", when: {{ bs: 4k }} }}
      errors: "< 1"
    pooled: {0}
compare: {{ arms: {{ other: {{ set: {{ norandommap: 1 }} }} }} }}
"""
ALL = '"vs baseline < +1%"'


def plan(pooled: str = ALL, *overrides: str) -> Plan:
    return make_plan(load_spec_text(SPEC.format(pooled), Path("p.yaml")), overrides=overrides)


def refusal(pooled: str) -> str:
    with pytest.raises(SpecError) as refused:
        plan(pooled)
    return str(refused.value)


def test_it_pools_all_limits_vs_baseline_of_a_workload() -> None:
    found = plan()
    (pool,) = found.pools
    assert (pool.name, pool.workload) == ("rr", "rr")
    names = found.names
    assert [(names[m.case_id], m.metric) for m in pool.members] == [
        ("rr/bs=4k,iodepth=1", "read.iops"),
        ("rr/bs=4k,iodepth=1", "read.clat.p50"),
        ("rr/bs=4k,iodepth=2", "read.iops"),
        ("rr/bs=4k,iodepth=2", "read.clat.p50"),
        ("rr/bs=16k,iodepth=1", "read.iops"),
        ("rr/bs=16k,iodepth=2", "read.iops"),
    ]
    assert {m.better for m in pool.members} == {Better.HIGH, Better.LOW}
    assert str(pool.threshold.where) == "p.yaml:11:13"
    assert names[pool.id] == "rr"


def test_it_pools_over_axes_named_metrics_and_chosen_cases() -> None:
    one, two = plan('{ limit: "vs baseline < +1%", over: [iodepth] }').pools
    assert (one.name, two.name) == ("rr/bs=4k", "rr/bs=16k")
    assert [m.metric for m in two.members] == ["read.iops", "read.iops"]
    (own,) = plan(
        '{ limit: "vs baseline < +1%", metrics: [read.lat.p90], when: { iodepth: 2 }, level: warn }'
    ).pools
    assert [m.metric for m in own.members] == ["read.lat.p90"] * 2
    assert own.threshold.level is Level.WARN
    assert own.name == "rr (read.lat.p90)"


def test_what_it_asks_of_the_engine_makes_no_other_case() -> None:
    with_pool = plan('{ limit: "vs baseline < +1%", metrics: [read.lat.p90] }')
    assert [case.id for case in with_pool.cases] == [case.id for case in plan().cases]
    assert with_pool.cases[0].jobs[0].options["lat_percentiles"] == "1"
    assert "lat_percentiles" not in plan().cases[0].jobs[0].options


@pytest.mark.parametrize(
    ("pooled", "place", "words"),
    [
        ('"vs baseline > -1%"', "p.yaml:11:13", "it says how much worse the members may get"),
        ('"< 3"', "p.yaml:11:13", "only changes from the baseline can be pooled"),
        ('"vs baseline < +0%"', "p.yaml:11:13", "a tolerance of 0%"),
        ('{ limit: "vs baseline < 1%" }', "p.yaml:11:22", "has no sign"),
        ('"quick"', "p.yaml:11:13", "is not a limit"),
        (
            '{ limit: "vs baseline < +1%", metrics: [errors] }',
            "p.yaml:11:53",
            "errors cannot be pooled",
        ),
        (
            '{ limit: "vs baseline < +1%", metrics: [read.iopz] }',
            "p.yaml:11:53",
            "no metric is named 'read.iopz'",
        ),
        (
            '{ limit: "vs baseline < +1%", metrics: [write.iops] }',
            "p.yaml:11:22",
            "write.iops cannot be pooled: none of the cases has it",
        ),
        (
            '{ limit: "vs baseline < +1%", over: [numjobs] }',
            "p.yaml:11:50",
            "numjobs is no axis of the matrix",
        ),
        ('{ limit: "vs baseline < +1%", when: { bs: 8k } }', "p.yaml:11:22", "no case has bs: 8k"),
        (
            '{ limit: "vs baseline < +1%", metrics: [read.iops], when: { bs: 4k, iodepth: 1 } }',
            "p.yaml:11:22",
            "nothing to pool",
        ),
        ('{ limit: "vs baseline < +1%", axis: bs }', "p.yaml:11:43", "unknown key 'axis'"),
        ("3", "p.yaml:11:13", "pooled is a limit such as 'vs baseline < +1%'"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(pooled: str, place: str, words: str) -> None:
    told = refusal(pooled)
    assert place in told
    assert words in told


def test_an_override_that_leaves_too_few_members_leaves_the_pool_out() -> None:
    rule = '{ limit: "vs baseline < +1%", metrics: [read.iops], over: [bs] }'
    assert len(plan(rule).pools) == 2
    assert plan(rule, "bs=8k").pools == ()


def test_some_of_the_cases_have_a_pool_of_their_own() -> None:
    whole = plan()
    some = whole.with_cases(whole.cases[:2])
    (pool,) = some.pools
    assert len(pool.members) == 4
    assert pool.id != whole.pools[0].id
    assert whole.with_cases(whole.cases[3:]).pools == ()


def test_in_a_comparison_members_are_the_pairs_of_cases() -> None:
    spec = load_spec_text(SPEC.format(ALL), Path("p.yaml"))
    sides = make_sides(spec, find_arm(spec, "spec", "base"), find_arm(spec, "other", "cand"), ())
    (pool,) = sides.plan.pools
    assert {m.case_id for m in pool.members} == {case.id for case in sides.plan.cases}
    assert pool.id == pool_id(pool.members)


@given(st.lists(st.tuples(st.text("abc"), st.text("xyz")), min_size=2, unique=True), st.randoms())
def test_the_id_is_that_of_the_members_in_any_order(
    pairs: list[tuple[str, str]], rng: random.Random
) -> None:
    members = [PoolMember(case, path, Better.LOW) for case, path in pairs]
    own = pool_id(members)
    rng.shuffle(members)
    assert pool_id(members) == own
    assert pool_id(members[1:]) != own
