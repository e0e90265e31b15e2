"""``vs case target=ext4 > -5%``: limits between the cases of one workload."""

from __future__ import annotations

import pytest

from iogate.errors import UsageError
from iogate.model.comparison import Arm
from iogate.spec.arms import make_sides
from support.specs import load, place, plan_of, problem

TEXT = """\
version: 1
targets: { ext4: { directory: /a }, xfs: { directory: /b } }
workloads:
  w:
    fio: { rw: write, size: 64m }
    strategy: { matrix: { target: [ext4, xfs], bs: [4k, 8k] } }
    thresholds: { write.iops: "vs case target=ext4 > -5%" }
"""


def limits(text: str) -> dict[str, list[dict[str, str]]]:
    """By case, the values that its limits name."""
    cases = plan_of(text).cases
    return {case.name: [dict(t.limit.case) for t in case.thresholds] for case in cases}


def test_the_case_that_others_are_compared_with_has_no_such_limit() -> None:
    assert limits(TEXT) == {
        "w/target=ext4,bs=4k": [],
        "w/target=ext4,bs=8k": [],
        "w/target=xfs,bs=4k": [{"target": "ext4"}],
        "w/target=xfs,bs=8k": [{"target": "ext4"}],
    }


def test_several_axes_may_be_named_and_values_are_what_they_mean() -> None:
    found = limits(TEXT.replace("target=ext4 >", "blocksize=4096, target=ext4 >"))
    wanted = {"target": "ext4", "bs": "4k"}
    assert found == {
        "w/target=ext4,bs=4k": [],
        "w/target=ext4,bs=8k": [wanted],
        "w/target=xfs,bs=4k": [wanted],
        "w/target=xfs,bs=8k": [wanted],
    }


def test_a_value_may_hold_a_comma() -> None:
    text = TEXT.replace("bs: [4k, 8k]", "bs: ['4k,8k', 8k]").replace("target=ext4 >", "bs=4k,8k >")
    assert limits(text)["w/target=xfs,bs=8k"] == [{"bs": "4k,8k"}]


def test_it_makes_no_other_case_of_it() -> None:
    bare = TEXT.partition("    thresholds")[0]
    assert [c.id for c in plan_of(TEXT).cases] == [c.id for c in plan_of(bare).cases]


def test_when_chooses_among_cases_and_one_without_the_other_is_passed_over() -> None:
    text = TEXT.replace(
        '"vs case target=ext4 > -5%"',
        "{ limit: vs case target=ext4 > -5%, when: { bs: 8k } }",
    )
    assert [name for name, found in limits(text).items() if found] == ["w/target=xfs,bs=8k"]
    alone = TEXT.replace("8k] }", "8k] }, exclude: [{ target: ext4, bs: 8k }]")
    assert [name for name, found in limits(alone).items() if found] == ["w/target=xfs,bs=4k"]


def test_it_is_no_limit_vs_baseline_and_cannot_be_pooled() -> None:
    text = TEXT + '    pooled: "vs case target=ext4 < +1%"\n'
    assert "only changes from the baseline can be pooled" in problem(text).what
    assert "nothing to pool" in problem(TEXT + '    pooled: "vs baseline < +1%"\n').what


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ("vs case tagret=ext4 > -5%", "'tagret' is no axis of the matrix did you mean 'target'?"),
        ("vs case rw=read > -5%", "'rw' is no axis of the matrix"),
        ("vs case target=ext > -5%", "no case has target=ext did you mean 'ext4'?"),
        ("vs case bs=3k > -5%", "no case has bs=3k bs is 4k or 8k"),
        ("vs case bs=4q > -5%", "4q"),
        ("vs case target=ext4,bs > -5%", "no case has target=ext4,bs"),
        ("vs case > -5%", "write vs case target=ext4"),
        ("vs case target=ext4 < +5%", "for being good"),
        ("vs case target=ext4 > -0%", "0%"),
        ("vs case target=ext4", "is not a limit"),
    ],
)
def test_mistakes_have_a_place(limit: str, says: str) -> None:
    error = problem(TEXT.replace("vs case target=ext4 > -5%", limit))
    assert place(error) == (7, 31)
    assert says in f"{error.what} {error.remedy}"


def test_a_limit_that_compares_nothing_is_a_mistake() -> None:
    one = TEXT.replace("[ext4, xfs]", "[ext4]")
    assert "no other case can be compared with target=ext4" in problem(one).what
    reads = TEXT.replace("bs: [4k, 8k]", "rw: [read, write]").replace("target=ext4 >", "rw=read >")
    assert "both have the metric" in problem(reads).remedy
    bare = TEXT.replace("    strategy", "    target: xfs\n    x-strategy")
    assert "this workload has none" in problem(bare).what


def test_an_override_that_leaves_nothing_to_compare_with_is_refused() -> None:
    text = TEXT.replace("target=ext4 >", "bs=8k >")
    with pytest.raises(UsageError) as caught:
        plan_of(text, overrides=["bs=4k"])
    assert caught.value.what.startswith("--set bs=4k: write.iops: no other case can be compared")


def test_a_comparison_of_arms_leaves_it_out() -> None:
    spec = load(TEXT.replace('"vs case target=ext4 > -5%"', '["vs case target=ext4 > -5%", "> 1"]'))
    sides = make_sides(spec, Arm("spec"), Arm("iodepth=2", ("iodepth=2",)), ())
    assert [[t.limit.text for t in case.thresholds] for case in sides.plan.cases] == [["> 1"]] * 4
