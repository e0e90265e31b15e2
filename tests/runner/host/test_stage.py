"""What is done before each repetition, and when: caches, filesystems, settings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.errors import Location, RefusedError
from iogate.host.stage import Stage, staged
from iogate.host.targets.check import Use
from iogate.model.environment import DropCaches, Environment, Require
from iogate.model.plan import Case, Plan
from iogate.model.spec import Destroy, Precondition, Repetitions, Target, TargetKind
from iogate.sut.local import LocalSut
from support.devices import image_of, loop_device, needs_root, sh
from support.settings import HARMLESS, kept

pytestmark = needs_root
DROP = "/proc/sys/vm/drop_caches"


class Counting(LocalSut):
    """This machine, and how often the page cache was dropped."""

    drops = 0

    def write_text(self, path: str, text: str) -> None:
        super().write_text(path, text)
        self.drops += path == DROP


@pytest.fixture
def sut(sut: LocalSut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Counting:
    """The test's own host, whose drops are counted."""
    monkeypatch.setenv("IOGATE_SCRATCH", str(tmp_path))
    return Counting()


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop_device(tmp_path, 32) as made:
        yield made


def case(case_id: str, target: Target, environment: Environment | None = None) -> Case:
    return Case(
        id=case_id, name=case_id, workload="w", target=target, jobs=(), parameters={},
        repetitions=Repetitions(), thresholds=(), environment=environment,
    )  # fmt: skip


def stage_of(sut: LocalSut, *cases: Case) -> AbstractContextManager[Stage]:
    targets = {each.target.name: each.target for each in cases}
    uses = [Use(target, writes=True) for target in targets.values()]
    return staged(sut, plan_of(cases), uses, "0123456789abcdef")


def plan_of(cases: tuple[Case, ...]) -> Plan:
    return Plan("s", "s.yaml", "", "", cases)


def here(tmp_path: Path) -> Target:
    return Target("here", TargetKind.DIRECTORY, str(tmp_path))


@pytest.mark.parametrize(
    ("when", "dropped"),
    [
        (DropCaches.NEVER, [0, 0, 0, 0, 0]),
        (DropCaches.BEFORE_RUN, [1, 1, 1, 1, 1]),
        (DropCaches.BEFORE_CASE, [1, 1, 2, 2, 3]),
        (DropCaches.BEFORE_REPETITION, [1, 2, 3, 4, 5]),
    ],
)
def test_when_the_page_cache_is_dropped(
    sut: Counting, tmp_path: Path, when: DropCaches, dropped: list[int]
) -> None:
    a, b = (case(name, here(tmp_path), Environment(drop_caches=when)) for name in "ab")
    found = []
    with stage_of(sut, a, b) as stage:
        for each in (a, a, b, b, a):
            stage.ready(each)
            found.append(sut.drops)
    assert found == dropped


def test_for_an_arm_each_run_is_another_case(sut: Counting, tmp_path: Path) -> None:
    one = case("a", here(tmp_path), Environment(drop_caches=DropCaches.BEFORE_CASE))
    with stage_of(sut, one) as stage:
        stage.ready(one, anew=True)
        stage.ready(one, anew=True)
    assert sut.drops == 2


def test_what_was_read_is_not_in_memory_any_more(sut: Counting, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * (1 << 20))
    if sh("stat", "--file-system", "--format=%T", str(tmp_path)) == "tmpfs":
        pytest.skip("files here are in memory alone")
    one = case("a", here(tmp_path), Environment(drop_caches=DropCaches.BEFORE_RUN))
    assert int(sh("fincore", "--bytes", "--noheadings", "--output", "RES", str(file))) > 0
    with stage_of(sut, one) as stage:
        stage.ready(one)
        assert int(sh("fincore", "--bytes", "--noheadings", "--output", "RES", str(file))) == 0


def test_every_environment_is_tried_before_anything_is_measured(
    sut: Counting, tmp_path: Path
) -> None:
    good = case("a", here(tmp_path), Environment(sysctl={HARMLESS: "6"}))
    bad = case("b", here(tmp_path), Environment(sysctl={HARMLESS: "many"}))
    with kept(HARMLESS) as (path,):
        before = path.read_text()
        with pytest.raises(RefusedError, match="does not take many"), stage_of(sut, good, bad):
            pytest.fail("it was not refused")
        assert path.read_text() == before
        strict = Environment(require=Require(max_loadavg=-1))
        with (
            pytest.raises(RefusedError, match="load average"),
            stage_of(sut, good, case("c", here(tmp_path), strict)),
        ):
            pytest.fail("it was not refused")
        assert list(tmp_path.glob("iogate-*")) == []


def test_it_begins_with_the_settings_of_the_first_case(sut: Counting, tmp_path: Path) -> None:
    first = case("a", here(tmp_path), Environment(sysctl={HARMLESS: "6"}))
    second = case("b", here(tmp_path), Environment(sysctl={HARMLESS: "5"}))
    with kept(HARMLESS) as (path,):
        before = path.read_text()
        with stage_of(sut, first, second) as stage:
            assert path.read_text().strip() == "6"
            stage.ready(second)
            assert path.read_text().strip() == "5"
        assert path.read_text() == before


def test_a_target_in_memory_has_no_queue_to_set(sut: Counting) -> None:
    where = Location("a.yaml", 3, 5)
    target = Target("here", TargetKind.DIRECTORY, "/dev/shm", where=where)
    one = case("a", target, Environment(block={"scheduler": "none"}))
    with (
        pytest.raises(RefusedError, match="on no block device") as caught,
        stage_of(sut, one),
    ):
        pytest.fail("it was not refused")
    assert caught.value.where == where


def test_devices_and_what_claims_them_meanwhile(sut: Counting, device: str) -> None:
    destroy = Destroy(backing=image_of(device))
    made = Target(
        "fs", TargetKind.FILESYSTEM, on="raw", fs_type="ext4", device=device, destroy=destroy
    )
    one = case("a", made)
    with stage_of(sut, one) as stage:
        stage.ready(one)
        (found,) = stage.devices()
        assert (found.name, found.path, found.destroy) == ("raw", device, destroy)
        stage.claim(found)
        assert device not in Path("/proc/mounts").read_text()
        with Path(device).open("rb+"):
            stage.claim(found)
        handle = os.open(device, os.O_RDWR | os.O_EXCL)
        try:
            with pytest.raises(RefusedError, match="for itself alone"):
                stage.claim(found)
            with pytest.raises(RefusedError, match="for itself alone"):
                stage.ready(one, anew=True)
        finally:
            os.close(handle)


def test_a_preconditioned_device_is_not_discarded_by_mkfs(sut: Counting, device: str) -> None:
    """A loop device gives the blocks that are discarded back to its file."""
    sh("dd", "if=/dev/urandom", f"of={device}", "bs=1M", "count=32", "conv=fsync", "status=none")
    made = Target(
        "fs", TargetKind.FILESYSTEM, on="raw", fs_type="ext4", device=device,
        destroy=Destroy(backing=image_of(device)),
    )  # fmt: skip
    one = case("a", made)
    image = Path(sh("losetup", "--noheadings", "--output", "BACK-FILE", device).strip())
    for precondition, full in ((Precondition(), True), (None, False)):
        plan = replace(plan_of((one,)), precondition=precondition)
        with staged(sut, plan, [Use(made, writes=True)], "0123456789abcdef") as stage:
            stage.ready(one)
        assert (image.stat().st_blocks * 512 > 30 << 20) is full
