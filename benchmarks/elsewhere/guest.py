"""How long a virtual machine takes from its start to its first I/O."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from elsewhere.promise import Promise
from iogate.engine.native import find_program
from iogate.sut import open_sut
from support.guests import NEW, OLD, describe

MOST_S = 15.0
JOB = (
    "--name=first", "--filename=/dev/disk/by-id/scratch", "--ioengine=psync", "--rw=read",
    "--bs=4k", "--size=4k", "--readonly",
)  # fmt: skip


def promises(folder: Path) -> Iterator[Promise]:
    """A row for each kernel."""
    for kernel in (OLD, NEW):
        file = describe(folder, more=f"kernel: '{kernel}'", scratch="size: 64m")
        began, cpu = time.monotonic(), os.times()
        with closing(open_sut(f"vm:{file}")) as guest:
            done = guest.run([find_program(guest), *JOB])
            took = time.monotonic() - began
            assert done.status == 0, done.stderr
        busy = sum(os.times()[2:4]) - sum(cpu[2:4])
        yield Promise(
            f"from the start of a virtual machine with Linux {kernel} to the end of its first "
            "I/O, emulated",
            f"{took:.1f} s, {busy:.0f} s of CPU time until it is off",
            f"≤ {MOST_S:.0f} s",
            took <= MOST_S,
        )
