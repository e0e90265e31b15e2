"""Matrices over mkfs, mount and settings of the host."""

from __future__ import annotations

import pytest

from iogate.errors import RefusedError, UsageError
from iogate.model.comparison import Arm
from iogate.model.plan import Case
from iogate.spec import needs_trust, require_trust
from iogate.spec.arms import make_sides
from support.specs import load, place, plan_of, problem

HEAD = """\
version: 1
targets:
  raw: { device: /dev/disk/by-id/nvme-X, destroy: { serial: "0123" } }
  ext4: { filesystem: { on: raw, type: ext4, mkfs: [-b, 4096], mount: [noatime] } }
  xfs: { filesystem: { on: raw, type: xfs } }
environment: { block: { nr_requests: 64 }, sysctl: { vm.dirty_ratio: 20 } }
workloads:
  w:
    target: ext4
    fio: { rw: write, size: 64m }
"""


def text(matrix: str, more: str = "") -> str:
    """A workload with this strategy; it stands in line 11."""
    return f"{HEAD}    strategy: {{ {matrix} }}\n{more}"


def cases(matrix: str, more: str = "") -> tuple[Case, ...]:
    return plan_of(text(matrix, more)).cases


def only(case: Case) -> str:
    """Its point alone."""
    return case.name.removeprefix("w/")


def test_a_filesystem_is_made_and_mounted_as_the_case_says() -> None:
    found = cases("matrix: { mkfs: [default, [-O, ^has_journal]], mount: [[noatime], [lazytime]] }")
    assert [(only(c), c.target.mkfs, c.target.mount) for c in found] == [
        ("mkfs=default,mount=noatime", (), ("noatime",)),
        ("mkfs=default,mount=lazytime", (), ("lazytime",)),
        ("mkfs=-O ^has_journal,mount=noatime", ("-O", "^has_journal"), ("noatime",)),
        ("mkfs=-O ^has_journal,mount=lazytime", ("-O", "^has_journal"), ("lazytime",)),
    ]
    names = [case.target.name for case in found]
    assert len(set(names)) == 4, "each is made anew when its turn comes"


def test_a_case_has_the_id_of_a_target_that_is_made_like_that() -> None:
    found = cases("matrix: { mkfs: [[-b, 4096], [-O, ^has_journal]], mount: [[noatime], []] }")
    bare = HEAD.partition("    strategy")[0]
    assert found[0].id == plan_of(bare).cases[0].id
    assert found[0].target.name == "ext4"
    other = bare.replace("mkfs: [-b, 4096], mount: [noatime]", "mkfs: [-O, ^has_journal]")
    assert found[3].id == plan_of(other).cases[0].id
    assert len({case.id for case in found}) == 4


def test_settings_are_laid_over_those_of_the_spec() -> None:
    found = cases(
        "matrix: { environment.block.scheduler: [none, bfq], environment.cpu.turbo: [false],"
        " environment.sysctl.vm.dirty_ratio: [5, 20] }"
    )
    assert [only(case) for case in found][1] == (
        "environment.block.scheduler=none,environment.cpu.turbo=false,"
        "environment.sysctl.vm.dirty_ratio=20"
    )
    second = found[1].environment
    assert second
    assert second.block == {"nr_requests": "64", "scheduler": "none"}
    assert (second.turbo, second.sysctl) == (False, {"vm.dirty_ratio": "20"})
    written = HEAD.replace("nr_requests: 64", "nr_requests: 64, scheduler: none").replace(
        "environment: {", "environment: { cpu: { turbo: false },"
    )
    assert found[1].id == plan_of(written).cases[0].id
    assert found[1].jobs[0].options == {"rw": "write", "size": "64m"}


def test_they_need_trust_as_any_setting_does() -> None:
    bare = text("matrix: { environment.drop_caches: [never, before-case] }").replace(
        "environment: {", "x-environment: {"
    )
    plan = plan_of(bare.replace("target: ext4", "target: dir").replace(
        "targets:\n", "targets:\n  dir: { directory: /tmp }\n"
    ))  # fmt: skip
    assert needs_trust(plan) == ("environment.drop_caches",)
    with pytest.raises(RefusedError, match=r"environment\.drop_caches"):
        require_trust(plan, trusted=False)


def test_limits_name_them_as_they_are_written() -> None:
    limits = (
        '    thresholds: { write.iops: [ "vs case mkfs=-O ^has_journal,bigalloc > -5%",'
        ' { limit: "> 1", when: { mkfs: [-b, 1024] } },'
        ' "vs case environment.block.scheduler=none > -5%" ] }\n'
    )
    matrix = (
        "matrix: { mkfs: [[-O, '^has_journal,bigalloc'], [-b, 1024]],"
        " environment.block.scheduler: [none, bfq] }"
    )
    found = [[dict(t.limit.case) for t in case.thresholds] for case in cases(matrix, limits)]
    mkfs, scheduler = {"mkfs": "-O ^has_journal,bigalloc"}, {"environment.block.scheduler": "none"}
    assert found == [[], [scheduler], [mkfs, {}], [mkfs, {}, scheduler]]


def test_a_limit_may_name_arguments_with_commas_and_another_axis_after_them() -> None:
    limit = "vs case mkfs=-E stride=2,stripe_width=4,mount=noatime > -5%"
    limits = f"    thresholds: {{ write.iops: '{limit}' }}\n"
    matrix = (
        "matrix: { mkfs: [default, [-E, 'stride=2,stripe_width=4']], mount: [default, [noatime]] }"
    )
    named = {"mkfs": "-E stride=2,stripe_width=4", "mount": "noatime"}
    found = [[dict(t.limit.case) for t in case.thresholds] for case in cases(matrix, limits)]
    assert found == [[named], [named], [named], []]


def test_combinations_that_a_filesystem_does_not_take_are_left_out_or_told() -> None:
    both = text("matrix: { target: [ext4, xfs], mkfs: [[-O, quota], [-m, reflink=0]] }").replace(
        "    target: ext4\n", ""
    )
    told = problem(both)
    assert "case w/target=ext4,mkfs=-m reflink=0: mkfs.ext4 -m 'reflink=0'" in told.what or (
        "w/target=xfs,mkfs=-O quota: mkfs.xfs is not given '-O'" in told.what
    )
    assert "exclude" in told.remedy


def test_an_arm_cannot_change_what_is_an_axis() -> None:
    spec = load(text("matrix: { mount: [default, [noatime]] }"))
    with pytest.raises(UsageError, match="arm a: mount is an axis of workload 'w'"):
        make_sides(spec, Arm("spec"), Arm("a", mount=("lazytime",)), ())
    assert make_sides(spec, Arm("spec"), Arm("a", mkfs=("-j",)), ()).candidate[1].target.mkfs


@pytest.mark.parametrize(
    ("matrix", "column", "says"),
    [
        ("mkfs: [[-q]]", 34, "mkfs.ext4 is not given '-q' by a spec"),
        ("mkfs: [[-J, device=/dev/sda]]", 34, "may name something beside the device"),
        ("mount: [[noatime], [loop]]", 46, "is not mounted with 'loop' by a spec"),
        ("mkfs: [-j]", 34, None),
        ("mkfs: -j", 33, "list"),
        ("environment.cpu.governer: [x]", 27, "did you mean 'governor'"),
        ("environment.cpu.turbo: [yes]", 51, "turbo is true or false, not 'yes'"),
        ("environment.drop_caches: [now]", 53, "drop_caches is"),
        ("environment.block.scheduler: ['a;b']", 57, "cannot be a setting"),
        ("environment.block.UP: [1]", 50, "is no attribute of a request queue"),
        ("environment.sysctl.kernel.core_pattern: ['x']", 68, "is not set by a spec"),
        ("environment.require.quiet: [true]", 27, "no setting that can vary"),
        ("environment.io: [1]", 27, "no setting that can vary"),
    ],
)
def test_mistakes_have_a_place(matrix: str, column: int, says: str | None) -> None:
    whole = text(f"matrix: {{ {matrix} }}")
    if says is None:
        assert len(plan_of(whole).cases) == 1
        return
    error = problem(whole)
    assert says in f"{error.what} {error.remedy}"
    assert place(error) == (11, column)


def test_only_a_filesystem_can_be_made_otherwise() -> None:
    error = problem(text("matrix: { mount: [[noatime]] }").replace("target: ext4", "target: raw"))
    assert "mount varies, and target 'raw' is a device" in error.what
    assert place(error) == (11, 27)


def test_a_job_may_not_be_named_as_a_section() -> None:
    whole = text("matrix: { environment.block.bs: [4k] }").replace(
        "    fio:", "    jobs: { environment.block: {} }\n    fio:"
    )
    assert "may be an option of a job, and a setting of the host" in problem(whole).what
    plain = text("matrix: { environment.bs: [4k] }").replace(
        "    fio:", "    jobs: { environment: {} }\n    fio:"
    )
    assert plan_of(plain).cases[0].jobs[0].options["bs"] == "4k"


def test_arguments_that_contradict_a_journal_on_a_device_of_its_own_are_refused() -> None:
    whole = text("matrix: { mkfs: [default, [-O, ^has_journal]] }").replace(
        "type: ext4,", "type: ext4, journal: other,"
    )
    whole = whole.replace(
        "  xfs:", '  other: { device: /dev/disk/by-id/nvme-Y, destroy: { serial: "1" } }\n  xfs:'
    )
    error = problem(whole)
    assert "journal: names the journal's device" in error.what
    assert place(error) == (12, 43)
