"""Virtual machines that get nowhere: disks that cannot be, kernels that say nothing."""

from __future__ import annotations

import os
import struct
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from iogate.errors import RefusedError, RunError
from iogate.sut import open_sut
from iogate.sut.vm import VmSut
from support.guests import describe


@pytest.mark.parametrize("size", ["9999999t", "999999999999t"])
@pytest.mark.parametrize("file", ["", ", file: large"])
def test_a_disk_that_no_file_can_be_is_refused(size: str, file: str, tmp_path: Path) -> None:
    name = f"large{os.getpid()}"
    with pytest.raises(RefusedError, match=r"disk d: there can be no .* bytes: "):
        open_sut(f"vm:{describe(tmp_path, name=name, d=f'size: {size}{file}')}")
    assert not (tmp_path / "large").exists()


def image(folder: Path, code: bytes) -> Path:
    """A kernel that does this before anything else."""
    setup = bytearray(b"\xf4" * 0x400)
    setup[0x1F1] = 1  # one more sector of setup
    setup[0x200:0x202] = b"\xeb\x66"
    setup[0x202:0x206] = b"HdrS"
    struct.pack_into("<H", setup, 0x206, 0x20F)
    struct.pack_into("<H", setup, 0x20E, 0x180)
    setup[0x211] = 1  # loaded high
    struct.pack_into("<I", setup, 0x214, 0x100000)
    struct.pack_into("<I", setup, 0x22C, 0x7FFFFFFF)  # where the initramfs may be
    setup[0x268 : 0x268 + len(code)] = code
    setup[0x380:0x386] = b"6.1.0\0"
    path = folder / "bzImage"
    path.write_bytes(bytes(setup) + bytes(4096))
    return path


# Interrupts without a table of handlers (lidt of nothing, and then one), and a loop without any.
FALLS = b"\x2e\x0f\x01\x1e\x6f\x00\xcc" + bytes(6)
LOOPS = b"\xfa\xeb\xfe"


@pytest.mark.parametrize(("code", "told"), [(FALLS, "is gone"), (LOOPS, "hangs")])
def test_a_kernel_that_gets_nowhere_before_it_speaks_has_failed(
    code: bytes, told: str, tmp_path: Path
) -> None:
    """It is no fault of QEMU's: a search among kernels goes on."""
    name = f"silent{os.getpid()}"
    more = "boot_seconds: 2" if code is LOOPS else ""
    machine = VmSut(str(describe(tmp_path, name=name, more=more, d="size: 1m")))
    with (
        closing(machine),
        pytest.raises(RunError, match=rf"kernel 6\.1\.0 {told}: it said nothing"),
    ):
        machine.boot(machine.kernel(str(image(tmp_path, code))))
    assert name not in "".join(commands())


# Says "x" and "y" on the serial line, and loops.
SAYS = b"\xba\xf8\x03\xb0x\xee\xb0y\xee\xfa\xeb\xfe"


@pytest.mark.parametrize(("code", "said"), [(SAYS, "xy"), (LOOPS, "it said nothing")])
def test_what_killed_qemu_is_told(code: bytes, said: str, tmp_path: Path) -> None:
    """As the kernel does that runs out of memory. It is no fault of the machine's file."""
    name = f"killed{os.getpid()}"
    machine = VmSut(str(describe(tmp_path, name=name, d="size: 1m")))
    kernel = machine.kernel(str(image(tmp_path, code)))

    def kill() -> None:
        """Once it has said what it says, and is far enough to be found."""
        words = ["pkill", "-KILL", "-f", f"^[^ ]*qemu.* -name {name} "]
        for _ in range(600):
            time.sleep(0.1)
            at = machine.console
            silent = code is SAYS and not (at and at.exists() and at.read_bytes().strip())
            if not silent and subprocess.run(words, check=False).returncode == 0:
                return

    with closing(machine), ThreadPoolExecutor() as beside:
        beside.submit(kill)
        with pytest.raises(RunError, match=rf"is gone, as QEMU was killed by signal 9: {said}"):
            machine.boot(kernel)


def commands() -> Iterator[str]:
    """What runs here."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield path.read_text(errors="replace")
