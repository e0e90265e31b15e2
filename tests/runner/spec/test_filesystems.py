"""Filesystems over several devices, as a spec says them."""

from __future__ import annotations

import pytest

from iogate.model.document import plan_from_document, to_document
from support.specs import load, plan_of, problem

DEVICES = """\
version: 1
targets:
  a: { device: /dev/sdx, destroy: { serial: X } }
  b: { device: /dev/sdy, destroy: { serial: Y } }
  c: { device: /dev/sdz }
  f: { file: /x }
  fs: { filesystem: { %s } }
workloads:
  w: { target: fs, fio: { rw: write, size: 1m } }
"""


@pytest.mark.parametrize(
    ("says", "beside"),
    [
        ("on: [a, b], type: btrfs, mkfs: [-d, raid0]", [("member", "b", "/dev/sdy", "Y")]),
        ("on: a, journal: b, type: ext4", [("journal", "b", "/dev/sdy", "Y")]),
        ("on: a, log: b, realtime: c, type: xfs",
         [("log", "b", "/dev/sdy", "Y"), ("realtime", "c", "/dev/sdz", None)]),
        ("on: [a], type: ext4", []),
    ],
)  # fmt: skip
def test_each_device_arrives_with_its_own_permission(
    says: str, beside: list[tuple[str, str, str, str | None]]
) -> None:
    target = load(DEVICES % says).targets["fs"]
    assert (target.on, target.device) == ("a", "/dev/sdx")
    assert target.destroy is not None
    assert target.destroy.serial == "X"
    found = [(b.role, b.on, b.device, b.destroy and b.destroy.serial) for b in target.beside]
    assert found == beside
    assert [each.path for each in target.made_on] == ["/dev/sdx", *(each[2] for each in beside)]


@pytest.mark.parametrize(
    ("says", "what"),
    [
        ("on: [a, b], type: xfs", "a filesystem of type xfs is on one device"),
        ("on: a, log: b, type: ext4", "a filesystem of type ext4 has no log beside it"),
        ("on: [a, a], type: btrfs", "target 'a' would be two devices"),
        ("on: a, journal: a, type: ext4", "target 'a' would be two devices"),
        ("on: a, journal: f, type: ext4", "made on 'f', which is not a device"),
        ("on: a, journal: d, type: ext4", "made on 'd', which does not exist"),
        ("on: [], type: btrfs", "on"),
        ("on: a, journal: b, type: ext4, mkfs: [-J, size=8]", "mkfs says something else"),
        ("on: a, type: xfs, mkfs: [-l, logdev=sdy]", "may name something beside the device"),
        ("on: a, type: xfs, mount: [logdev=/dev/sdy]", "is not mounted with"),
    ],
)
def test_what_cannot_be_made_is_said_with_its_place(says: str, what: str) -> None:
    error = problem(DEVICES % says)
    assert what in error.what
    assert error.where is not None
    assert error.where.line == 7


def test_a_case_is_another_on_other_devices() -> None:
    says = ["on: a, type: ext4", "on: a, journal: b, type: ext4", "on: a, journal: c, type: ext4"]
    plans = [plan_of(DEVICES % each) for each in says]
    assert len({plan.cases[0].id for plan in plans}) == len(says)
    assert plan_from_document(to_document(plans[1])) == plans[1]
