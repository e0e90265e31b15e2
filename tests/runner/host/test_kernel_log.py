"""Which lines of the kernel's log tell of trouble, and that a run sees those of its time."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from iogate.host.kernel_log import LINES, LONGEST, KernelWatch, in_words, seen, troubles
from iogate.model.measurement import KernelTrouble
from iogate.sut import kmsg, open_sut
from iogate.sut.base import KernelLog
from iogate.sut.local import LocalSut
from support.devices import KERNEL_LOG, loop_device, needs_kernel_log, needs_root

TROUBLES = [
    ("I/O error", "blk_update_request: I/O error, dev loop0, sector 8"),
    ("I/O error", "critical medium error, dev sda, sector 123 op 0x0:(READ)"),
    ("I/O error", "Buffer I/O error on dev dm-0, logical block 5, lost async page write"),
    ("I/O error", "sd 0:0:0:0: [sda] tag#3 Add. Sense: Unrecovered read error"),
    ("device reset", "nvme nvme0: I/O tag 12 (100c) QID 3 timeout, aborting req_op:READ(0) size:4"),
    ("device reset", "nvme nvme0: I/O 12 QID 3 timeout, reset controller"),
    ("device reset", "ata1.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x6 frozen"),
    ("device reset", "ata1: hard resetting link"),
    ("device reset", "usb 2-1: reset SuperSpeed USB device number 2 using xhci_hcd"),
    ("device failure", "nvme nvme0: controller is down; will reset: CSTS=0xffffffff"),
    ("device failure", "md/raid1:md0: Disk failure on sdb1, disabling device."),
    ("device failure", "sd 0:0:0:0: Device offlined - not ready after error recovery"),
    ("hung task", "INFO: task fio:812 blocked for more than 120 seconds."),
    ("hung task", "watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [fio:9]"),
    ("hung task", "rcu: INFO: rcu_sched self-detected stall on CPU"),
    ("hung task", "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:"),
    ("out of memory", "fio invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0"),
    ("out of memory", "Out of memory: Killed process 812 (fio) total-vm:1kB"),
    ("filesystem error", "EXT4-fs error (device sda1): ext4_lookup:1854: inode #2: comm ls: bad"),
    ("filesystem error", "EXT4-fs (sda1): Remounting filesystem read-only"),
    ("filesystem error", "XFS (dm-0): Corruption of in-memory data detected.  Shutting down."),
    ("filesystem error", "XFS (dm-0): Filesystem has been shut down due to log error (0x2)."),
    ("filesystem error", "BTRFS critical (device sda1): unable to find logical 4096 length 4096"),
    (
        "throttling",
        "CPU0: Core temperature above threshold, cpu clock throttled (total events = 1)",
    ),
    ("throttling", "mce: CPU3: Package temperature is above threshold, cpu clock is throttled"),
    ("hardware error", "mce: [Hardware Error]: Machine check events logged"),
    ("hardware error", "pcieport 0000:00:1c.0: AER: Corrected error received: 0000:01:00.0"),
    ("clock unstable", "clocksource: timekeeping watchdog: Marking clocksource 'tsc' as unstable"),
    ("kernel bug", "BUG: kernel NULL pointer dereference, address: 0000000000000008"),
    ("kernel bug", "WARNING: CPU: 1 PID: 9 at fs/ext4/inode.c:12 ext4_x+0x1/0x2"),
]
USUAL = [
    "EXT4-fs (sda1): mounted filesystem with ordered data mode. Opts: errors=remount-ro",
    "EXT4-fs (vda): mounted filesystem 00000000 r/w without journal. Quota mode: none.",
    "XFS (loop0): Mounting V5 Filesystem 0b1f",
    "XFS (loop0): Unmounting Filesystem 0b1f",
    "XFS (loop0): Ending clean mount",
    "BTRFS info (device loop0): using crc32c (crc32c-intel) checksum algorithm",
    "JBD2: recovery complete",
    "loop0: detected capacity change from 0 to 16384",
    "bash (71): drop_caches: 3",
    "perf: interrupt took too long (2501 > 2500), lowering kernel.perf_event_max_sample_rate",
    "usb 2-1: new SuperSpeed USB device number 2 using xhci_hcd",
    "CPU0: Core temperature/speed normal (total events = 1)",
    "smpboot: CPU 3 is now offline",
    "clocksource: Switched to clocksource tsc",
    "pcieport 0000:00:1c.0: AER: enabled with IRQ 24",
    "",
]


def record(text: str, number: int = 7) -> str:
    return f"3,{number},1256757688,-;{text}\n SUBSYSTEM=block\n DEVICE=b7:0\n"


@pytest.mark.parametrize(("kind", "line"), TROUBLES)
def test_a_line_of_trouble_has_its_kind(kind: str, line: str) -> None:
    assert troubles([record(line)]) == (KernelTrouble(kind, 1, (line,)),)


@pytest.mark.parametrize("line", USUAL)
def test_what_is_usual_is_none(line: str) -> None:
    assert troubles([record(line)]) == ()


@pytest.mark.parametrize("text", ["I/O error", "3,1,1;", ";", "no record", "3,1,2,-"])
def test_what_is_no_record_is_no_error(text: str) -> None:
    assert troubles([text]) == ()


def test_a_flood_is_counted_and_not_kept() -> None:
    lines = [f"I/O error, dev sda, sector {n} {'x' * 4000}" for n in range(5000)]
    (found,) = troubles(map(record, lines))
    assert found.count == 5000
    assert found.lines == tuple(line[:LONGEST] for line in lines[:LINES])


def test_the_same_again_is_kept_once() -> None:
    found = troubles([record("I/O error, dev sda")] * 9)
    assert found == (KernelTrouble("I/O error", 9, ("I/O error, dev sda",)),)


def test_lines_that_nobody_could_read_are_told_of() -> None:
    assert troubles(["", ""]) == (KernelTrouble("lines lost", 2),)
    assert in_words(troubles([""])) == "lines lost"


class Without(LocalSut):
    """A machine whose kernel's log this user may not read."""

    def kernel_log(self) -> KernelLog | None:
        return None


def test_without_a_log_nothing_is_known() -> None:
    with closing(KernelWatch(Without())) as watch:
        assert seen(watch.records()) is None


@pytest.mark.parametrize("place", ["/dev/null", "/proc/version", "/no/such/file"])
def test_what_is_not_the_kernels_log_is_none(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kmsg, "_KMSG", place)
    assert open_sut().kernel_log() is None


def test_a_log_that_is_forbidden_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object) -> int:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "open", refuse)
    assert open_sut().kernel_log() is None


@needs_kernel_log
def test_what_is_in_a_line_stays_text() -> None:
    name = os.urandom(6).hex()
    with closing(KernelWatch(open_sut())) as watch:
        KERNEL_LOG.write_text(f"<3>test {name}: TSC unstable \x1b[31m<b>é\n")
        lines = [line for one in seen(watch.records()) or () for line in one.lines if name in line]
    assert lines == [rf"test {name}: TSC unstable \x1b[31m<b>\xc3\xa9"]


@needs_kernel_log
def test_what_was_overwritten_is_told_of_and_the_rest_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As the kernel answers a reader that was too slow; a real flood would cost its log."""
    answers: Iterator[bytes | OSError] = iter(
        [BrokenPipeError(), record("I/O error, dev sda").encode(), BlockingIOError()]
    )

    def read(_handle: int, _most: int) -> bytes:
        found = next(answers)
        if isinstance(found, OSError):
            raise found
        return found

    with closing(KernelWatch(open_sut())) as watch:
        monkeypatch.setattr(os, "read", read)
        assert [one.kind for one in seen(watch.records()) or ()] == ["lines lost", "I/O error"]


@needs_kernel_log
def test_a_log_without_end_is_left_and_goes_on_later(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(KernelWatch(open_sut())) as watch:
        with monkeypatch.context() as patched:
            patched.setattr(os, "read", lambda _handle, _most: record("I/O error").encode())
            kinds = [one.kind for one in seen(watch.records()) or ()]
        assert kinds == ["I/O error", "lines lost"]
        assert seen(watch.records()) is not None


@needs_root
@needs_kernel_log
def test_an_error_of_a_device_is_seen(tmp_path: Path) -> None:
    with closing(KernelWatch(open_sut())) as watch:
        with loop_device(tmp_path) as device:
            next(tmp_path.glob("image-*")).write_bytes(b"")
            with (
                Path(device).open("rb", buffering=0) as disk,
                pytest.raises(OSError, match="Input"),
            ):
                disk.read(4096)
        lines = [
            t for one in seen(watch.records()) or () if one.kind == "I/O error" for t in one.lines
        ]
    assert any(f"dev {Path(device).name}, sector 0" in line for line in lines)
