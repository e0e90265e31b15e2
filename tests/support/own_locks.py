"""A /run/lock of the tests' own. No variable moves iogate's locks elsewhere, so the tests go
elsewhere: into a mount namespace in which that folder is another."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

LOCKS = Path("/run/lock")
NOBODY = 65534
_CLONE_NEWNS = 0x20000
_MS_BIND, _MS_REC, _MS_SLAVE = 0x1000, 0x4000, 0x80000
_is_own = False


def take_own_locks() -> None:
    """Give this process and all that it starts a /run/lock that no other process has. What is
    mounted outside later is still seen, and what is unmounted there goes. Without root there
    is none: then tests wait for the host's lock as anybody does."""
    global _is_own  # noqa: PLW0603 - there is one /run/lock
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() or libc.unshare(_CLONE_NEWNS):
        return
    LOCKS.mkdir(parents=True, exist_ok=True)
    steps = (
        libc.mount(b"none", b"/", None, _MS_REC | _MS_SLAVE, None),
        libc.mount(b"tmpfs", str(LOCKS).encode(), b"tmpfs", 0, b"mode=1777,size=4m"),
    )
    if any(steps):
        raise OSError(ctypes.get_errno(), f"cannot mount a /run/lock for the tests: {steps}")
    _is_own = True


def open_the_way(path: Path) -> None:
    """Let other users reach ``path``, as tests that become one need it, for this process and
    all that it starts: a folder above it that they may not enter is covered by one of the same
    content that they may. Nothing is changed on the disk, nor for anybody else."""
    if not _is_own:
        return
    for folder in reversed(path.resolve().parents):
        if not folder.stat().st_mode & 1:
            _cover(folder)
    os.chdir(Path.cwd())  # by way of the covers


def _cover(folder: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    below = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    names = os.listdir(folder)  # noqa: PTH208
    failed = libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, b"mode=711,size=4m")
    for name in () if failed else names:
        source, place = Path(f"/proc/self/fd/{below}/{name}"), folder / name
        if source.is_symlink():
            place.symlink_to(source.readlink())
            continue
        if source.is_dir():
            place.mkdir()
        else:
            place.touch()
        pair = (os.fsencode(source), os.fsencode(place))
        failed = failed or libc.mount(*pair, None, _MS_BIND | _MS_REC, None)
    os.close(below)
    if failed:
        raise OSError(ctypes.get_errno(), f"cannot open the way through {folder}")


def clear_own_locks() -> None:
    """What a test has left in it is not the next one's."""
    for entry in LOCKS.iterdir() if _is_own else ():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def as_nobody(code: str) -> subprocess.CompletedProcess[str]:
    """A program of a user who may do nothing special, on this machine."""
    drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [*drop, sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False
    )
