"""This machine."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import stat as stat_bits
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from iogate.errors import RunError
from iogate.files import bounded
from iogate.files.bounds import DOCUMENT_BYTES, FETCHED_BYTES, STATE_BYTES
from iogate.sut.base import (
    Completed,
    FileStat,
    Found,
    KernelLog,
    LockFile,
    LoopStatus,
    Machine,
    Process,
    Space,
)
from iogate.sut.blanks import blank_blocks
from iogate.sut.file_stat import file_stat
from iogate.sut.here import found_at, openers_of, read_whole, this_machine
from iogate.sut.kmsg import open_kernel_log
from iogate.sut.local_command import run_command
from iogate.sut.local_process import orphans, start_process
from iogate.sut.lock_file import open_lock_file, open_node
from iogate.sut.loop import loop_status
from iogate.sut.transfer import get_file, put_file, sync_folder
from iogate.sut.way import way

_HEAD_BYTES = 4096
_LINK_TRIES = 3
_TEXT_STEP = 65536
_REMOVE_TIMEOUT_S = 3600.0  # a tree may hold millions of files


class LocalSut:
    """This machine, by plain system calls."""

    name = "local"
    is_here = True
    mounts = ""  # filesystems are mounted wherever this user likes

    def close(self) -> None:
        """This machine stays."""

    def about(self) -> Machine:
        return this_machine()

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float = 30.0,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
    ) -> Completed:
        return run_command(argv, timeout_s=timeout_s, env=env, stdin=stdin)

    def start(
        self, argv: Sequence[str], *, cwd: str, stdout: str, stderr: str, plan: str = ""
    ) -> Process:
        return start_process(argv, cwd=cwd, stdout=stdout, stderr=stderr, plan=plan)

    def orphans(self) -> tuple[int, ...]:
        return orphans()

    def kill(self, pid: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)

    def read_text(self, path: str) -> str | None:
        """Of /proc and /sys as well, whose files say that they are empty."""
        try:
            if not stat_bits.S_ISREG(Path(path).stat().st_mode):
                return None
        except (OSError, ValueError):
            return None
        data = read_whole(path)
        return None if data is None else data.decode(errors="replace")

    def read_many(self, paths: Sequence[str], looks: Sequence[str] = ()) -> Mapping[str, Found]:
        return found_at(paths, looks)

    def put(self, path: str, data: bytes, *, mode: int = 0o600) -> None:
        try:
            Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            put_file(path, data, mode)
        except OSError as error:
            raise RunError(f"cannot write {path}: {error.strerror}") from error

    def get(self, path: str, into: str, *, most: int = FETCHED_BYTES) -> bool:
        return get_file(path, into, most)

    def read_result(self, path: str) -> str | None:
        try:
            return bounded.read_bytes(path, DOCUMENT_BYTES).decode(errors="replace")
        except OSError:
            return None

    def read_head(self, path: str) -> bytes:
        with suppress(OSError):
            return bounded.read_head(path, _HEAD_BYTES)
        return b""

    def write_text(self, path: str, text: str) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            with os.fdopen(os.open(path, flags, 0o666), "w") as file:
                file.write(text)
        except OSError as error:
            raise RunError(f"cannot write {path}: {error.strerror}") from error

    def append_durably(self, path: str, text: str) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            handle = os.open(path, flags, 0o600)
            try:
                if not _is_own(os.fstat(handle)):
                    raise RunError(f"{path} belongs to another user", remedy="remove it")
                _append_whole(handle, text.encode())
                os.fsync(handle)
            finally:
                os.close(handle)
            sync_folder(str(Path(path).parent))
        except OSError as error:
            raise RunError(f"cannot write {path}: {error.strerror}") from error

    def read_own(self, path: str) -> str | None:
        try:
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return None
        with os.fdopen(handle, "rb", buffering=0) as file:
            if not _is_own(os.fstat(handle)):
                return None
            try:
                return bounded.read_stream(file, STATE_BYTES, _TEXT_STEP).decode(errors="replace")
            except OSError as error:
                raise RunError(
                    f"cannot read {path}: {error.strerror}", remedy="look at it, and remove it"
                ) from None

    def stat(self, path: str) -> FileStat | None:
        try:
            status = Path(path).stat()
        except (OSError, ValueError):
            return None
        return file_stat(status)

    def list_dir(self, path: str) -> tuple[str, ...]:
        try:
            return tuple(sorted(entry.name for entry in Path(path).iterdir()))
        except OSError:
            return ()

    def real_path(self, path: str) -> str:
        for _ in range(_LINK_TRIES):
            with suppress(OSError):  # a link that went while it was read, as those in /proc do
                return os.path.realpath(path)
        raise RunError(f"{path} changes while it is looked up")

    def way(self, path: str) -> tuple[str, str]:
        return way(path)

    def space(self, path: str) -> Space | None:
        try:
            space = os.statvfs(path)
        except OSError:
            return None
        return Space(space.f_blocks * space.f_frsize, space.f_bavail * space.f_frsize)

    def make_dir(self, path: str) -> None:
        try:
            Path(path).mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"cannot make directory {path}: {error.strerror}") from error

    def remove_tree(self, path: str) -> None:
        done = self.run(["rm", "-rf", "--one-file-system", "--", path], timeout_s=_REMOVE_TIMEOUT_S)
        if done.status:
            raise RunError(f"cannot remove {path}: {done.stderr.strip()}")

    def remove_file(self, path: str) -> None:
        try:
            Path(path).unlink(missing_ok=True)
        except OSError as error:
            raise RunError(f"cannot remove {path}: {error.strerror}") from error

    def can_read(self, path: str) -> bool:
        return os.access(path, os.R_OK)

    def can_write(self, path: str) -> bool:
        return os.access(path, os.W_OK)

    def which(self, program: str) -> str | None:
        return shutil.which(program)

    def clocks(self) -> tuple[int, int]:
        return time.time_ns(), time.monotonic_ns()

    def kernel_log(self) -> KernelLog | None:
        return open_kernel_log()

    def blank_blocks(self, path: str, offsets: Sequence[int], length: int) -> int | None:
        return blank_blocks(path, offsets, length)

    def borrow(self, path: str) -> None:
        """A user without a helper has what he has."""

    def put_back(self) -> tuple[str, ...]:
        return ()

    def open_exclusive(self, path: str) -> str | None:
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC))
        except OSError as error:
            return error.strerror
        return None

    def lock_file(self, path: str, *, make: bool) -> LockFile:
        return open_lock_file(path, make=make)

    def lock_node(self, path: str) -> LockFile:
        return open_node(path)

    def openers(self, path: str) -> tuple[int, ...]:
        return openers_of(path)

    def loop_status(self, path: str) -> LoopStatus | None:
        return loop_status(path)


def _append_whole(handle: int, data: bytes) -> None:
    """All of it or nothing: OSError when only a part has room, which is then taken back."""
    before = os.fstat(handle).st_size
    written = os.write(handle, data)
    if written != len(data):
        os.ftruncate(handle, before)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _is_own(status: os.stat_result) -> bool:
    """A regular file of this user, with one name, that nobody else may write."""
    others = status.st_mode & (stat_bits.S_IWGRP | stat_bits.S_IWOTH)
    is_one = stat_bits.S_ISREG(status.st_mode) and status.st_nlink == 1
    return is_one and status.st_uid == os.geteuid() and not others
