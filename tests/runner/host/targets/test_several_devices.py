"""Filesystems over several real loop devices: each of them is behind the same doors."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import pytest

from iogate.errors import Location, RefusedError
from iogate.host.devices.block_devices import find_device
from iogate.host.devices.mountable import unmountable
from iogate.host.devices.mounts import mount_of
from iogate.host.devices.own_stack import own_stack
from iogate.host.devices.signatures import foreign, stamp
from iogate.host.facts import target_facts
from iogate.host.locks.device_locks import used_devices
from iogate.host.settings.journal import Journal
from iogate.host.stage import devices_of
from iogate.host.targets.check import Use, check_targets, overwritten, prepared, resolved
from iogate.host.targets.footing import Footing
from iogate.host.targets.volumes import Volumes
from iogate.host.validity.disks import target_disks
from iogate.model.filesystem import JOURNAL, LOG, MEMBER, mkfs_argv
from iogate.model.spec import Beside, Destroy, Target, TargetKind
from iogate.sut.local import LocalSut
from support.devices import (
    image_of,
    loop_device,
    mounted,
    needs_root,
    own_loop_device,
    partition,
    reattach,
    sh,
)

pytestmark = needs_root
WHERE = Location("a.yaml", 3, 5)
KINDS = [("ext4", JOURNAL), ("xfs", LOG), ("btrfs", MEMBER)]


@pytest.fixture
def devices(tmp_path: Path) -> Iterator[list[str]]:
    with ExitStack() as stack:
        yield [stack.enter_context(loop_device(tmp_path, mib)) for mib in (320, 336)]


def allowed(device: str, *holds: str) -> Destroy:
    return Destroy(backing=image_of(device), holds=holds)


def filesystem(devices: list[str], kind: tuple[str, str], *, destroy: bool = True) -> Target:
    first, other = devices
    permission = allowed(other) if destroy else None
    return Target(
        "fs", TargetKind.FILESYSTEM, on="a", fs_type=kind[0], where=WHERE, device=first,
        destroy=allowed(first), beside=(Beside(kind[1], "b", other, permission),),
    )  # fmt: skip


class Ground:
    """The volumes of one run, with a place to mount at."""

    def __init__(self, sut: LocalSut, point: Path, target: Target) -> None:
        self.sut, self.target, self.point = sut, target, point
        point.mkdir(exist_ok=True)
        self.journal = Journal(sut, "run")
        kin = overwritten(sut, [Use(target, writes=True)])
        places = {target.name: str(point)}
        self.volumes = Volumes(sut, self.journal, places, keep_blocks=False, kin=kin)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.journal.undo()

    def ready(self, *, anew: bool = True) -> Path:
        self.volumes.ready(self.target, "c", anew=anew)
        return self.point


def signatures(device: str) -> str:
    return sh("wipefs", "--no-act", "--noheadings", "--output", "TYPE", device)


@pytest.mark.parametrize("kind", KINDS)
def test_all_devices_are_used_and_known_again_by_the_next_run(
    sut: LocalSut, tmp_path: Path, devices: list[str], kind: tuple[str, str]
) -> None:
    target = filesystem(devices, kind)
    for _ in range(2):
        check_targets(sut, [Use(target, writes=False)])
        with Ground(sut, tmp_path / "mnt", target) as ground:
            for _ in range(2):
                (ground.ready() / "file").write_text("x")
            found = mount_of(sut, str(ground.point))
            assert found is not None
            assert found.fs_type == kind[0]
            for device in devices:
                assert sut.open_exclusive(device), f"{device} is not part of it"
        for device in devices:
            assert not sut.open_exclusive(device)
            assert signatures(device)


@pytest.mark.parametrize("kind", KINDS)
def test_what_somebody_has_put_on_the_other_device_is_kept(
    sut: LocalSut, tmp_path: Path, devices: list[str], kind: tuple[str, str]
) -> None:
    target = filesystem(devices, kind)
    with Ground(sut, tmp_path / "mnt", target) as ground:
        sh("mkfs.ext4", "-q", "-F", devices[1])
        for check in (ground.ready, lambda: check_targets(sut, [Use(target, writes=False)])):
            with pytest.raises(RefusedError, match=f"{devices[1]} holds ext4") as caught:
                check()
            assert caught.value.where == WHERE
        theirs = pytest.raises(RefusedError, match=f"{devices[1]} is mounted at")
        with mounted(devices[1], tmp_path / "theirs"), theirs:
            ground.ready()
    assert signatures(devices[1]) == "ext4"
    assert not signatures(devices[0]), "the first device was written before the other was looked at"


def test_who_takes_the_other_device_between_two_mkfs_keeps_it(
    sut: LocalSut, tmp_path: Path, devices: list[str]
) -> None:
    with Ground(sut, tmp_path / "mnt", filesystem(devices, ("xfs", LOG))) as ground:
        ground.ready()
        ground.volumes.release(devices[1])
        assert not os.path.ismount(ground.point)
        handle = os.open(devices[1], os.O_RDWR | os.O_EXCL)
        try:
            with pytest.raises(RefusedError, match=f"{devices[1]} cannot be opened for itself"):
                ground.ready()
        finally:
            os.close(handle)
        ground.ready()


def test_a_filesystem_of_ours_over_two_devices_is_somebodys_on_one_alone(
    sut: LocalSut, tmp_path: Path, devices: list[str]
) -> None:
    """A member of btrfs does not say which device it was made for: only beside the others is it
    known to be ours."""
    with Ground(sut, tmp_path / "mnt", filesystem(devices, ("btrfs", MEMBER))) as ground:
        ground.ready()
    alone = Target("b", TargetKind.DEVICE, devices[1], allowed(devices[1]), where=WHERE)
    with pytest.raises(RefusedError, match="holds btrfs"):
        check_targets(sut, [Use(alone, writes=True)])
    first = Target("a", TargetKind.DEVICE, devices[0], allowed(devices[0]), where=WHERE)
    check_targets(sut, [Use(first, writes=True), Use(alone, writes=True)])


def refused(sut: LocalSut, target: Target, needs: int = 0) -> str:
    with pytest.raises(RefusedError) as caught:
        check_targets(sut, [Use(target, writes=False, bytes_needed=needs)])
    assert caught.value.where == WHERE
    return caught.value.what


def test_the_doors_of_the_other_device(sut: LocalSut, devices: list[str]) -> None:
    first, other = devices
    journal = ("ext4", JOURNAL)
    assert "does not allow it" in refused(sut, filesystem(devices, journal, destroy=False))
    assert "not a block device" in refused(
        sut,
        Target(
            "fs", TargetKind.FILESYSTEM, on="a", fs_type="ext4", where=WHERE, device=first,
            destroy=allowed(first), beside=(Beside(JOURNAL, "b", "/dev/nowhere", allowed(first)),),
        ),
    )  # fmt: skip
    room = 500 << 20
    assert "which has 320.0 MiB" in refused(sut, filesystem(devices, journal), room)
    check_targets(sut, [Use(filesystem(devices, ("btrfs", MEMBER)), False, room)])
    with partition(other) as part:
        both = [other, part]
        assert "share their blocks" in refused(sut, filesystem(both, ("btrfs", MEMBER)))


def test_another_image_behind_the_other_device_is_refused(sut: LocalSut, tmp_path: Path) -> None:
    image = tmp_path / "another"
    image.write_bytes(bytes(64 << 20))
    with own_loop_device(tmp_path) as first, own_loop_device(tmp_path) as other:
        uses = resolved(sut, [Use(filesystem([first, other], KINDS[0]), writes=True)])
        with prepared(sut, uses, "t") as places:
            footing = Footing(sut, uses, places)
            footing.confirm(uses[0].target)
            assert footing.device(uses[0].target.made_on[1]).path == other
            reattach(other, image)
            with pytest.raises(RefusedError, match="not what it was"):
                footing.confirm(uses[0].target)


def test_all_devices_are_locked_watched_and_told(
    sut: LocalSut, tmp_path: Path, devices: list[str]
) -> None:
    target = filesystem(devices, ("xfs", LOG))
    names = {Path(device).name for device in devices}
    uses = [Use(target, writes=True)]
    assert {device.name for device in used_devices(sut, uses)} == names
    assert [each.path for each in devices_of(sut, uses)] == devices
    with Ground(sut, tmp_path / "mnt", target) as ground:
        point = str(ground.ready())
        assert names <= own_stack(sut, target, point).filesystems
        assert names <= target_disks(sut, target, point).stack
        facts = target_facts(sut, {"fs": (target, point)})
    assert facts["target.fs.device"] == Path(devices[0]).name
    assert facts["target.fs.log.device"] == Path(devices[1]).name
    assert devices[1] not in str(facts["target.fs.mount_options"]) + str(facts["target.fs.mkfs"])


def test_a_filesystem_that_the_kernel_does_not_have_is_known_before_anything_is_written(
    sut: LocalSut, devices: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not unmountable(sut, "ext4")
    read = sut.read_text

    def without(path: str) -> str | None:
        return "nodev\tproc\n\text4\n" if path == "/proc/filesystems" else read(path)

    monkeypatch.setattr(sut, "read_text", without)
    stat = sut.stat
    monkeypatch.setattr(sut, "stat", lambda path: None if path == "/proc/modules" else stat(path))
    assert "this kernel has no filesystem btrfs" in refused(
        sut, filesystem(devices, ("btrfs", MEMBER))
    )


@pytest.mark.skipif(not shutil.which("mkfs.f2fs"), reason="f2fs-tools is not installed")
def test_f2fs_is_made_over_two_devices_and_recognised(sut: LocalSut, devices: list[str]) -> None:
    """Few kernels of those that run the tests can mount one."""
    first = find_device(sut, devices[0])
    assert first is not None
    argv = mkfs_argv(
        "f2fs", ("-O", "extra_attr"), devices[0], keep_blocks=True, uuid=stamp(first),
        beside=[(MEMBER, devices[1])],
    )  # fmt: skip
    sh(*argv)
    assert signatures(devices[0]) == "f2fs"
    assert foreign(sut, first) == ()
    assert devices[1].encode() in Path(devices[0]).read_bytes()[: 1 << 13]
