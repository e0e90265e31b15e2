from __future__ import annotations

import os
import platform
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from iogate.host.checks import CHECKS, Severity, examine
from iogate.host.facts import active_choice, collect_facts, this_host
from iogate.model.spec import Target, TargetKind
from iogate.sut.access import needs_override
from iogate.sut.base import FileStat, Found, Sut
from iogate.sut.local import LocalSut
from support.devices import loop_device, mounted, needs_root

KINDS = {"a": TargetKind.DIRECTORY, "b": TargetKind.FILE, "c": TargetKind.FILE}


class Empty(LocalSut):
    """A machine that shows nothing: no /proc, no /sys."""

    def read_text(self, path: str) -> str | None:
        return super().read_text(f"/nowhere{path}")

    def list_dir(self, path: str) -> tuple[str, ...]:
        return super().list_dir(f"/nowhere{path}")

    def stat(self, path: str) -> FileStat | None:
        return super().stat(f"/nowhere{path}")

    def read_many(self, paths: Sequence[str], looks: Sequence[str] = ()) -> Mapping[str, Found]:
        return super().read_many([f"/nowhere{path}" for path in paths], looks)


class Counted:
    """This machine, with the names of what was asked of it."""

    is_here = True

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._sut = LocalSut()

    def __getattr__(self, name: str) -> Any:
        self.asked.append(name)
        return getattr(self._sut, name)


def directory(path: object) -> dict[str, tuple[Target, str]]:
    return {"t": (Target("t", TargetKind.DIRECTORY, str(path)), str(path))}


def test_the_kernel_and_the_cpu_are_known(tmp_path: Path) -> None:
    facts = collect_facts(LocalSut(), directory(tmp_path))
    assert facts["kernel.release"] == platform.release()
    assert isinstance(facts["cpu.count"], int)
    assert isinstance(facts["memory.total_bytes"], int)
    assert facts["target.t.kind"] == "directory"
    assert list(facts) == sorted(facts)


def test_what_is_absent_is_left_out() -> None:
    facts = collect_facts(Empty(), directory("/tmp"))
    assert "kernel.release" not in facts
    assert facts["target.t.kind"] == "directory"


def test_facts_of_many_targets_cost_three_readings(tmp_path: Path) -> None:
    sut, places = Counted(), {name: tmp_path / name for name in ("a", "b", "c")}
    places["a"].mkdir()
    targets = {
        name: (Target(name, KINDS[name], str(place)), str(place)) for name, place in places.items()
    }
    facts = collect_facts(cast("Sut", sut), targets)
    assert facts.keys() == collect_facts(LocalSut(), targets).keys()
    asked = Counter(sut.asked)
    assert asked.pop("read_many") <= 3
    how_made = {"which": 3, "run": 3}  # of each filesystem its own program is asked
    assert asked - Counter(how_made) == Counter(about=1)
    sut.asked.clear()
    this_host(cast("Sut", sut))
    assert len(sut.asked) <= 2


def test_nothing_is_read_of_what_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.write(bytes(1 << 20))
        file.flush()
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    if in_memory(path):
        pytest.skip("this filesystem keeps its files in memory")
    targets = {"t": (Target("t", TargetKind.FILE, str(path)), str(path))}
    assert collect_facts(LocalSut(), targets)["target.t.kind"] == "file"
    examine(LocalSut(), str(path))
    assert needs_override(LocalSut(), str(path), 1) in (True, False)
    assert in_memory(path) == 0


def in_memory(path: Path) -> int:
    """Bytes of a file that are in the page cache."""
    words = ["fincore", "--bytes", "--noheadings", "--output", "RES", str(path)]
    return int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def test_examining_a_host_costs_few_readings(tmp_path: Path) -> None:
    sut = Counted()
    examine(cast("Sut", sut), str(tmp_path))
    asked = Counter(sut.asked)
    assert asked.pop("read_many") <= 3
    assert asked - Counter(read_text=2, about=4, can_write=1, space=2, stat=1, way=1) == Counter()


@needs_root
def test_a_mounted_device_is_described(tmp_path: Path) -> None:
    with loop_device(tmp_path) as path, mounted(path, tmp_path / "mnt") as point:
        facts = collect_facts(LocalSut(), directory(point))
    assert facts["target.t.device"] == Path(path).name
    assert facts["target.t.filesystem"] == "ext4"
    assert "rw" in str(facts["target.t.mount_options"]).split(",")
    assert facts["target.t.size_bytes"] == 32 << 20
    assert facts["target.t.logical_block_size"] == 512


def test_the_chosen_one_of_a_list() -> None:
    assert active_choice("none [mq-deadline] kyber") == "mq-deadline"
    assert active_choice("none") == "none"


def test_the_machine_id_is_stable_private_and_can_be_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sut = LocalSut()
    host = this_host(sut)
    assert host == this_host(sut)
    raw = (sut.read_text("/etc/machine-id") or "").strip()
    assert not raw or raw[:16] != host.machine_id
    monkeypatch.setenv("IOGATE_HOST_ID", "runner-7")
    given = this_host(sut)
    assert given.machine_id != host.machine_id
    assert len(given.machine_id) == 16


def test_every_check_has_a_name_of_its_own_and_every_problem_a_remedy(tmp_path: Path) -> None:
    assert len({check.id for check in CHECKS}) == len(CHECKS)
    for check, finding in examine(LocalSut(), str(tmp_path)):
        assert finding.found, check.id
        assert finding.severity is Severity.OK or finding.remedy, check.id


def test_no_check_breaks_on_a_machine_that_shows_nothing() -> None:
    found = {check.id: finding for check, finding in examine(Empty(), "/nowhere")}
    assert found["target"].severity is Severity.BAD


class Tuned(LocalSut):
    """This machine with the values of some files replaced."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files

    def read_text(self, path: str) -> str | None:
        return self._files.get(path) or super().read_text(path)

    def read_many(self, paths: Sequence[str], looks: Sequence[str] = ()) -> Mapping[str, Found]:
        of_any = super().read_many(["/proc/version"])["/proc/version"]
        given = {path: replace(of_any, data=self._files[path].encode()) for path in self._files}
        return {**super().read_many(paths, looks), **given}


CPUFREQ = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
TURBO = "/sys/devices/system/cpu/intel_pstate/no_turbo"
CLOCK = "/sys/devices/system/clocksource/clocksource0/current_clocksource"


@pytest.mark.parametrize(
    ("path", "value", "check", "severity"),
    [
        (CPUFREQ, "powersave\n", "governor", "warn"),
        (CPUFREQ, "performance\n", "governor", "ok"),
        (TURBO, "0\n", "turbo", "warn"),
        (TURBO, "1\n", "turbo", "ok"),
        (CLOCK, "hpet\n", "clocksource", "warn"),
        (CLOCK, "tsc\n", "clocksource", "ok"),
        ("/proc/loadavg", "900.0 1 1 1/1 1\n", "load", "bad"),
        ("/proc/loadavg", "0.01 1 1 1/1 1\n", "load", "ok"),
        ("/proc/sys/kernel/io_uring_disabled", "2\n", "io-uring", "warn"),
        ("/proc/sys/fs/aio-nr", "65000\n", "aio", "warn"),
        ("/sys/kernel/mm/transparent_hugepage/enabled", "[always] never", "hugepages", "warn"),
    ],
)
def test_a_setting_is_judged(path: str, value: str, check: str, severity: str) -> None:
    files = {path: value}
    if check == "aio":
        files["/proc/sys/fs/aio-max-nr"] = "65536\n"
    found = {c.id: finding for c, finding in examine(Tuned(files), "/tmp")}
    assert found[check].severity == severity
