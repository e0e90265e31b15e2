"""Arrays of devices, as a spec says them."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.cli.entry import run_command
from iogate.errors import RefusedError
from iogate.model.document import plan_from_document, to_document
from iogate.model.filesystem import JOURNAL
from iogate.model.spec import TargetKind
from iogate.spec.trust import needs_trust, require_trust
from support.specs import load, plan_of, problem

SPEC = """\
version: 1
targets:
  a: { device: /dev/sdx, destroy: { serial: X } }
  b: { device: /dev/sdy, destroy: { serial: Y } }
  c: { device: /dev/sdz, destroy: { serial: Z } }
  d: { device: /dev/sdw }
  m: { array: { %s } }
  fs: { filesystem: { %s } }
workloads:
  w: { target: fs, fio: { rw: write, size: 1m } }
"""
ON_ARRAY = "on: m, type: ext4"


def test_each_member_arrives_with_its_own_permission() -> None:
    targets = load(SPEC % ("on: [b, a, d], level: raid5, chunk: 64k", ON_ARRAY)).targets
    for name, kind in (("m", TargetKind.ARRAY), ("fs", TargetKind.FILESYSTEM)):
        target = targets[name]
        assert target.kind is kind
        paths = [(part.path, part.destroy and part.destroy.serial) for part in target.made_on]
        assert paths == [("/dev/sdy", "Y"), ("/dev/sdx", "X"), ("/dev/sdw", None)]
        assert str(target.array) == "raid5, chunks of 64 KiB"
        assert target.roles == ()


def test_a_filesystem_on_an_array_may_have_its_journal_elsewhere() -> None:
    target = load(SPEC % ("on: [a, b], level: raid1", f"{ON_ARRAY}, journal: c")).targets["fs"]
    assert [part.name for part in target.made_on] == ["a", "b", "c"]
    assert target.roles == (JOURNAL,)


def test_an_array_of_another_kind_or_of_other_devices_is_another_case() -> None:
    arrays = [
        "on: [a, b], level: raid0",
        "on: [b, a], level: raid0",
        "on: [a, b], level: raid1",
        "on: [a, b], level: raid1, bitmap: internal",
        "on: [a, b, c], level: raid0",
        "on: [a, b], level: raid0, chunk: 64k",
    ]
    filesystems = [plan_of(SPEC % (array, ON_ARRAY)) for array in arrays]
    raw = [
        plan_of((SPEC % (array, ON_ARRAY)).replace("target: fs", "target: m")) for array in arrays
    ]
    plain = plan_of(SPEC % (arrays[0], "on: a, type: ext4"))
    ids = [plan.cases[0].id for plan in (*filesystems, *raw, plain)]
    assert len(set(ids)) == len(ids)
    said = plan_of(SPEC % ("on: [a, b], level: raid0, chunk: 512k, bitmap: none", ON_ARRAY))
    assert said.cases[0].id == ids[0], "what is usual was said"
    for plan in (filesystems[3], raw[5]):
        assert plan_from_document(to_document(plan)) == plan


def test_a_dry_run_says_what_is_made_of_which_devices(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "a.yaml"
    spec.write_text(SPEC % ("on: [a, b], level: raid0", f"{ON_ARRAY}, journal: c"))
    run_command(["run", str(spec), "--dry-run", "--trust"])
    assert (
        "target fs: MAKES a filesystem, ext4, on an array, raid0, chunks of 512 KiB, of /dev/sdx "
        "and /dev/sdy, and on /dev/sdz, and loses what is on them"
    ) in capsys.readouterr().out


def test_arrays_are_an_axis_and_need_trust() -> None:
    text = (SPEC % ("on: [a, b], level: raid0", ON_ARRAY)).replace(
        "target: fs, fio: { rw: write, size: 1m }",
        "fio: { rw: write, size: 1m }, strategy: { matrix: { target: [m, fs, a] } }",
    )
    plan = plan_of(text)
    assert [case.name for case in plan.cases] == ["w/target=m", "w/target=fs", "w/target=a"]
    assert needs_trust(plan) == ("targets.m.array", "targets.fs.filesystem")
    with pytest.raises(RefusedError, match=r"changes this host: targets\.m\.array"):
        require_trust(plan, trusted=False)


@pytest.mark.parametrize(
    ("says", "line", "what"),
    [
        ("on: [a, b], level: raid4", 7, "iogate makes no array of level 'raid4'"),
        ("on: [a, b], level: raid5", 7, "raid5 has at least 3 devices, not 2"),
        ("on: [a, b, c], level: raid6", 7, "raid6 has at least 4 devices, not 3"),
        ("on: [a], level: raid0", 7, "on"),
        ("on: [a, a], level: raid0", 7, "target 'a' would be two devices of one array"),
        ("on: [a, fs], level: raid0", 7, "is made on 'fs', which is not a device"),
        ("on: [a, m], level: raid0", 7, "is made on 'm', which is not a device"),
        ("on: [a, x], level: raid0", 7, "is made on 'x', which does not exist"),
        ("on: [a, b], level: raid1, chunk: 64k", 7, "raid1 has no chunks"),
        ("on: [a, b], level: raid0, chunk: 0", 7, "a chunk is a power of two"),
        ("on: [a, b], level: raid0, chunk: 48k", 7, "a chunk is a power of two"),
        ("on: [a, b], level: raid0, chunk: --x", 7, "chunk is a number of bytes"),
        ("on: [a, b], level: raid0, bitmap: internal", 7, "raid0 has no bitmap"),
        ("on: [a, b], level: raid1, bitmap: /etc/x", 7, "bitmap"),
        ("on: [a, b], level: raid0, mdadm: [--force]", 7, "mdadm"),
    ],
)
def test_what_cannot_be_made_is_said_with_its_place(says: str, line: int, what: str) -> None:
    error = problem(SPEC % (says, "on: a, type: ext4"))
    assert what in error.what
    assert error.where is not None
    assert error.where.line == line


@pytest.mark.parametrize(
    "says",
    ["on: [m, c], type: btrfs", "on: [c, m], type: btrfs", "on: c, journal: m, type: ext4"],
)
def test_an_array_is_the_only_device_that_files_are_on(says: str) -> None:
    error = problem(SPEC % ("on: [a, b], level: raid0", says))
    assert "is made on 'm', which is not a device" in error.what
    assert error.where is not None
    assert error.where.line == 8
