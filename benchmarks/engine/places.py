"""A zram device and a file, both of our own making, and always taken away."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.cases import Place

BYTES = 256 << 20
CONTROL = Path("/sys/class/zram-control")


@contextmanager
def places() -> Iterator[dict[Place, list[str]]]:
    """The options that lead to each place; those that this machine lacks are left out."""
    with TemporaryDirectory(prefix="iogate-bench-", dir="/var/tmp") as folder, zram() as device:
        path = Path(folder) / "file"
        fill(path)
        arguments: dict[Place, list[str]] = {Place.NOWHERE: [], Place.FILE: [f"--filename={path}"]}
        if device:
            arguments[Place.ZRAM] = [f"--filename={device}"]
        yield arguments


def fill(path: Path | str) -> None:
    """Noise, so that no device finds it easy."""
    with Path(path).open("wb" if isinstance(path, Path) else "r+b") as out:
        out.writelines(os.urandom(1 << 20) for _ in range(BYTES >> 20))
        out.flush()
        os.fsync(out.fileno())


@contextmanager
def zram() -> Iterator[str | None]:
    """A new zram device full of noise, or None where there can be none."""
    number = None
    with suppress(OSError):
        number = (CONTROL / "hot_add").read_text().strip()
    if number is None:
        yield None
        return
    try:
        Path(f"/sys/block/zram{number}/disksize").write_text(str(BYTES))
        fill(f"/dev/zram{number}")
        yield f"/dev/zram{number}"
    finally:
        remove(number)


def remove(number: str) -> None:
    """A device that something still closes goes a moment later."""
    for _ in range(100):
        try:
            (CONTROL / "hot_remove").write_text(number)
        except OSError:
            time.sleep(0.05)
        else:
            return
