"""A virtual machine: QEMU's emulation of one, and real kernels."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest

from iogate.engine.base import Stop
from iogate.errors import RefusedError, RunError
from iogate.host.lent_devices import check_lent
from iogate.run.pipeline import execute
from iogate.run.request import Request, make_request_plan
from iogate.sut import open_sut, vm
from iogate.sut.vm import VmSut
from support.devices import loop_device, needs_root, sh
from support.guests import NEW, OLD, PARTS, describe

pytestmark = needs_root
SPEC = """\
version: 1
name: late
targets: { here: { directory: /root } }
workloads:
  w:
    target: here
    fio: { rw: write, bs: 4k, size: 1m, ioengine: psync }
    repetitions: 1
    thresholds: { write.iops: ">= 1" }
validity: { again: 0 }
"""
KEPT = "/dev/disk/by-id/kept"
NAME = f"twice-{os.getpid()}"


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A device of the host's."""
    with loop_device(tmp_path_factory.mktemp("loop"), 16) as path:
        yield path


def lent(device: str) -> str:
    """A disk that is this device."""
    (image,) = sh("losetup", "--noheadings", "--output", "BACK-FILE", device).split()
    return f"device: {device}, destroy: {{ backing: {image} }}"


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory, loop: str) -> Iterator[VmSut]:
    file = describe(
        tmp_path_factory.mktemp("vm"),
        name=NAME,
        lent=lent(loop),
        more="modules: [null_blk nr_devices=1]",
        kept="size: 16m, iops: 500",
        fast="interface: nvme, size: 16m",
        zones="interface: zns, size: 64m, zone_size: 8m",
    )
    with closing(VmSut(str(file))) as opened:
        with pytest.raises(RefusedError, match=f"nobody has allowed the guest to have {loop}"):
            opened.boot(opened.kernel(NEW))
        opened.lend(check_lent)
        yield opened


def test_a_machine_boots_a_kernel(machine: VmSut) -> None:
    with pytest.raises(RefusedError, match="has no kernel to boot"):
        machine.about()
    machine.boot(machine.kernel(NEW))
    assert machine.run(["uname", "-r"]).stdout.startswith(f"{NEW}.")
    writes = f"printf iogate | dd of={KEPT} bs=512 conv=sync,fsync"
    assert machine.run(["sh", "-c", f"echo > /root/here; {writes}"]).status == 0
    assert machine.about().host_name == NAME


def test_a_clock_that_differs_changes_nothing(
    machine: VmSut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Times of a run are those of iogate's machine, and durations are of no clock that is set."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    spec = tmp_path / "spec.yaml"
    spec.write_text(SPEC)
    assert machine.run(["date", "--set", "2001-02-03"]).status == 0
    request = Request(spec=spec, sut=machine, store=str(tmp_path / "h"), output=tmp_path / "run")
    before = time.time_ns()
    run = execute(request, make_request_plan(request), Mock(), Stop()).run
    assert machine.run(["date", "+%Y"]).stdout == "2001\n"
    (measured,) = run.measurements
    times = [before, run.started_ns, measured.started_ns, run.finished_ns, time.time_ns()]
    assert times == sorted(times)
    assert not run.failures
    assert "clock" not in str(measured.disturbances)


def test_a_machine_that_hangs_is_ended_and_told(
    machine: VmSut, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It suspends itself, and nothing wakes it."""
    monkeypatch.setattr(vm, "_PATIENCE_S", 4.0)
    with pytest.raises(RunError, match=r"kernel 6\.12\..* hangs: ") as told:
        machine.write_text("/sys/power/state", "mem")
    assert str(machine.console) in told.value.remedy
    assert not machine.up
    with pytest.raises(RunError, match="hangs"):
        machine.clocks()


def test_the_next_kernel_has_its_disks_and_all_else_is_new(machine: VmSut) -> None:
    machine.boot(machine.kernel(OLD))
    assert machine.run(["uname", "-r"]).stdout.startswith(f"{OLD}.")
    assert machine.about().host_name == NAME
    assert machine.stat("/root/here") is None
    assert machine.run(["dd", f"if={KEPT}", "bs=6", "count=1"]).stdout == "iogate"


def test_a_filesystem_is_there_when_it_is_mounted_first(machine: VmSut) -> None:
    """Its module is loaded then: in an emulated machine it takes longer than the kernel."""
    assert "\txfs\n" not in (machine.read_text("/proc/filesystems") or "")
    assert machine.run(["mount", "-t", "xfs", KEPT, "/mnt"]).status  # it holds none
    assert "\txfs\n" in (machine.read_text("/proc/filesystems") or "")
    assert machine.run(["mount", "-t", "nothing", KEPT, "/mnt"]).status
    assert machine.console
    assert "iogate: module" not in machine.console.read_text(errors="replace")


def test_qemu_has_no_rights(machine: VmSut) -> None:
    """Not even of the tests' user, where that is root."""
    found = subprocess.run(
        ["pgrep", "-f", rf"^[^ ]*qemu.* -name {NAME} "], capture_output=True, text=True, check=True
    )
    status = Path(f"/proc/{found.stdout.split()[0]}/status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert "0" not in fields["Uid"].split()
    assert int(fields["CapEff"], 16) == 0
    assert fields["Seccomp"] == "2"


def test_a_device_of_the_host_is_a_disk_of_the_guest(machine: VmSut, loop: str) -> None:
    """And of nobody else meanwhile."""
    write = "printf 'of the guest' | dd of=/dev/disk/by-id/lent bs=512 conv=sync,fsync"
    assert machine.run(["sh", "-c", write]).status == 0
    subprocess.run(["blockdev", "--flushbufs", loop], check=True)
    with Path(loop).open("rb") as device:
        assert device.read(12) == b"of the guest"
    taken = subprocess.run(["mkfs.ext4", "-q", loop], capture_output=True, text=True, check=False)
    assert "in use" in taken.stderr


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (("backing: ", "backing: /not"), "destroy: says /not"),
        (("device: /dev/", "device: /dev/no-such-"), "no block device"),
    ],
)
def test_a_device_that_is_not_the_one_meant_is_not_lent(
    wrong: tuple[str, str], told: str, tmp_path: Path
) -> None:
    with (
        loop_device(tmp_path) as device,
        closing(
            VmSut(str(describe(tmp_path, name="other", lent=lent(device).replace(*wrong))))
        ) as other,
        pytest.raises(RefusedError, match=told),
    ):
        other.lend(check_lent)


def test_a_device_in_use_is_not_lent(tmp_path: Path) -> None:
    with (
        loop_device(tmp_path) as device,
        closing(VmSut(str(describe(tmp_path, name="busy", lent=lent(device))))) as busy,
    ):
        sh("mkfs.ext4", "-q", device)
        with pytest.raises(RefusedError, match="holds ext4"):
            busy.lend(check_lent)
        (tmp_path / "mnt").mkdir()
        sh("mount", device, str(tmp_path / "mnt"))
        try:
            with pytest.raises(RefusedError, match="mounted"):
                busy.lend(check_lent)
        finally:
            sh("umount", str(tmp_path / "mnt"))


def test_its_disks_and_modules_are_those_described(machine: VmSut) -> None:
    named = machine.list_dir("/dev/disk/by-id")
    assert set(named) >= {disk.name for disk in machine.description.disks}
    assert machine.stat("/dev/nullb0")
    assert machine.real_path("/dev/disk/by-id/fast").startswith("/dev/nvme")
    zoned = Path(machine.real_path("/dev/disk/by-id/zones")).name
    assert machine.read_text(f"/sys/block/{zoned}/queue/zoned") == "host-managed\n"
    assert machine.console
    assert "Linux version" in machine.console.read_text(errors="replace")


def test_a_kernel_that_panics_ends_the_machine_and_is_quoted(machine: VmSut) -> None:
    def crash() -> None:
        machine.write_text("/proc/sysrq-trigger", "c")
        machine.run(["true"])

    with pytest.raises(RunError, match=r"kernel 6\.1\..* ended: .*[Cc]rash.* at ") as told:
        crash()
    assert str(machine.console) in told.value.remedy
    with pytest.raises(RunError, match="ended"):
        machine.run(["true"])


def test_a_machine_is_of_one_process(machine: VmSut, tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=f"{NAME} is in use by another iogate"):
        open_sut(f"vm:{describe(tmp_path, name=NAME, disk='size: 1m')}")


def test_a_kernel_without_its_modules_says_what_it_lacks(tmp_path: Path) -> None:
    (image,) = (PARTS / OLD / "boot").glob("vmlinuz-*")
    alone = tmp_path / "a/b/bzImage"
    alone.parent.mkdir(parents=True)
    alone.symlink_to(image)
    with closing(VmSut(str(describe(tmp_path, name="bare", disk="size: 1m")))) as bare:
        kernel = bare.kernel(str(alone))
        with pytest.raises(RunError, match="no virtio console: CONFIG_VIRTIO_CONSOLE"):
            bare.boot(kernel)


@pytest.mark.parametrize(
    ("disk", "told"),
    [("size: 1m, file: folder", "no regular file"), ("size: 1m, file: there", "has 3 bytes, not"),
     ("size: 1m, file: no/such", "No such file")],
)  # fmt: skip
def test_a_disk_that_cannot_be_is_refused(disk: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "there").write_bytes(b"abc")
    with pytest.raises(RefusedError, match=told):
        open_sut(f"vm:{describe(tmp_path, name=f'wrong{os.getpid()}', disk=disk)}")
    assert (tmp_path / "there").read_bytes() == b"abc"


def test_without_qemu_what_to_install_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/no/such/folder")
    with pytest.raises(RefusedError, match="there is no qemu-system-x86_64 here"):
        open_sut(f"vm:{describe(tmp_path, name='none', disk='size: 1m')}")
