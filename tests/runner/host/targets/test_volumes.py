"""Filesystems on real loop devices: made, mounted in a place of their own, made anew."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from iogate.errors import Location, RefusedError, RunError
from iogate.host.devices.mounts import mount_of
from iogate.host.settings import journal
from iogate.host.settings.journal import Journal
from iogate.host.targets.check import Use, check_targets
from iogate.host.targets.volumes import Volumes
from iogate.model.spec import Destroy, Target, TargetKind
from iogate.sut.local import LocalSut
from support.devices import image_of, loop_device, mounted, needs_root, sh

pytestmark = needs_root
WHERE = Location("a.yaml", 3, 5)
SIZE = 320 << 20


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop_device(tmp_path, SIZE >> 20) as made:
        yield made


def filesystem(
    device: str,
    fs_type: str = "ext4",
    *,
    name: str = "fs",
    mkfs: tuple[str, ...] = (),
    mount: tuple[str, ...] = (),
    recreate: str = "per-run",
    destroy: Destroy | None = None,
    allowed: bool = True,
) -> Target:
    if allowed and destroy is None and Path(device).is_block_device():
        destroy = Destroy(backing=image_of(device))
    return Target(
        name, TargetKind.FILESYSTEM, on="raw", fs_type=fs_type, mkfs=mkfs, mount=mount,
        recreate=recreate, where=WHERE, device=device, destroy=destroy,
    )  # fmt: skip


class Ground:
    """Volumes with a mount point for each target that is asked for."""

    def __init__(self, sut: LocalSut, folder: Path) -> None:
        self.sut = sut
        self.points = {name: folder / name for name in ("fs", "other")}
        for point in self.points.values():
            point.mkdir()
        self.journal = Journal(sut, "run")
        places = {name: str(point) for name, point in self.points.items()}
        self.volumes = Volumes(sut, self.journal, places, keep_blocks=False)

    def ready(self, target: Target, case_id: str = "c", *, anew: bool = False) -> Path:
        self.volumes.ready(target, case_id, anew=anew)
        return self.points[target.name]


@pytest.fixture
def ground(sut: LocalSut, tmp_path: Path, device: str) -> Iterator[Ground]:
    """The device is there until after its filesystem is unmounted."""
    assert device
    made = Ground(sut, tmp_path)
    yield made
    made.journal.undo()
    assert not any(os.path.ismount(point) for point in made.points.values())


@pytest.mark.parametrize(
    ("fs_type", "mkfs", "mount"),
    [
        ("ext4", ("-O", "^has_journal"), ("noatime", "nobarrier")),
        ("ext4", ("-b", "4096"), ("data=writeback",)),
        ("xfs", ("-m", "reflink=0"), ("logbsize=256k",)),
        ("btrfs", ("--mixed",), ("nodatacow",)),
    ],
)
def test_it_is_made_and_mounted_as_the_spec_says(
    ground: Ground, device: str, fs_type: str, mkfs: tuple[str, ...], mount: tuple[str, ...]
) -> None:
    point = ground.ready(filesystem(device, fs_type, mkfs=mkfs, mount=mount))
    seen, found = mount[-1], mount_of(ground.sut, str(point))
    assert found is not None
    assert (found.point, found.fs_type) == (str(point), fs_type)
    assert {seen, "nosuid", "nodev"} <= set(found.options.split(","))
    (point / "file").write_text("x")


def test_a_copy_of_its_mount_in_another_namespace_is_waited_for(
    ground: Ground, device: str, tmp_path: Path
) -> None:
    """As a container has it that began while the filesystem was mounted."""
    target = filesystem(device, recreate="per-repetition")
    point = ground.ready(target)
    has = f"grep -q ' {point} ' /proc/self/mountinfo"
    script = f"{has} && touch seen; until test -e go; do sleep 0.1; done"
    argv = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script]
    with subprocess.Popen(argv, cwd=tmp_path) as other:
        while not (tmp_path / "seen").exists():
            assert other.poll() is None
            time.sleep(0.01)
        threading.Timer(1, (tmp_path / "go").touch).start()
        ground.ready(target)
    assert os.path.ismount(point)


@pytest.mark.parametrize(
    ("recreate", "cases", "kept"),
    [
        ("per-run", "aabb", [False, True, True, True]),
        ("per-case", "aabba", [False, True, False, True, False]),
        ("per-repetition", "aab", [False, False, False]),
    ],
)
def test_it_is_made_anew_when_the_spec_says_so(
    ground: Ground, device: str, recreate: str, cases: str, kept: list[bool]
) -> None:
    target = filesystem(device, recreate=recreate)
    ground.volumes.make(target)
    (ground.points["fs"] / "before-all").write_text("x")
    found = []
    for case_id in cases:
        point = ground.ready(target, case_id)
        found.append((point / "file").exists())
        (point / "file").write_text("x")
    assert found == kept


def test_one_that_nothing_was_measured_on_is_not_made_twice(ground: Ground, device: str) -> None:
    target = filesystem(device)
    ground.volumes.make(target)
    mark = ground.points["fs"] / "mark"
    mark.write_text("x")
    ground.ready(target)
    assert mark.exists()
    ground.ready(target, anew=True)
    assert not mark.exists()


def test_two_filesystems_take_turns_on_one_device(ground: Ground, device: str) -> None:
    one, other = filesystem(device), filesystem(device, "xfs", name="other")
    (ground.ready(one) / "file").write_text("x")
    ground.ready(other)
    assert not os.path.ismount(ground.points["fs"])
    assert os.path.ismount(ground.points["other"])
    assert not (ground.ready(one) / "file").exists()
    raw = Target("raw", TargetKind.DEVICE, device, Destroy(size_bytes=SIZE))
    ground.volumes.ready(raw, "c", anew=False)
    assert not os.path.ismount(ground.points["fs"])


def test_what_mkfs_and_mount_say_is_told(ground: Ground, device: str) -> None:
    with pytest.raises(RunError, match=r"target fs: mkfs\.ext4 .* -I 5 ") as caught:
        ground.ready(filesystem(device, mkfs=("-I", "5")))
    assert "filesystem.mkfs" in caught.value.remedy
    with pytest.raises(RunError, match=r"target fs: mount .*nosuchoption"):
        ground.ready(filesystem(device, mount=("nosuchoption",)))


@pytest.fixture
def failing_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str, str], None]:
    """Lets the next call of a program of this host end as a text says, those after it as ever."""

    def fail(program: str, how: str) -> None:
        real, once = shutil.which(program), tmp_path / "once"
        once.touch()
        text = f'#!/bin/sh\nif rm {once} 2>/dev/null; then {how}; fi\nexec {real} "$@"\n'
        (tmp_path / program).write_text(text)
        (tmp_path / program).chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    return fail


@pytest.mark.parametrize("recreate", ["per-run", "per-repetition"])
@pytest.mark.parametrize(
    "failure",
    [
        ("mkfs.ext4", "kill -9 $$", r"mkfs\.ext4 .*: status -9"),
        ("mkfs.ext4", "echo no room >&2; exit 1", r"mkfs\.ext4 .*: no room"),
        ("mount", "echo no such thing >&2; exit 32", r"mount .*: no such thing"),
        ("mount", "exit 0", r"mount .* mounted nothing"),
    ],
)
def test_what_failed_to_be_made_is_made_at_its_next_turn(
    ground: Ground,
    device: str,
    failing_once: Callable[[str, str], None],
    recreate: str,
    failure: tuple[str, str, str],
) -> None:
    target, (program, how, told) = filesystem(device, recreate=recreate), failure
    (ground.ready(target) / "file").write_text("x")
    failing_once(program, how)
    with pytest.raises(RunError, match=f"target fs: {told}"):
        ground.ready(target, "d", anew=True)
    assert ground.volumes.ready(target, "e", anew=False)
    assert os.path.ismount(ground.points["fs"])
    assert not (ground.points["fs"] / "file").exists()


def test_one_that_could_not_be_unmounted_is_unmounted_at_the_next_turn(
    ground: Ground,
    device: str,
    monkeypatch: pytest.MonkeyPatch,
    failing_once: Callable[[str, str], None],
) -> None:
    monkeypatch.setattr(journal, "_UNMOUNT_PATIENCE_S", -1.0)
    one, other = filesystem(device), filesystem(device, "xfs", name="other")
    (ground.ready(one) / "file").write_text("x")
    failing_once("umount", "echo target is busy >&2; exit 32")
    with pytest.raises(RunError, match=r"cannot unmount .*: target is busy"):
        ground.ready(other)
    assert (ground.ready(one) / "file").exists()
    ground.ready(other)
    assert os.path.ismount(ground.points["other"])


def test_it_is_looked_at_again_before_each_mkfs(ground: Ground, device: str) -> None:
    """Somebody may have taken the device since the run began."""
    target = filesystem(device, recreate="per-repetition")
    ground.ready(target)
    ground.volumes.release(device)
    elsewhere = ground.points["other"]
    sh("mount", device, str(elsewhere))
    (elsewhere / "precious").write_text("x")
    with pytest.raises(RefusedError, match=f"is mounted at {elsewhere}") as caught:
        ground.ready(target)
    assert caught.value.where == WHERE
    assert (elsewhere / "precious").exists()
    sh("umount", str(elsewhere))


def refused(sut: LocalSut, target: Target, needs: int = 0) -> str:
    with pytest.raises(RefusedError) as caught:
        check_targets(sut, [Use(target, writes=False, bytes_needed=needs)])
    assert caught.value.where == WHERE
    assert caught.value.remedy
    return caught.value.what


def test_the_doors_of_a_device_are_those_of_its_filesystem(
    sut: LocalSut, tmp_path: Path, device: str
) -> None:
    check_targets(sut, [Use(filesystem(device), writes=False)])
    assert "does not allow it" in refused(sut, filesystem(device, allowed=False))
    other = Destroy(backing=image_of(device), size_bytes=SIZE + 512)
    assert "destroy: says" in refused(sut, filesystem(device, destroy=other))
    assert "not a block device" in refused(sut, filesystem(str(tmp_path)))
    assert "not a block device" in refused(sut, filesystem("/dev/nowhere"))
    assert "which has 320.0 MiB" in refused(sut, filesystem(device), needs=SIZE)
    with mounted(device, tmp_path / "mnt"):
        assert "is mounted at" in refused(sut, filesystem(device))
    handle = os.open(device, os.O_RDWR | os.O_EXCL)
    try:
        assert "for itself alone" in refused(sut, filesystem(device))
    finally:
        os.close(handle)


def test_a_mkfs_that_is_not_installed(
    sut: LocalSut, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setenv("PATH", "/nowhere")
        assert "mkfs.xfs is not installed" in refused(sut, filesystem(device, "xfs"))


def raw(device: str) -> Target:
    destroy = Destroy(backing=image_of(device))
    return Target("raw", TargetKind.DEVICE, device, destroy, where=WHERE)


def made_by_somebody(device: str) -> None:
    sh("mkfs.ext4", "-q", "-F", device)


def test_a_device_is_looked_at_once_more_before_it_is_first_written(
    ground: Ground, device: str
) -> None:
    made_by_somebody(device)
    ground.volumes.ready(raw(device), "c", anew=False)
    with pytest.raises(RefusedError, match="holds ext4") as caught:
        ground.volumes.ready(raw(device), "c", anew=False, writes=True)
    assert caught.value.where == WHERE
    with pytest.raises(RefusedError, match="holds ext4"):
        ground.volumes.claim(raw(device))


def test_what_a_run_has_written_itself_is_in_nobodys_way(ground: Ground, device: str) -> None:
    ground.volumes.ready(raw(device), "c", anew=False, writes=True)
    made_by_somebody(device)  # as a workload could write it
    ground.volumes.ready(raw(device), "c", anew=False, writes=True)
    ground.volumes.claim(raw(device))
    ground.ready(filesystem(device))


def test_who_claims_a_device_between_two_repetitions_keeps_it(
    ground: Ground, device: str, tmp_path: Path
) -> None:
    ground.volumes.ready(raw(device), "c", anew=False, writes=True)
    with mounted(device, tmp_path / "theirs"):
        with pytest.raises(RefusedError, match="in use since it was written"):
            ground.volumes.ready(raw(device), "c", anew=False, writes=True)
        ground.volumes.ready(raw(device), "c", anew=False)
    ground.volumes.ready(raw(device), "c", anew=False, writes=True)


def test_another_filesystem_made_between_two_of_ours_is_somebodys(
    ground: Ground, device: str
) -> None:
    ground.ready(filesystem(device))
    ground.volumes.release(device)
    ground.ready(filesystem(device), anew=True)
    ground.volumes.release(device)
    made_by_somebody(device)
    with pytest.raises(RefusedError, match="holds ext4"):
        ground.ready(filesystem(device), anew=True)


def test_a_uuid_that_the_spec_sets_is_known_in_its_run_alone(
    sut: LocalSut, ground: Ground, device: str
) -> None:
    uuid = "5f2b0a52-9d0f-4a3e-8a55-0e6f1c3a7b10"
    target = filesystem(device, mkfs=(f"-U {uuid}",))
    ground.ready(target)
    assert sh("blkid", "-p", "-o", "value", "-s", "UUID", device) == uuid
    ground.ready(target, anew=True)
    ground.volumes.release(device)
    assert uuid in refused(sut, target)
