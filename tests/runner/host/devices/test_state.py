"""What is remembered of a device, and what speaks against it: on real loop devices; a reboot and
another firmware are what this machine's files would say after one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from iogate.errors import RunError
from iogate.host.devices.block_devices import Device, find_device
from iogate.host.devices.state import DeviceState, Looked, believed, carry, forget, look, remember
from iogate.sut.local import LocalSut
from support.devices import loop_device, needs_root, partition, sh

pytestmark = needs_root
STEPS: tuple[dict[str, str], ...] = ({"rw": "write", "bs": "1048576"}, {})
HOUR_NS = 3600 * 10**9
NOW = 1_800_000_000 * 10**9


class Changed(LocalSut):
    """This machine, but for some files."""

    def __init__(self, **files: str) -> None:
        self.files = {path.replace("__", "/"): text for path, text in files.items()}

    def read_text(self, path: str) -> str | None:
        for end, text in self.files.items():
            if path.endswith(end):
                return text
        return super().read_text(path)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test's own state folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state/iogate/devices"


@pytest.fixture
def path(tmp_path: Path) -> Iterator[str]:
    with loop_device(tmp_path, 32) as made:
        yield made


def device_at(path: str, sut: LocalSut | None = None) -> Device:
    found = find_device(sut or LocalSut(), path)
    assert found is not None
    return found


def keep(path: str, sut: LocalSut | None = None, *, run: str = "ab" * 16) -> None:
    sut = sut or LocalSut()
    why = remember(
        sut, device_at(path, sut), STEPS, run=run, at_ns=NOW, written_bytes=1, steady=None
    )
    assert why == ""


def seen(path: str, sut: LocalSut | None = None, *, hours: float = 1) -> Looked:
    sut = sut or LocalSut()
    now_ns = NOW + round(hours * HOUR_NS)
    return look(sut, device_at(path, sut), STEPS, keep_s=12 * 3600, now_ns=now_ns)


def write(path: str, start: int) -> None:
    sh("dd", "if=/dev/urandom", f"of={path}", "bs=4k", "count=1", f"seek={start}", "oflag=direct")


def test_what_was_reached_holds_until_it_is_too_old(path: str) -> None:
    assert seen(path).why == "no earlier precondition of it is remembered"
    keep(path)
    found = seen(path).state
    assert isinstance(found, DeviceState)
    assert found.name == "precondition of 2027-01-15 08:00 UTC (run abababababab)"
    assert seen(path, hours=11.9).state == found
    assert "is older than keep: 12h" in seen(path, hours=12.1).why
    assert "is of a time to come" in seen(path, hours=-1).why


def test_over_a_reboot_a_device_without_a_name_is_a_stranger(path: str) -> None:
    keep(path)
    rebooted = Changed(random__boot_id="00000000-0000-0000-0000-000000000000")
    assert "the host was started since" in seen(path, rebooted).why


def test_over_a_reboot_a_drive_with_a_serial_is_known_and_not_counted(path: str) -> None:
    name = Path(path).name
    drive = {f"{name}__device__serial": "S4X", f"{name}__device__model": "DISK"}
    keep(path, Changed(**drive))
    assert seen(path, Changed(**drive)).state
    rebooted = Changed(random__boot_id="0", **{**drive, f"{name}__stat": "0 " * 20})
    assert seen(path, rebooted).state, "counts begin anew with a boot"
    updated = Changed(**{**drive, f"{name}__device__firmware_rev": "2.0"})
    assert "its firmware is 2.0" in seen(path, updated).why
    other = Changed(**{**drive, f"{name}__device__serial": "S5Y"})
    assert seen(path, other).why == "no earlier precondition of it is remembered"


def test_another_size_is_another_state(path: str) -> None:
    name = Path(path).name
    drive = {f"{name}__device__serial": "S4X"}
    keep(path, Changed(**drive))
    smaller = Changed(**drive, **{f"{device_at(path).number}__size": "2048"})
    assert "it has 1048576 bytes now, and had 33554432" in seen(path, smaller).why


def test_what_has_no_sign_of_its_own_is_not_remembered(path: str, state: Path) -> None:
    nameless = Changed(diskseq="")
    why = remember(
        nameless, device_at(path), STEPS, run="x", at_ns=NOW, written_bytes=1, steady=None
    )
    assert "no serial, wwn or number" in why
    assert not state.exists()
    assert "no serial, wwn or number" in seen(path, nameless).why


def test_a_write_is_noticed_unless_it_was_the_runs_own(path: str) -> None:
    keep(path)
    before = believed(LocalSut(), device_at(path))
    assert before is not None
    write(path, 0)
    assert seen(path).why == "4.0 KiB were written to it since"
    assert believed(LocalSut(), device_at(path)) is None
    carry(LocalSut(), device_at(path), before)
    assert seen(path).state
    forget(LocalSut(), device_at(path), "run x trims on it")
    carry(LocalSut(), device_at(path), before)
    assert seen(path).why == "run x trims on it", "what was forgotten stays so"


def test_a_part_and_the_whole_are_each_others(path: str) -> None:
    with partition(path) as part:
        keep(path)
        keep(part)
        assert seen(path).state
        assert seen(part).state
        write(path, 0)
        assert "4.0 KiB were written" in seen(part).why, "it may have been there"
        keep(part)
        keep(path)
        write(part, 0)
        assert seen(path).why == "4.0 KiB were written to it since"
        keep(path)
        keep(part)
        forget(LocalSut(), device_at(path), "a fill")
        assert seen(part).why == "a fill"
        keep(path)
        keep(part)
        forget(LocalSut(), device_at(part), "a fill")
        assert seen(path).why == "a fill"


def test_it_is_one_line_however_often_it_is_carried(path: str, state: Path) -> None:
    keep(path)
    for _ in range(5):
        now = believed(LocalSut(), device_at(path))
        assert now is not None
        carry(LocalSut(), device_at(path), now)
    (memory,) = state.iterdir()
    (line,) = memory.read_text().splitlines()
    assert json.loads(line)["schema"] == "device-state/1"
    assert memory.stat().st_mode & 0o777 == 0o600
    forget(LocalSut(), device_at(path), "one")
    forget(LocalSut(), device_at(path), "two")
    assert len(memory.read_text().splitlines()) == 2
    assert seen(path).why == "one"


def test_a_line_that_was_cut_off_is_no_memory(path: str, state: Path) -> None:
    keep(path)
    (memory,) = state.iterdir()
    whole = memory.read_text()
    for length in (1, len(whole) // 2, len(whole) - 2):
        memory.write_text(whole[:length])
        assert seen(path).why == "no earlier precondition of it is remembered"
    memory.write_text(whole)
    assert seen(path).state


def test_what_others_may_write_is_no_memory(path: str, state: Path) -> None:
    keep(path)
    (memory,) = state.iterdir()
    memory.chmod(0o666)
    assert seen(path).why == "no earlier precondition of it is remembered"
    memory.chmod(0o600)
    os.chown(memory, 65534, 65534)
    assert seen(path).why == "no earlier precondition of it is remembered"


def test_a_memory_that_cannot_be_taken_back_stops_the_run(
    path: str, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(path)

    def full(_self: LocalSut, path: str, text: str) -> None:
        raise RunError(f"cannot write {path}: No space left on device")

    monkeypatch.setattr(LocalSut, "append_durably", full)
    with pytest.raises(RunError, match="No space left"):
        forget(LocalSut(), device_at(path), "a fill")
    assert state.exists()


def test_a_user_without_a_home_has_no_memory(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_STATE_HOME", "HOME"):
        monkeypatch.delenv(name)
    monkeypatch.setattr(os, "geteuid", lambda: 2**31 - 7)  # nobody that the machine lists
    assert seen(path).why == "no earlier precondition of it is remembered"
    why = remember(
        LocalSut(), device_at(path), STEPS, run="x", at_ns=NOW, written_bytes=1, steady=None
    )
    assert "no home folder" in why
