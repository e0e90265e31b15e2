"""Settings that the kernel changes with another are put back as well; and only on the same disk."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from iogate.host.settings.entries import Setting
from iogate.host.settings.journal import Journal, is_left, restore_left
from iogate.host.settings.journals import own_journals
from iogate.host.settings.tuning import Tuning
from iogate.model.environment import Environment
from iogate.model.tied_settings import CPU
from iogate.sut.base import Found
from iogate.sut.local import LocalSut
from support.cpu_folder import CpuFolder
from support.devices import loop_device, needs_root, sh
from support.networks import own_network
from support.settings import kept

pytestmark = needs_root


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Path]:
    """The request queue of a device of our own."""
    with loop_device(tmp_path) as device:
        folder = Path("/sys/block") / Path(device).name / "queue"
        names = ("nr_requests", "read_ahead_kb", "max_sectors_kb")
        (folder / "scheduler").write_text("none")
        before = {name: (folder / name).read_text() for name in names}
        yield folder
        (folder / "scheduler").write_text("none")
        for name in reversed(names):
            (folder / name).write_text(before[name])


def text(path: Path) -> str:
    return path.read_text().strip()


def attributes(queue: Path) -> dict[str, str]:
    """All that can be set of a queue."""
    there = (*queue.iterdir(), *queue.glob("iosched/*"))
    return {str(each): text(each) for each in there if each.is_file() and each.stat().st_mode & 128}


@pytest.mark.parametrize(
    "block",
    [
        {"scheduler": "none"},
        {"scheduler": "bfq", "nr_requests": "99"},
        {"nr_requests": "99"},
        {"max_sectors_kb": "128"},
        {"write_cache": "write through", "max_sectors_kb": "128", "iostats": "0"},
    ],
)
def test_a_queue_is_afterwards_as_an_admin_has_tuned_it(
    sut: LocalSut, queue: Path, block: dict[str, str]
) -> None:
    (queue / "scheduler").write_text("mq-deadline")
    tuned = {"iosched/read_expire": "120", "iosched/async_depth": "7", "read_ahead_kb": "64"}
    for name, value in {"nr_requests": "77", **tuned}.items():
        if (queue / name).exists():
            (queue / name).write_text(value)
    before = attributes(queue)
    Tuning(sut, Journal(sut, "run"), [queue.parent.name]).hold(Environment(block=block))
    assert attributes(queue) != before
    assert restore_left(sut)
    assert attributes(queue) == before


def test_a_switch_to_another_arm_loses_no_tuning(sut: LocalSut, queue: Path) -> None:
    (queue / "scheduler").write_text("mq-deadline")
    (queue / "iosched/read_expire").write_text("120")
    journal = Journal(sut, "run")
    tuning = Tuning(sut, journal, [queue.parent.name])
    tuning.hold(Environment(block={"scheduler": "none"}))
    tuning.hold(Environment(block={"iostats": "0"}))
    assert text(queue / "iosched/read_expire") == "120"
    tuning.hold(Environment(block={"scheduler": "bfq"}))
    assert journal.undo() == ()
    assert text(queue / "iosched/read_expire") == "120"


def test_a_read_ahead_is_kept_beside_what_sets_it_anew(sut: LocalSut, queue: Path) -> None:
    journal = Journal(sut, "run")
    tuning = Tuning(sut, journal, [queue.parent.name])
    environment = Environment(block={"read_ahead_kb": "64", "max_sectors_kb": "128"})
    tuning.hold(environment)
    tuning.hold(environment)
    assert (text(queue / "read_ahead_kb"), text(queue / "max_sectors_kb")) == ("64", "128")
    journal.undo()


@pytest.mark.parametrize("began", ["none", "kyber", "bfq"])
@pytest.mark.parametrize("name", ["nr_requests", "read_ahead_kb", "wbt_lat_usec"])
def test_the_tuning_of_a_scheduler_that_a_run_brought_is_not_the_hosts(
    sut: LocalSut, queue: Path, began: str, name: str
) -> None:
    (queue / "scheduler").write_text(began)
    before = attributes(queue)
    journal = Journal(sut, "run")
    tuning = Tuning(sut, journal, [queue.parent.name])
    for scheduler in ("mq-deadline", "bfq", "mq-deadline", "kyber"):
        tuning.hold(Environment(block={"scheduler": scheduler, name: "64"}))
        tuning.hold(Environment(block={name: "68"}))
    tuning.hold(Environment(block={"scheduler": "mq-deadline", name: "64"}))
    assert journal.undo() == ()
    assert attributes(queue) == before


@pytest.mark.parametrize("began", ["none", "kyber"])
def test_of_a_killed_run_only_what_was_the_hosts_is_told(
    sut: LocalSut, queue: Path, began: str
) -> None:
    (queue / "scheduler").write_text(began)
    before = attributes(queue)
    tuning = Tuning(sut, Journal(sut, "r"), [queue.parent.name])
    tuning.hold(Environment(block={"scheduler": "mq-deadline", "nr_requests": "64"}))
    said = restore_left(sut)
    assert f"run r was killed: {queue}/scheduler is {began} again" in said
    assert not [text for text in said if "gone" in text or "iosched/writes_starved" in text]
    assert attributes(queue) == before


def test_what_a_run_brought_and_sets_goes_without_a_word(sut: LocalSut, queue: Path) -> None:
    journal = Journal(sut, "r")
    journal.note(Setting(str(queue / "scheduler"), "none"))
    (queue / "scheduler").write_text("mq-deadline")
    journal.note(Setting(str(queue / "iosched/read_expire"), "500", brought=True))
    (queue / "scheduler").write_text("bfq")
    assert restore_left(sut) == (f"run r was killed: {queue}/scheduler is none again",)
    assert not is_left(sut)


def test_the_hosts_own_tuning_that_is_lost_is_told(sut: LocalSut, queue: Path) -> None:
    (queue / "scheduler").write_text("mq-deadline")
    journal = Journal(sut, "r")
    tuning = Tuning(sut, journal, [queue.parent.name])
    tuning.hold(Environment(block={"scheduler": "bfq", "nr_requests": "64"}))
    tuning.hold(Environment(block={"nr_requests": "64"}))
    (queue / "scheduler").write_text("none")
    (path,) = own_journals(sut)
    lines = Path(path).read_text().splitlines(keepends=True)
    Path(path).write_text("".join(line for line in lines if "scheduler" not in line))
    said = restore_left(sut)
    assert f"run r was killed: {queue}/iosched/read_expire is gone, and with it the setting" in said


@pytest.mark.parametrize("wanted", [{"watchdog": "0"}, {"soft_watchdog": "0"}])
def test_watchdogs_are_put_back_together(sut: LocalSut, wanted: dict[str, str]) -> None:
    with kept("kernel.nmi_watchdog", "kernel.soft_watchdog", "kernel.watchdog") as paths:
        before = [text(path) for path in paths]
        journal = Journal(sut, "run")
        sysctl = {f"kernel.{name}": value for name, value in wanted.items()}
        Tuning(sut, journal, []).hold(Environment(sysctl=sysctl))
        assert [text(path) for path in paths] != before, "reading changes them as well"
        journal.undo()
        assert [text(path) for path in paths] == before


def test_what_was_empty_is_empty_again(sut: LocalSut) -> None:
    path = Path("/proc/sys/net/ipv4/ip_local_reserved_ports")
    with own_network():
        assert text(path) == ""
        Tuning(sut, Journal(sut, "r"), []).hold(
            Environment(sysctl={"net.ipv4.ip_local_reserved_ports": "8080,9000-9010"})
        )
        assert text(path) == "8080,9000-9010"
        assert restore_left(sut) == (f"run r was killed: {path} is empty again",)
        assert text(path) == ""
        assert not is_left(sut)


def test_a_congestion_control_takes_what_it_allows_to_others_back(sut: LocalSut) -> None:
    names = "net.ipv4.tcp_congestion_control", "net.ipv4.tcp_allowed_congestion_control"
    offered = text(Path("/proc/sys/net/ipv4/tcp_available_congestion_control")).split()
    with kept(*names) as paths:
        before = [text(path) for path in paths]
        if not (others := [each for each in offered if each not in before[1].split()]):
            pytest.skip("this kernel allows all that it has")
        journal = Journal(sut, "r")
        Tuning(sut, journal, []).hold(Environment(sysctl={names[0]: others[0]}))
        assert text(paths[1]) != before[1]
        journal.undo()
        assert [text(path) for path in paths] == before


def test_another_disk_by_the_same_name_is_left_alone(sut: LocalSut, tmp_path: Path) -> None:
    with loop_device(tmp_path) as device:
        ahead = Path(f"/sys/block/{Path(device).name}/queue/read_ahead_kb")
        before = text(ahead)
        journal = Journal(sut, "r")
        tuning = Tuning(sut, journal, [Path(device).name])
        tuning.hold(Environment(block={"read_ahead_kb": "64"}))
        image = tmp_path / "other"
        image.write_bytes(bytes(1 << 20))
        sh("losetup", "--detach", device)
        sh("losetup", device, str(image))
        try:
            ahead.write_text("4096")
            tuning.hold(None)
            assert text(ahead) == "4096"
            said = restore_left(LocalSut())
            why = "is another disk now: the one that was set is gone"
            assert said == (f"run r was killed: {Path(device).name} {why}",)
            assert text(ahead) == "4096"
            assert not is_left(sut)
        finally:
            ahead.write_text(before)


def test_a_journal_of_a_version_that_noted_no_disk_is_followed(sut: LocalSut, queue: Path) -> None:
    ahead = queue / "read_ahead_kb"
    before = text(ahead)
    Journal(sut, "r").note(Setting(str(ahead), before, "diskseq of no disk"))
    (path,) = own_journals(sut)
    lines = [json.loads(line) for line in Path(path).read_text().splitlines()]
    del lines[1]["disk"]
    Path(path).write_text("".join(json.dumps(line) + "\n" for line in lines))
    ahead.write_text("64")
    assert restore_left(sut) == (f"run r was killed: {ahead} is {before} again",)
    assert text(ahead) == before


class Counts(LocalSut):
    """Counts how often it is asked for files, as a machine behind a line would be."""

    asked = 0

    def read_text(self, path: str) -> str | None:
        self.asked += 1
        return super().read_text(path)

    def read_many(self, paths: Sequence[str], looks: Sequence[str] = ()) -> Mapping[str, Found]:
        self.asked += 1
        return super().read_many(paths, looks)


def test_many_settings_cost_few_round_trips(queue: Path) -> None:
    (queue / "scheduler").write_text("bfq")
    sut = Counts()
    journal = Journal(sut, "run")
    Tuning(sut, journal, [queue.parent.name]).hold(Environment(block={"scheduler": "none"}))
    assert len(journal.entries) > 10
    assert sut.asked < 10
    sut.asked = 0
    journal.undo()
    assert sut.asked < 10


class Drags(CpuFolder):
    """``drags`` are files that a value of another sets anew."""

    def __init__(self, root: Path, drags: Mapping[tuple[str, str], Mapping[str, str]]) -> None:
        super().__init__(root)
        self.drags = drags

    def write_text(self, path: str, text: str) -> None:
        super().write_text(path, text)
        for name, value in self.drags.get((path.removeprefix(f"{CPU}/"), text), {}).items():
            (self.root / name).write_text(value)


POLICY = "cpufreq/policy0"
GOVERNOR = f"{POLICY}/scaling_governor"
SCALING = {
    GOVERNOR: "powersave",
    f"{POLICY}/scaling_available_governors": "performance powersave",
    f"{POLICY}/energy_performance_preference": "balance_power",
    f"{POLICY}/scaling_setspeed": "<unsupported>",
    f"{POLICY}/schedutil/rate_limit_us": "500",
    f"{POLICY}/scaling_max_freq": "3000000",
    "cpufreq/boost": "1",
    "smt/control": "on",
    "cpu1/online": "1",
    "cpu3/online": "0",
}


@pytest.mark.parametrize(
    ("environment", "drags"),
    [
        (
            Environment(governor="performance"),
            {
                (GOVERNOR, "performance"): {
                    f"{POLICY}/energy_performance_preference": "performance",
                    f"{POLICY}/schedutil/rate_limit_us": "1000",
                }
            },
        ),
        (
            Environment(smt=False),
            {
                ("smt/control", "off"): {"cpu1/online": "0", "cpu3/online": "0"},
                ("smt/control", "on"): {
                    "cpu1/online": "1", "cpu3/online": "1", GOVERNOR: "performance",
                },
            },
        ),
        (
            Environment(turbo=False),
            {
                ("cpufreq/boost", "0"): {f"{POLICY}/scaling_max_freq": "2000000"},
                ("cpufreq/boost", "1"): {f"{POLICY}/scaling_max_freq": "3600000"},
            },
        ),
    ],
)  # fmt: skip
def test_cpus_are_afterwards_as_an_admin_has_tuned_them(
    tmp_path: Path,
    environment: Environment,
    drags: Mapping[tuple[str, str], Mapping[str, str]],
) -> None:
    """In a folder, as this needs hardware that a virtual machine does not show."""
    root = tmp_path / "cpu"
    for name, value in SCALING.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{value}\n")
    sut = Drags(root, drags)
    Tuning(sut, Journal(sut, "run"), []).hold(environment)
    assert {name: text(root / name) for name in SCALING} != SCALING
    assert restore_left(sut)
    assert {name: text(root / name) for name in SCALING} == SCALING
