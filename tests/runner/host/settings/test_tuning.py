"""Settings of an environment: applied to the real kernel, read back, held and put back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from iogate.errors import Location, RefusedError, RunError
from iogate.host.settings.journal import Journal, is_left
from iogate.host.settings.knobs import knobs_of
from iogate.host.settings.tuning import Tuning
from iogate.model.environment import Environment
from iogate.model.tied_settings import CPU, same
from iogate.sut.local import LocalSut
from support.cpu_folder import CpuFolder
from support.devices import loop_device, needs_root, zram_device
from support.settings import HARMLESS, kept, setting

pytestmark = needs_root
WHERE = Location("a.yaml", 3, 5)


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Path]:
    """The request queue of a device of our own. Its number may have been somebody's, whose
    settings the kernel keeps."""
    with loop_device(tmp_path) as device:
        folder = Path("/sys/block") / Path(device).name / "queue"
        (folder / "scheduler").write_text("none")
        before = {name: (folder / name).read_text() for name in ("nr_requests", "read_ahead_kb")}
        yield folder
        (folder / "scheduler").write_text("none")
        for name, text in before.items():
            (folder / name).write_text(text)


def text(path: Path) -> str:
    return path.read_text().strip()


def tuned(sut: LocalSut, *queues: Path) -> tuple[Tuning, Journal]:
    journal = Journal(sut, "run")
    return Tuning(sut, journal, [queue.parent.name for queue in queues]), journal


def test_a_kernel_parameter_is_set_and_put_back(sut: LocalSut) -> None:
    with kept(HARMLESS) as (path,):
        before = text(path)
        tuning, journal = tuned(sut)
        tuning.hold(Environment(sysctl={HARMLESS: "6"}))
        assert text(path) == "6"
        assert is_left(sut)
        journal.undo()
        assert text(path) == before
        assert not is_left(sut)


def test_what_is_so_already_is_left_alone(sut: LocalSut) -> None:
    with kept(HARMLESS) as (path,):
        tuning, _journal = tuned(sut)
        tuning.hold(Environment(sysctl={HARMLESS: text(path)}))
        assert not is_left(sut)


def test_the_kernels_view_of_a_write_cache_is_set_and_put_back(sut: LocalSut, queue: Path) -> None:
    """Two words with a blank; of a loop device whose kernel takes both."""
    before = text(queue / "write_cache")
    other = {"write back": "write through", "write through": "write back"}[before]
    tuning, journal = tuned(sut, queue)
    tuning.hold(Environment(block={"write_cache": other}))
    assert text(queue / "write_cache") == other
    journal.undo()
    assert text(queue / "write_cache") == before


def test_a_scheduler_drags_the_queue_along_and_both_are_put_back(
    sut: LocalSut, queue: Path
) -> None:
    (queue / "nr_requests").write_text("77")
    tuning, journal = tuned(sut, queue)
    tuning.hold(Environment(block={"nr_requests": "99", "scheduler": "mq-deadline"}))
    assert "[mq-deadline]" in text(queue / "scheduler")
    assert text(queue / "nr_requests") == "99"
    journal.undo()
    assert "[none]" in text(queue / "scheduler")
    assert text(queue / "nr_requests") == "77"


def test_only_the_scheduler(sut: LocalSut, queue: Path) -> None:
    (queue / "nr_requests").write_text("77")
    tuning, journal = tuned(sut, queue)
    tuning.hold(Environment(block={"scheduler": "mq-deadline"}))
    assert text(queue / "nr_requests") != "77", "the kernel sets it anew"
    journal.undo()
    assert text(queue / "nr_requests") == "77"


def test_from_one_arm_to_the_other_nothing_stays(sut: LocalSut, queue: Path) -> None:
    tuning, journal = tuned(sut, queue)
    ahead = text(queue / "read_ahead_kb")
    one = Environment(block={"scheduler": "mq-deadline", "read_ahead_kb": "64"})
    other = Environment(block={"scheduler": "none"})
    for _ in range(2):
        tuning.hold(one)
        assert "[mq-deadline]" in text(queue / "scheduler")
        assert text(queue / "read_ahead_kb") == "64"
        tuning.hold(other)
        assert "[none]" in text(queue / "scheduler")
        assert text(queue / "read_ahead_kb") == ahead
    tuning.hold(one)
    tuning.hold(None)
    assert text(queue / "read_ahead_kb") == ahead
    journal.undo()


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ({"vm.dirty_background_bytes": "10000000"}, {"vm.dirty_background_ratio": "7"}),
        ({"vm.dirty_background_ratio": "8"}, {"vm.dirty_background_bytes": "20000000"}),
        ({"vm.dirty_background_ratio": "8"}, {"vm.dirty_background_ratio": "7"}),
        ({"vm.dirty_background_ratio": "0"}, {"vm.dirty_background_bytes": "20000000"}),
        ({"vm.dirty_background_ratio": "0"}, {"vm.dirty_background_ratio": "7"}),
        ({"vm.overcommit_ratio": "60"}, {"vm.overcommit_kbytes": "8000000"}),
        ({"vm.overcommit_kbytes": "8000000"}, {"vm.overcommit_ratio": "70"}),
        ({"vm.overcommit_ratio": "60"}, {"vm.overcommit_ratio": "70"}),
    ],
)
def test_two_that_exclude_each_other(
    sut: LocalSut, before: dict[str, str], wanted: dict[str, str]
) -> None:
    pairs = (
        ("vm.dirty_background_bytes", "vm.dirty_background_ratio"),
        ("vm.overcommit_kbytes", "vm.overcommit_ratio"),
    )
    both = next(pair for pair in pairs if set(wanted) & set(pair))
    with kept(*both):
        for name, value in before.items():
            setting(name).write_text(value)
        was = [text(setting(name)) for name in both]
        tuning, journal = tuned(sut)
        tuning.hold(Environment(sysctl=wanted))
        for name, value in wanted.items():
            assert text(setting(name)) == value
        journal.undo()
        assert [text(setting(name)) for name in both] == was


def test_a_setting_that_somebody_changes_meanwhile_is_noticed(sut: LocalSut) -> None:
    with kept(HARMLESS) as (path,):
        tuning, journal = tuned(sut)
        environment = Environment(sysctl={HARMLESS: "6"})
        tuning.hold(environment)
        tuning.hold(environment)
        path.write_text("5")
        with pytest.raises(RunError, match=r"was set to 6 and has become 5"):
            tuning.hold(environment)
        journal.undo()


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        (Environment(sysctl={"vm.no_such_thing": "1"}, where=WHERE), "has no /proc/sys/vm/no_such"),
        (Environment(block={"no_such": "1"}, where=WHERE), "queue/no_such"),
        (Environment(block={"scheduler": "fast"}, where=WHERE), "has for loop"),
        (Environment(sysctl={HARMLESS: "many"}, where=WHERE), "does not take many"),
        (Environment(block={"read_ahead_kb": "7"}, where=WHERE), "does not take 7"),
        (Environment(block={"logical_block_size": "4096"}, where=WHERE), "does not take 4096"),
    ],
)
def test_what_this_host_does_not_have_or_take(
    sut: LocalSut, queue: Path, environment: Environment, says: str
) -> None:
    tuning, journal = tuned(sut, queue)
    before = text(setting(HARMLESS)), text(queue / "read_ahead_kb")
    with pytest.raises(RefusedError) as caught:
        tuning.hold(environment)
    assert says in caught.value.what
    assert caught.value.where == WHERE
    assert caught.value.remedy
    journal.undo()
    assert (text(setting(HARMLESS)), text(queue / "read_ahead_kb")) == before


def test_a_device_that_schedules_nothing_has_no_scheduler(sut: LocalSut) -> None:
    with zram_device(16) as device:
        disk = [Path(device).name]
        assert knobs_of(sut, Environment(block={"scheduler": "none"}), disk) == ()
        with pytest.raises(RefusedError, match=r"has no .*/queue/scheduler"):
            knobs_of(sut, Environment(block={"scheduler": "kyber"}), disk)


def cpu_files(root: Path, files: dict[str, str]) -> CpuFolder:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content + "\n")
    return CpuFolder(root)


def scaling(governor: str) -> dict[str, str]:
    offered = "scaling_available_governors"
    return {
        f"cpufreq/policy{n}/{name}": value
        for n in (0, 1)
        for name, value in ((offered, "performance powersave"), ("scaling_governor", governor))
    }


def test_cpu_settings(tmp_path: Path) -> None:
    """In a folder, as this needs hardware that a virtual machine does not show."""
    files = {**scaling("powersave"), "intel_pstate/no_turbo": "0", "smt/control": "on"}
    sut = cpu_files(tmp_path / "cpu", files)
    journal = Journal(sut, "run")
    tuning = Tuning(sut, journal, [])
    tuning.hold(Environment(governor="performance", turbo=False, smt=False))
    found = {name: text(tmp_path / "cpu" / name) for name in files}
    changed = {"intel_pstate/no_turbo": "1", "smt/control": "off"}
    assert found == {**scaling("performance"), **changed}
    journal.undo()
    assert {name: text(tmp_path / "cpu" / name) for name in files} == files


def test_amd_has_another_switch_and_some_have_no_threads(tmp_path: Path) -> None:
    sut = cpu_files(tmp_path, {"cpufreq/boost": "1", "smt/control": "notsupported"})
    knobs = knobs_of(sut, Environment(turbo=False, smt=False), [])
    assert [(knob.path, knob.value) for knob in knobs] == [(f"{CPU}/cpufreq/boost", "0")]


@pytest.mark.parametrize(
    ("environment", "files", "says"),
    [
        (Environment(governor="performance"), {}, "has no frequency scaling"),
        (Environment(governor="fast"), scaling("powersave"), "has no governor fast, but perf"),
        (Environment(turbo=False), {}, "no switch"),
        (Environment(smt=True), {"smt/control": "notsupported"}, "says notsupported"),
        (Environment(smt=True), {"smt/control": "forceoff"}, "says forceoff"),
    ],
)
def test_cpu_settings_that_a_host_lacks(
    tmp_path: Path, environment: Environment, files: dict[str, str], says: str
) -> None:
    sut = cpu_files(tmp_path, files)
    with pytest.raises(RefusedError, match=says) as caught:
        knobs_of(sut, environment, [])
    assert "leave cpu." in caught.value.remedy


def test_settings_are_compared_by_what_they_mean() -> None:
    assert same("4096\t87380  6291456", "4096 87380 6291456")
    assert same("0.50", "0.5")
    assert not same("none", "mq-deadline")
    assert not same("", "0")
