"""What a spec requires of a host."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from iogate.errors import Location, RefusedError, RunError
from iogate.host.requirements import Throttling, check_requirements
from iogate.model.environment import Environment, Require
from iogate.sut.base import Found
from iogate.sut.local import LocalSut

WHERE = Location("a.yaml", 3, 5)


class Elsewhere(LocalSut):
    """This machine with sensors that a virtual machine does not have: in a folder."""

    def __init__(self, root: Path, files: dict[str, str]) -> None:
        self.root = root
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content + "\n")

    def read_text(self, path: str) -> str | None:
        return super().read_text(f"{self.root}{path}")

    def read_many(self, paths: Sequence[str], looks: Sequence[str] = ()) -> Mapping[str, Found]:
        found = super().read_many([f"{self.root}{path}" for path in paths], looks)
        return {path.removeprefix(str(self.root)): each for path, each in found.items()}

    def list_dir(self, path: str) -> tuple[str, ...]:
        return super().list_dir(f"{self.root}{path}")


def refused(sut: LocalSut, require: Require) -> str:
    with pytest.raises(RefusedError) as caught:
        check_requirements(sut, Environment(require=require, where=WHERE))
    assert caught.value.where == WHERE
    assert caught.value.remedy
    return caught.value.what


def test_the_load_of_this_machine() -> None:
    check_requirements(LocalSut(), Environment(require=Require(max_loadavg=1e6)))
    assert "load average" in refused(LocalSut(), Require(max_loadavg=-1))


def test_a_temperature_is_the_hottest_sensor_s(tmp_path: Path) -> None:
    sut = Elsewhere(
        tmp_path,
        {
            "/sys/class/thermal/thermal_zone0/temp".lstrip("/"): "41000",
            "/sys/class/hwmon/hwmon1/temp1_input".lstrip("/"): "66000",
            "/sys/class/hwmon/hwmon1/temp2_input".lstrip("/"): "-273000",
        },
    )
    check_requirements(sut, Environment(require=Require(max_temperature_c=66)))
    assert "has 66 °C" in refused(sut, Require(max_temperature_c=65))


def test_what_a_host_does_not_say_is_refused(tmp_path: Path) -> None:
    sut = Elsewhere(tmp_path, {})
    assert "does not say its temp" in refused(sut, Require(max_temperature_c=65))
    assert "does not say whether" in refused(sut, Require(no_throttle=True))


def test_throttling_is_noticed_in_what_was_measured(tmp_path: Path) -> None:
    name = "sys/devices/system/cpu/cpu1/thermal_throttle/package_throttle_count"
    sut = Elsewhere(tmp_path, {name: "5"})
    check_requirements(sut, Environment(require=Require(no_throttle=True)))
    watched = Throttling(sut)
    watched.check_from_here()
    watched.check()
    (tmp_path / name).write_text("7\n")
    with pytest.raises(RunError, match="throttled 2 times"):
        watched.check()
    watched.check_from_here()
    watched.check()


def test_cpus_that_are_not_online() -> None:
    sut = LocalSut()
    check_requirements(sut, Environment(cpus_allowed="0"))
    with pytest.raises(RefusedError, match="names CPU 9999"):
        check_requirements(sut, Environment(cpus_allowed=f"0-{(os.cpu_count() or 1) - 1},9999"))
