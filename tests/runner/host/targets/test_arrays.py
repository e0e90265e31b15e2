"""Arrays: who may be a member, and how one is taken apart whatever became of its run. What mdadm
really makes is measured in a machine of its own (``tests/e2e/test_kernels.py``)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from iogate.errors import Location, RefusedError, RunError
from iogate.host.devices import arrays
from iogate.host.settings.entries import Assembled
from iogate.host.settings.journal import Journal, restore_left, unrestored
from iogate.host.settings.journals import own_journals
from iogate.host.targets.check import Use, check_targets, prepared, resolved
from iogate.host.targets.footing import Footing
from iogate.host.targets.places import place_of
from iogate.host.targets.volumes import Volumes
from iogate.model.array import PART, Array
from iogate.model.spec import Beside, Destroy, Target, TargetKind
from support.devices import image_of, loop_device, mounted, needs_root, sh
from support.md import WithArrays

pytestmark = needs_root
OURS, THEIRS = "12345678-1234-8234-8234-123456789012", "c7de23df-9ce7-736e-3ebf-3c1c678ce21a"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(arrays, "_PATIENCE_S", 0.0)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def devices(tmp_path: Path) -> Iterator[list[str]]:
    with ExitStack() as stack:
        yield [stack.enter_context(loop_device(tmp_path, mib)) for mib in (16, 17)]


def array_of(devices: list[str], *, destroy: bool = True) -> Target:
    """A mirror."""
    first, other = (Destroy(backing=image_of(device)) for device in devices)
    return Target(
        "m", TargetKind.ARRAY, on="a", device=devices[0], destroy=first, array=Array("raid1"),
        beside=(Beside(PART, "b", devices[1], other if destroy else None),),
        where=Location("a.yaml", 3, 5),
    )  # fmt: skip


def refused(sut: WithArrays, target: Target, *, needed: int = 0) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        check_targets(sut, [Use(target, writes=True, bytes_needed=needed)])
    assert caught.value.where == target.where
    return caught.value


def test_each_member_is_behind_the_doors_of_a_device(devices: list[str], tmp_path: Path) -> None:
    sut, target = WithArrays(), array_of(devices)
    check_targets(sut, [Use(target, writes=True)])
    assert "does not allow it" in refused(sut, array_of(devices, destroy=False)).what
    twice = array_of([devices[0], devices[0]])
    assert "share their blocks" in refused(sut, twice).what
    sut.assemble("md3", THEIRS, [devices[1]])
    assert f"{devices[1]} is part of /dev/md3" in refused(sut, target).what
    sut.running.clear()
    sh("mkfs.ext4", "-q", "-F", devices[1])
    assert f"{devices[1]} holds ext4" in refused(sut, target).what
    with mounted(devices[1], tmp_path / "theirs"):
        assert f"{devices[1]} is mounted at" in refused(sut, target).what


def test_what_this_host_cannot_make_is_told_before(devices: list[str]) -> None:
    target = array_of(devices)
    missing = refused(WithArrays(installed=False), target)
    assert (missing.what, missing.remedy) == (
        "target m: mdadm is not installed",
        "install it: mdadm",
    )
    assert "16.0 MiB" in refused(WithArrays(), target, needed=17 << 20).what


def test_an_array_gets_a_node_that_nobody_has(devices: list[str]) -> None:
    sut, use = WithArrays(), Use(array_of(devices), writes=True)
    sut.assemble("md200", THEIRS, [])
    with prepared(sut, [use], "t") as places:
        assert places["m"].path == "/dev/md201"


def test_one_that_somebody_mounts_meanwhile_is_not_written(
    devices: list[str], tmp_path: Path
) -> None:
    """A loop device stands for what mdadm has made."""
    sut, use = WithArrays(), Use(array_of(devices), writes=True)
    with loop_device(tmp_path, 18) as made:
        footing = Footing(sut, resolved(sut, [use]), {"m": place_of(sut, made)})
        footing.arrive(use.target, made=True)
        sh("mkfs.ext4", "-q", "-F", made)
        taken = pytest.raises(RefusedError, match=f"{made} is in use since")
        with mounted(made, tmp_path / "theirs"), taken:
            footing.arrive(use.target, made=False)


def test_it_is_noted_before_it_is_made_and_wiped_when_making_fails(devices: list[str]) -> None:
    sut, target = WithArrays(), array_of(devices)
    journal = Journal(sut, "run")
    volumes = Volumes(sut, journal, {"m": "/dev/md200"}, keep_blocks=False)
    with pytest.raises(RunError, match=r"target m: mdadm --create .* RUN_ARRAY failed") as caught:
        volumes.ready(target, "c", anew=False)
    assert "modules: [raid1]" in caught.value.remedy
    (entry,) = journal.entries
    assert isinstance(entry, Assembled)
    assert sut.superblocks == dict.fromkeys(devices, entry.uuid)
    journal.undo()
    assert not sut.superblocks
    assert not own_journals(sut)


def test_what_is_left_of_one_that_failed_is_taken_apart_at_its_next_turn(
    devices: list[str],
) -> None:
    """udev may assemble it meanwhile: it is nobody else's for that."""
    sut, target = WithArrays(busy={"md127"}), array_of(devices)
    volumes = Volumes(sut, Journal(sut, "run"), {"m": "/dev/md200"}, keep_blocks=False)
    with pytest.raises(RunError, match="RUN_ARRAY failed"):
        volumes.ready(target, "c", anew=False)
    sut.assemble("md127", sut.superblocks[devices[0]], devices)
    with pytest.raises(RunError, match="Cannot get exclusive access to /dev/md127"):
        volumes.ready(target, "c", anew=False)
    sut.busy.clear()
    with pytest.raises(RunError, match="RUN_ARRAY failed"):
        volumes.ready(target, "c", anew=False)
    assert not sut.running


@pytest.mark.parametrize("name", ["md200", "md127"])
def test_one_that_a_killed_run_left_is_taken_apart_whatever_its_name(
    devices: list[str], name: str
) -> None:
    """udev may have assembled it again."""
    sut = WithArrays(superblocks=dict.fromkeys(devices, OURS))
    Journal(sut, "run").note(Assembled(OURS, tuple(devices)))
    sut.assemble(name, OURS, devices)
    (left,) = unrestored(sut)
    assert left.entry == Assembled(OURS, tuple(devices))
    assert f"run run was killed: the array /dev/{name} is stopped" in restore_left(sut)
    assert not sut.running
    assert not sut.superblocks
    assert not own_journals(sut)


def test_nothing_is_done_where_the_run_was_killed_before_it_made_one(devices: list[str]) -> None:
    """Nor to what somebody made there since."""
    sut = WithArrays(superblocks=dict.fromkeys(devices, THEIRS))
    sut.assemble("md0", THEIRS, devices)
    Journal(sut, "run").note(Assembled(OURS, tuple(devices)))
    assert restore_left(sut) == ()
    assert list(sut.running) == ["md0"]
    assert sut.superblocks == dict.fromkeys(devices, THEIRS)
    assert {call[0] for call in sut.ran} == {"--examine"}


def test_one_in_use_stays_noted_and_is_tried_again(devices: list[str]) -> None:
    sut = WithArrays(superblocks=dict.fromkeys(devices, OURS), busy={"md200"})
    sut.assemble("md200", OURS, devices)
    Journal(sut, "run").note(Assembled(OURS, tuple(devices)))
    told: list[str] = []
    assert restore_left(sut, told.append) == ()
    assert "Cannot get exclusive access to /dev/md200" in told[0]
    assert sut.superblocks, "an array that runs lost its superblocks"
    sut.busy.clear()
    assert restore_left(sut)
    assert not sut.superblocks


def test_a_reboot_does_not_take_an_array_apart(devices: list[str]) -> None:
    """Its members may have other names afterwards."""
    sut = WithArrays(superblocks=dict.fromkeys(devices, OURS))
    Journal(sut, "run").note(Assembled(OURS, (devices[0], "/dev/gone")))
    (path,) = own_journals(sut)
    header, *rest = Path(path).read_text().splitlines()
    text = json.dumps({**json.loads(header), "boot": "an earlier one"})
    Path(path).write_text("\n".join([text, *rest, ""]))
    sut.assemble("md127", OURS, devices)
    said = restore_left(sut)
    assert "killed by a reboot" in said[0]
    assert not sut.running
    assert not sut.superblocks


@pytest.mark.parametrize(
    "entry",
    [
        {"array": OURS, "members": ["/etc/passwd"]},
        {"array": OURS, "members": ["/dev/../etc/passwd"]},
        {"array": "", "members": ["/dev/sda"]},
    ],
)
def test_a_journal_that_names_no_array_is_not_followed(entry: dict[str, object]) -> None:
    sut = WithArrays()
    Journal(sut, "run").note(Assembled(OURS, ()))
    (path,) = own_journals(sut)
    header = Path(path).read_text().splitlines()[0]
    Path(path).write_text(f"{header}\n{json.dumps(entry)}\n")
    with pytest.raises(RefusedError, match="cannot be read as a journal"):
        restore_left(sut)
    Path(path).unlink()
