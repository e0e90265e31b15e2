"""One workload on several targets: ``matrix: { target: [ext4, xfs] }``."""

from __future__ import annotations

import pytest

from iogate.errors import UsageError
from iogate.model.comparison import Arm
from iogate.spec.arms import make_sides
from support.specs import load, place, plan_of, problem

HEAD = """\
version: 1
targets:
  raw: { device: /dev/disk/by-id/nvme-X, destroy: { serial: "0123" } }
  ext4: { filesystem: { on: raw, type: ext4 } }
  xfs: { filesystem: { on: raw, type: xfs } }
  tmp: { directory: /tmp }
workloads:
"""


def spec(*lines: str) -> str:
    """A spec with these workloads; they begin in line 8."""
    return HEAD + "".join(f"  {line}\n" for line in lines)


BOTH = spec(
    "w:",
    "  fio: { rw: write, size: 64m }",
    "  strategy: { matrix: { target: [ext4, xfs], bs: [4k, 8k] } }",
    "  thresholds: { write.iops: [ '> 5', { limit: '> 9', when: { target: xfs } } ] }",
    "  pooled: { limit: 'vs baseline < +1%', over: [target], metrics: [write.iops] }",
    "  chart: { x: bs, y: iops, series: target }",
)


def single(target: str) -> str:
    """The same workload with ``target:``."""
    return (
        BOTH.replace("[ext4, xfs]", f"[{target}]")
        .replace("fio:", f"target: {target}\n    fio:", 1)
        .replace(f"target: [{target}], ", "")
        .replace("{ limit: '> 9', when: { target: xfs } }", "'> 9'")
        .replace("over: [target]", "over: [bs]")
        .replace(", series: target", "")
    )


def test_a_case_for_each_target_named_after_it() -> None:
    cases = plan_of(BOTH).cases
    assert [case.name for case in cases] == [
        "w/target=ext4,bs=4k",
        "w/target=ext4,bs=8k",
        "w/target=xfs,bs=4k",
        "w/target=xfs,bs=8k",
    ]
    assert [case.target.name for case in cases] == ["ext4", "ext4", "xfs", "xfs"]
    assert cases[0].jobs[0].options == {"rw": "write", "size": "64m", "bs": "4k"}


def test_the_history_of_a_workload_on_one_target_goes_on() -> None:
    ids = [case.id for case in plan_of(BOTH).cases]
    was = [case.id for target in ("ext4", "xfs") for case in plan_of(single(target)).cases]
    assert ids == was


def test_limits_pools_and_charts_know_the_axis() -> None:
    plan = plan_of(BOTH)
    assert [len(case.thresholds) for case in plan.cases] == [1, 1, 2, 2]
    assert [pool.name for pool in plan.pools] == ["w/bs=4k (write.iops)", "w/bs=8k (write.iops)"]
    assert plan.cases[0].chart["series"] == "target"


def test_points_may_be_left_out_and_added() -> None:
    text = BOTH.replace(
        "bs: [4k, 8k] }",
        "bs: [4k, 8k] }, exclude: [{ target: xfs, bs: 8k }], include: [{ target: tmp, bs: 64k }]",
    )
    assert [case.name for case in plan_of(text).cases] == [
        "w/target=ext4,bs=4k",
        "w/target=ext4,bs=8k",
        "w/target=xfs,bs=4k",
        "w/target=tmp,bs=64k",
    ]
    listed = spec(
        "w:",
        "  fio: { rw: write, size: 64m }",
        "  strategy: { include: [{ target: ext4, bs: 4k }, { target: tmp, bs: 8k }] }",
    )
    assert [case.target.name for case in plan_of(listed).cases] == ["ext4", "tmp"]


def test_an_arm_puts_another_target_in_the_place_of_one_in_the_matrix() -> None:
    moved = Arm("moved", targets={"ext4": "tmp"})
    sides = make_sides(load(BOTH), Arm("spec"), moved, ())
    assert [case.target.name for case in sides.base] == ["ext4", "ext4", "xfs", "xfs"]
    assert [case.target.name for case in sides.candidate] == ["tmp", "tmp", "xfs", "xfs"]
    assert [case.name for case in sides.candidate] == [case.name for case in sides.base]


@pytest.mark.parametrize(
    ("change", "where", "says"),
    [
        (("[ext4, xfs]", "[ext4, xfss]"), (10, 42), "did you mean 'xfs'"),
        (("  fio:", "  target: xfs\n    fio:"), (9, 5), "keep target: here"),
        (("[4k, 8k] }", "[4k, 8k] }, exclude: [{ target: btrfs }]"), (10, 84), "no target 'btrfs'"),
        (("[4k, 8k] }", "[4k, 8k] }, include: [{ target: ext }]"), (10, 84), "'ext4'"),
        (("[4k, 8k] }", "[4k, 8k] }, include: [{ bs: 1m }]"), (8, 3), "case w/bs=1m has no target"),
        (("[ext4, xfs]", "ext4"), (10, 35), "list"),
        (("when: { target: xfs }", "when: { target: xsf }"), (11, 49), "no case has target: xsf"),
        (("over: [target]", "over: [targt]"), (12, 50), "target"),
        (("series: target", "series: targets"), (13, 38), "target"),
        (("rw: write,", "rw: write, filename: out/../../x,"), (9, 23), "not in target 'ext4'"),
    ],
)
def test_mistakes_have_a_place(change: tuple[str, str], where: tuple[int, int], says: str) -> None:
    error = problem(BOTH.replace(*change, 1))
    assert place(error) == where
    assert says in f"{error.what} {error.remedy}"


@pytest.mark.parametrize("key", ["target", "w.target", "mkfs", "environment.cpu.governor"])
def test_an_override_does_not_set_what_is_no_option_and_says_what_does(key: str) -> None:
    with pytest.raises(UsageError) as caught:
        plan_of(BOTH, overrides=[f"{key}=xfs"])
    assert caught.value.what == f"--set {key}=xfs: {key.removeprefix('w.')} is no option of a job"
    assert caught.value.remedy.endswith(f"--case '*{key.removeprefix('w.')}=VALUE*'")


def test_a_workload_that_names_no_target_is_told_once() -> None:
    text = spec("w:", "  fio: { rw: write, size: 64m }")
    assert "names no target" in problem(text).what


def test_a_name_of_a_file_that_not_every_target_has_is_refused() -> None:
    text = HEAD.replace("/tmp }", "/tmp }\n  one: { file: x }") + (
        "  w:\n    fio: { rw: read, size: 1m, filename: x }\n"
        "    strategy: { matrix: { target: [one, tmp] } }\n"
    )
    assert "means one thing on one target" in problem(text).what
