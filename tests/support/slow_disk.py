"""Disks of known behaviour: a FUSE image that takes as long as it is told, and limits of
the kernel on how fast a device is."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.devices import own_loop, sh

SOURCE = Path(__file__).resolve().parents[1] / "native" / "fuse_delay.c"
BLKIO = Path("/sys/fs/cgroup/blkio")
AT_ONCE = ("chrt", "--fifo", "40")  # a disk keeps its own time, whatever else the machine does


def _has_fuse() -> bool:
    return (
        Path("/dev/fuse").exists()
        and not subprocess.run(
            ["pkg-config", "--exists", "fuse3"], check=False, capture_output=True
        ).returncode
    )


needs_fuse = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("pkg-config") or not _has_fuse(),
    reason="needs root, /dev/fuse and libfuse3 (apt-get install libfuse3-dev fuse3 pkg-config)",
)


@dataclass(frozen=True, slots=True)
class Served:
    """What requests took in the disk itself, in ns."""

    requests: int
    sum_ns: int
    min_ns: int
    max_ns: int


@dataclass(frozen=True, slots=True)
class SlowDisk:
    """A loop device on the image, and the file that says how slow it is."""

    device: str
    control: Path

    def become(
        self,
        *,
        delay_us: int = 0,
        stall_ms: int = 0,
        every_ms: int = 0,
        first_ms: int = 0,
        fail_at: int = 0,
    ) -> None:
        """Be as slow as this from now on, and count anew."""
        self.control.write_text(
            f"delay_us={delay_us} stall_ms={stall_ms} every_ms={every_ms} first_ms={first_ms} "
            f"fail_at={fail_at}\n"
        )

    def served(self) -> Served:
        """What it has done since."""
        fields = dict(line.split() for line in self.control.read_text().splitlines())
        return Served(**{key: int(value) for key, value in fields.items()})

    def counters(self) -> tuple[int, int, int, int]:
        """The kernel's: read I/Os and bytes, written I/Os and bytes."""
        stat = Path(f"/sys/block/{Path(self.device).name}/stat").read_text().split()
        return int(stat[0]), int(stat[2]) * 512, int(stat[4]), int(stat[6]) * 512


def build(folder: Path) -> Path:
    """The program behind the disk."""
    program = folder / "fuse_delay"
    flags = sh("pkg-config", "--cflags", "--libs", "fuse3").split()
    sh("gcc", "-O2", "-std=gnu11", "-D_GNU_SOURCE", "-o", str(program), str(SOURCE), *flags)
    return program


def _wait_for(path: Path, process: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        if path.exists():
            return
        assert process.poll() is None, "the filesystem ended"
        time.sleep(0.02)
    raise AssertionError(f"{path} does not appear")


@contextmanager
def slow_disk(
    folder: Path, size_mib: int = 64, *, prefix: Sequence[str] = AT_ONCE
) -> Iterator[SlowDisk]:
    """A disk that takes no time until told otherwise; its program is begun by ``prefix``."""
    point = folder / "slow"
    point.mkdir()
    with slow_image(folder, point, size_mib=size_mib, prefix=prefix), own_loop() as device:
        sh("losetup", "--direct-io=on", device, str(point / "image"))
        try:
            yield SlowDisk(device, point / "control")
        finally:
            with suppress(OSError):
                (point / "control").write_text("\n")
            sh("losetup", "--detach", device)
            _wait_detached(device)
    point.rmdir()


@contextmanager
def slow_image(
    folder: Path, point: Path, *options: str, size_mib: int = 64, prefix: Sequence[str] = AT_ONCE
) -> Iterator[None]:
    """The filesystem of the image, mounted at a folder with these options of FUSE."""
    words = [word for option in options for word in ("-o", option)]
    command = [*prefix, str(build(folder)), str(size_mib), str(point), "-f", *words]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(point / "image", process)
        yield
    finally:
        subprocess.run(["fusermount3", "-u", "-z", str(point)], check=False, capture_output=True)
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait(5)


def _wait_detached(device: str) -> None:
    for _ in range(200):
        if not Path(f"/sys/block/{Path(device).name}/loop/backing_file").exists():
            return
        time.sleep(0.02)


@contextmanager
def throttled(device: str, iops: int) -> Iterator[list[str]]:
    """A cgroup (v1) that may do so many I/Os a second on a device; what a command has to
    begin with to run in it."""
    if not (BLKIO / "blkio.throttle.read_iops_device").exists():
        pytest.skip("needs cgroup v1 with blkio throttling")
    number = Path(device).stat().st_rdev
    group = BLKIO / f"iogate-test-{os.getpid()}"
    group.mkdir()
    try:
        for way in ("read", "write"):
            limit = group / f"blkio.throttle.{way}_iops_device"
            limit.write_text(f"{os.major(number)}:{os.minor(number)} {iops}\n")
        yield ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$0" "$@"']
    finally:
        group.rmdir()
