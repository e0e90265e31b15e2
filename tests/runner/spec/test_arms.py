"""The section compare: arms, and the cases that each of them runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from iogate.cli.entry import run_command
from iogate.errors import ExitCode, SpecError, UsageError
from iogate.model.comparison import Arm
from iogate.model.spec import Spec
from iogate.spec import load_spec, make_plan
from iogate.spec.arms import canary_id, find_arm, make_sides

TEXT = """\
version: 1
targets: { here: { directory: auto }, there: { directory: /tmp } }
workloads:
  rr:
    target: here
    fio: { rw: randread, bs: 4k, size: 4m }
    strategy: { matrix: { iodepth: [1, 4] } }
    thresholds: { read.iops: "vs baseline > -5%" }
compare:
  candidate: big
  blocks: 12
  arms:
    big: { set: { bs: 16k, rr.numjobs: 2 } }
    moved: { targets: { here: there } }
    tool: { engine: /opt/engine, prepare: "sync" }
"""


def spec_of(folder: Path, text: str = TEXT) -> Spec:
    path = folder / "spec.yaml"
    path.write_text(text)
    return load_spec(path)


def test_arms_are_read(tmp_path: Path) -> None:
    rule = spec_of(tmp_path).compare
    assert (rule.base, rule.candidate, rule.blocks) == ("", "big", 12)
    assert rule.arms == (
        Arm("big", ("bs=16k", "rr.numjobs=2")),
        Arm("moved", targets={"here": "there"}),
        Arm("tool", engine="/opt/engine", prepare="sync"),
    )


def test_an_arm_by_name_by_default_or_by_what_it_changes(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    assert find_arm(spec, "", "base") == Arm("spec")
    assert find_arm(spec, "", "candidate").name == "big"
    assert find_arm(spec, "moved", "candidate").targets == {"here": "there"}
    typed = find_arm(spec, "bs=8k;engine=/x", "candidate")
    assert (typed.overrides, typed.engine) == (("bs=8k",), "/x")
    assert (typed.mkfs, typed.mount) == (None, None)
    made = find_arm(spec, "mkfs=-m reflink=0; mount=", "candidate")
    assert (made.mkfs, made.mount, made.overrides) == (("-m reflink=0",), (), ())
    booted = find_arm(spec, "kernel=6.1;module=./a.ko x=1 y=2", "candidate")
    assert (booted.kernel, booted.module, booted.parameters) == ("6.1", "./a.ko", ("x=1", "y=2"))
    with pytest.raises(UsageError, match="there is no arm 'bog'"):
        find_arm(spec, "bog", "candidate")
    with pytest.raises(UsageError, match="no arm is named as the candidate") as caught:
        find_arm(spec_of(tmp_path, TEXT.partition("compare:")[0]), "", "candidate")
    assert caught.value.remedy == "write changes such as iodepth=32"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("engine=", "--candidate engine=: engine has no value"),
        ("module= ", "--candidate module= : module has no value"),
        ("library=", "--candidate library=: library has no value"),
        ("mkfs=-m reflink=0", "arm mkfs=-m reflink=0: no workload is on a filesystem"),
        ("mount=", "arm mount=: no workload is on a filesystem"),
    ],
)
def test_an_arm_that_changes_nothing_is_refused(tmp_path: Path, text: str, says: str) -> None:
    spec = spec_of(tmp_path)
    with pytest.raises(UsageError) as caught:
        make_sides(spec, Arm("spec"), find_arm(spec, text, "candidate"), ())
    assert caught.value.what.startswith(says)


def test_each_side_has_its_own_options_and_both_share_the_ids(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    sides = make_sides(spec, Arm("spec"), find_arm(spec, "big", "candidate"), ("size=8m",))
    assert [case.jobs[0].options["bs"] for case in sides.base] == ["4k", "4k"]
    assert [case.jobs[0].options["bs"] for case in sides.candidate] == ["16k", "16k"]
    assert {case.jobs[0].options["size"] for case in (*sides.base, *sides.candidate)} == {"8m"}
    ids = [case.id for case in sides.plan.cases]
    assert ids == [case.id for case in sides.base] == [case.id for case in sides.candidate]
    moved = make_sides(spec, Arm("spec"), find_arm(spec, "moved", "candidate"), ())
    assert [case.target.name for case in moved.candidate] == ["there", "there"]


def test_a_comparison_is_never_mixed_up_with_nights_or_other_arms(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    arms = [Arm("spec"), *spec.compare.arms, Arm("other", engine="/y")]
    seen = [make_sides(spec, arms[0], arm, ()).plan.cases[0].id for arm in arms]
    night = make_sides(spec, arms[0], arms[0], ()).base[0]
    assert len(set(seen)) == len(arms)
    plain = spec_of(tmp_path)
    assert night.id not in {case.id for case in make_plan(plain).cases}
    assert seen[0] == canary_id(make_plan(plain).cases[0])


def test_an_arm_may_not_change_the_matrix(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has 2 cases and arm iodepth=1 1"):
        make_sides(spec_of(tmp_path), Arm("spec"), Arm("iodepth=1", ("iodepth=1",)), ())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("here: there }", "here: nowhere }"), "there is no target 'nowhere'"),
        (("candidate: big", "candidate: bug"), "candidate: there is no arm 'bug'"),
        (("blocks: 12", "blocks: 2"), "blocks"),
        (("set: {", "sett: {"), "unknown key 'sett'"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    with pytest.raises(SpecError) as caught:
        spec_of(tmp_path, TEXT.replace(*change))
    assert says in "".join(str(error) for error in (caught.value, *caught.value.others))


@pytest.mark.parametrize(
    ("name", "says"),
    [("writes", "arm writes: rw=write: "), ("rw=write", "arm rw=write: ")],
)
def test_an_arm_that_takes_a_limit_its_metric_is_named(
    tmp_path: Path, name: str, says: str
) -> None:
    spec = spec_of(tmp_path, TEXT + "    writes: { set: { rw: write } }\n")
    arms = find_arm(spec, "spec", "base"), find_arm(spec, name, "candidate")
    with pytest.raises(UsageError) as caught:
        make_sides(spec, *arms, ())
    assert caught.value.what.startswith(f"{says}read.iops cannot exist")


SETUP = """\
version: 1
targets:
  raw: { device: /dev/x, destroy: { serial: S } }
  fs: { filesystem: { on: raw, type: xfs, mount: [noatime] } }
  other: { filesystem: { on: raw, type: ext4 } }
environment: { block: { scheduler: none, nr_requests: 64 }, drop_caches: before-run }
workloads: { w: { target: fs, fio: { rw: randwrite, size: 4m } } }
compare:
  arms:
    queue: { environment: { block: { scheduler: mq-deadline }, drop_caches: never } }
    made: { mkfs: [-m, reflink=0], mount: [] }
    ext: { targets: { fs: other } }
    wrong: { mkfs: [-O, bigalloc] }
"""


def test_arms_lie_over_the_settings_and_filesystems_of_the_spec(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, SETUP)
    base, arms = Arm("spec"), {arm.name: arm for arm in spec.compare.arms}
    queue = make_sides(spec, base, arms["queue"], ())
    settings = [case.environment for case in (*queue.base, *queue.candidate)]
    assert [one.block if one else None for one in settings] == [
        {"scheduler": "none", "nr_requests": "64"},
        {"scheduler": "mq-deadline", "nr_requests": "64"},
    ]
    assert [one.drops_caches for one in settings if one] == [True, False]
    made = make_sides(spec, base, arms["made"], ())
    targets = [case.target for case in (*made.base, *made.candidate)]
    assert [(one.name, one.mkfs, one.mount) for one in targets] == [
        ("fs", (), ("noatime",)),
        ("fs@made", ("-m", "reflink=0"), ()),
    ]
    ext = make_sides(spec, base, arms["ext"], ())
    assert [case.target.fs_type for case in (*ext.base, *ext.candidate)] == ["xfs", "ext4"]
    ids = {sides.plan.cases[0].id for sides in (queue, made, ext)}
    assert len(ids) == 3


def test_an_arm_s_mkfs_has_to_fit_the_filesystem(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, SETUP)
    with pytest.raises(UsageError, match=r"arm wrong: mkfs\.xfs is not given '-O'"):
        make_sides(spec, Arm("spec"), find_arm(spec, "wrong", "candidate"), ())


def test_an_arm_may_be_a_module_or_a_library(tmp_path: Path) -> None:
    section = """compare:
  arms:
    old: { module: ./old.ko }
    new: { module: { file: ./new.ko, parameters: { nr: 2, mode: fast } } }
    same: { module: ./old.ko, kernel: "6.1" }
    other: { library: ./lib.so }
"""
    spec = spec_of(tmp_path, TEXT.partition("compare:")[0] + section)
    old, new, same, other = spec.compare.arms
    assert (other.library, other.boots) == ("./lib.so", False)
    assert (old.module, old.parameters, old.boots) == ("./old.ko", (), True)
    assert (new.module, new.parameters) == ("./new.ko", ("nr=2", "mode=fast"))
    assert (same.module, same.kernel) == ("./old.ko", "6.1")
    arms = (new, same, other)
    ids = [make_sides(spec, old, arm, ()).plan.cases[0].id for arm in arms]
    ids.append(make_sides(spec, old, replace(new, parameters=()), ()).plan.cases[0].id)
    assert len(set(ids)) == len(ids)


KERNELS = TEXT.replace("    tool:", '    new: { kernel: "6.12" }\n    tool:')


def test_repetitions_a_boot_are_for_arms_that_boot(tmp_path: Path) -> None:
    booted = KERNELS.replace("candidate: big", "candidate: new\n  per_boot: 3")
    rule = spec_of(tmp_path, booted).compare
    assert (rule.per_boot, rule.boots) == (3, True)
    unnamed = spec_of(tmp_path, KERNELS.replace("candidate: big", "per_boot: 3"))
    assert unnamed.compare.per_boot == 3, "a kernel may be named on the command line"
    with pytest.raises(SpecError, match="neither arm is a kernel or a module") as told:
        spec_of(tmp_path, KERNELS.replace("candidate: big", "candidate: big\n  per_boot: 3"))
    assert told.value.where is not None
    assert told.value.where.line == TEXT.splitlines().index("compare:") + 3
    assert "a further block" in told.value.remedy
    assert (
        spec_of(tmp_path, KERNELS.replace("  blocks", "  per_boot: 1\n  blocks")).compare.blocks
        == 12
    )


@pytest.mark.parametrize("wrong", ["0", "101", "2.5", "many", "[3]"])
def test_how_often_a_boot_measures_is_a_number_of_repetitions(tmp_path: Path, wrong: str) -> None:
    text = KERNELS.replace("candidate: big", f"candidate: new\n  per_boot: {wrong}")
    with pytest.raises(SpecError, match="per_boot"):
        spec_of(tmp_path, text)


TWINS = """\
version: 1
targets: { ext4: { directory: /mnt/a }, xfs: { directory: /mnt/b } }
workloads:
  log:
    fio: { size: 64m }
    strategy: { matrix: { target: [ext4, xfs] } }
compare: { arms: { x: { targets: { ext4: xfs } }, f: { set: { fdp: 1 } } } }
"""


def test_what_only_an_arm_makes_wrong_is_told_with_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = spec_of(tmp_path, TWINS)
    with pytest.raises(SpecError) as caught:
        make_sides(spec, Arm("spec"), find_arm(spec, "x", "candidate"), ())
    twins = "cases log/target=ext4 and log/target=xfs do the same I/O on the same target"
    assert caught.value.what == f"arm x: {twins}"
    assert run_command(["validate", str(tmp_path / "spec.yaml")]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert f"spec.yaml:4:3: arm x: {twins}" in said
    assert "arm f: workload 'log': fio has fdp" in said


def test_what_is_wrong_without_an_arm_is_told_once_and_without_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = TWINS.replace("{ targets: { ext4: xfs } }", "{ set: { bs: 8k } }")
    text = text.replace("size: 64m", "size: 64m, plids: 1").replace("fdp: 1", "bs: 16k")
    (tmp_path / "spec.yaml").write_text(text)
    assert run_command(["validate", str(tmp_path / "spec.yaml")]) == ExitCode.USAGE
    assert capsys.readouterr().err.count("fio has plids") == 1


@pytest.mark.parametrize("text", ["targets=x", "targets.ext4=xfs", "bs=8k; environment=x"])
def test_what_only_an_arm_of_the_spec_can_change_is_sent_there(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="cannot be written here") as caught:
        find_arm(spec_of(tmp_path), text, "candidate")
    assert "compare: { arms: { NAME: { " in caught.value.remedy
