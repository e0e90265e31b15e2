"""This machine."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import select
import shutil
import signal
import stat as stat_bits
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from iogate.errors import RunError
from iogate.files import bounded
from iogate.files.bounds import DOCUMENT_BYTES, STATE_BYTES
from iogate.sut.base import Completed, FileStat, KernelLog, LoopStatus, Process, Space
from iogate.sut.blanks import blank_blocks
from iogate.sut.kmsg import open_kernel_log
from iogate.sut.loop import loop_status
from iogate.sut.stat import parse_stat

_PR_SET_PDEATHSIG = 1
_PIPE_CHUNK = _TEXT_STEP = 65536
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_LINK_TRIES = 3
_SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
_TOKEN = "IOGATE_PROCESS"  # in the environment of an engine and of all that it starts
_REMOVE_TIMEOUT_S = 3600.0  # a tree may hold millions of files
_KILL_ROUNDS, _KILL_PAUSE_S = 50, 0.02


class LocalProcess:
    """A child in a session of its own: a Ctrl-C at the terminal reaches only iogate, which
    then stops the engine in an orderly way."""

    def __init__(self, child: subprocess.Popen[bytes], status_fd: int, token: str) -> None:
        self._child = child
        self._token = token
        self._fd = status_fd
        self._rest = b""
        self.pid = child.pid

    def status_lines(self, timeout_s: float) -> list[str] | None:
        if self._fd < 0:
            return None
        ready, _, _ = select.select([self._fd], [], [], timeout_s)
        if not ready:
            return []
        chunk = os.read(self._fd, _PIPE_CHUNK)
        if not chunk:
            self._close()
            return None
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return [line.decode(errors="replace") for line in lines]

    def poll(self) -> int | None:
        """Looks without reaping: the zombie keeps its number, and so the group's, from
        being given to a stranger before kill_group."""
        if self._child.returncode is not None:
            return self._child.returncode
        found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    def signal(self, number: int) -> None:
        if self._child.returncode is None:
            os.kill(self.pid, number)

    def kill_group(self) -> None:
        if self._child.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            _kill_marked(self._token)
            self._child.wait()
        self._close()

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class LocalSut:
    """This machine, by plain system calls."""

    name = "local"
    mounts = ""  # filesystems are mounted wherever this user likes

    def close(self) -> None:
        """This machine stays."""

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float = 30.0,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
    ) -> Completed:
        try:
            done = subprocess.run(
                argv,
                input=stdin.encode(),
                capture_output=True,
                timeout=timeout_s,
                env=None if env is None else {**os.environ, **env},
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise RunError(f"{argv[0]} did not end within {timeout_s:g} s") from None
        except OSError as error:
            raise RunError(f"cannot run {argv[0]}: {error.strerror}") from error
        out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        return Completed(tuple(argv), done.returncode, out, err)

    def start(
        self, argv: Sequence[str], *, cwd: str, stdout: str, stderr: str, plan: str = ""
    ) -> Process:
        read_fd, write_fd = os.pipe()
        token = f"{uuid.uuid4().hex}.{_identity(os.getpid())}"
        plan_fd = _sealed(plan.replace("{status_fd}", str(write_fd)))
        numbers = {"{status_fd}": write_fd, "{plan_fd}": plan_fd}
        words = [_numbered(word, numbers) for word in argv]
        try:
            with _opened_log(stdout) as out, _opened_log(stderr) as err:
                child = subprocess.Popen(
                    words,
                    cwd=cwd,
                    env={**os.environ, _TOKEN: token},
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    pass_fds=(write_fd, plan_fd),
                    start_new_session=True,
                    # iogate has one thread, and the hook only makes system calls.
                    preexec_fn=_die_with_parent(os.getpid()),  # noqa: PLW1509
                )
        except (OSError, subprocess.SubprocessError) as error:
            os.close(read_fd)
            raise RunError(f"cannot start {argv[0]}: {error}") from error
        finally:
            os.close(write_fd)
            os.close(plan_fd)
        return LocalProcess(child, read_fd, token)

    def orphans(self) -> tuple[int, ...]:
        return tuple(pid for pid in _pids() if _is_orphan(pid))

    def kill(self, pid: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)

    def read_text(self, path: str) -> str | None:
        """Of /proc and /sys as well, whose files say that they are empty."""
        try:
            if not stat_bits.S_ISREG(Path(path).stat().st_mode):
                return None
            with os.fdopen(os.open(path, _READ), "rb", buffering=0) as file:
                return bounded.read_stream(file, DOCUMENT_BYTES, _TEXT_STEP).decode(
                    errors="replace"
                )
        except (OSError, ValueError):
            return None

    def read_result(self, path: str) -> str | None:
        try:
            return bounded.read_bytes(path, DOCUMENT_BYTES).decode(errors="replace")
        except OSError:
            return None

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
            _sync_folder(path)
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
            found = Path(path).stat()
        except (OSError, ValueError):
            return None
        return FileStat(
            is_directory=stat_bits.S_ISDIR(found.st_mode),
            is_file=stat_bits.S_ISREG(found.st_mode),
            is_block=stat_bits.S_ISBLK(found.st_mode),
            size_bytes=found.st_size,
            rdev=_numbers(found.st_rdev),
            device=_numbers(found.st_dev),
            inode=found.st_ino,
            links=found.st_nlink,
            owner=found.st_uid,
            mode=stat_bits.S_IMODE(found.st_mode),
        )

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

    def space(self, path: str) -> Space | None:
        try:
            found = os.statvfs(path)
        except OSError:
            return None
        return Space(found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize)

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

    def loop_status(self, path: str) -> LoopStatus | None:
        return loop_status(path)


def _sealed(text: str) -> int:
    """An open file in memory that holds the text, and that nobody can change any more."""
    handle = os.memfd_create("plan", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(handle, text.encode())
    fcntl.fcntl(handle, fcntl.F_ADD_SEALS, _SEALS)
    return handle


def _numbered(word: str, numbers: Mapping[str, int]) -> str:
    for name, number in numbers.items():
        word = word.replace(name, str(number))
    return word


def _opened_log(path: str) -> IO[bytes]:
    """To append to. The folder is one that an engine writes into: a link there is followed no
    more than a pipe is waited for."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    handle = os.open(path, flags, 0o666)
    if not stat_bits.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, f"{path} is no regular file")
    os.set_blocking(handle, True)
    return os.fdopen(handle, "ab")


def _append_whole(handle: int, data: bytes) -> None:
    """All of it or nothing: OSError when only a part has room, which is then taken back."""
    before = os.fstat(handle).st_size
    written = os.write(handle, data)
    if written != len(data):
        os.ftruncate(handle, before)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _is_own(found: os.stat_result) -> bool:
    """A regular file of this user, with one name, that nobody else may write."""
    others = found.st_mode & (stat_bits.S_IWGRP | stat_bits.S_IWOTH)
    is_one = stat_bits.S_ISREG(found.st_mode) and found.st_nlink == 1
    return is_one and found.st_uid == os.geteuid() and not others


def _sync_folder(path: str) -> None:
    """Make the name of a new file durable."""
    handle = os.open(Path(path).parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _numbers(device: int) -> str:
    return f"{os.major(device)}:{os.minor(device)}"


def _kill_marked(token: str) -> None:
    """SIGKILL every process that carries the token. Some engines put their workers into
    sessions of their own, where killing the group does not reach them."""
    for _ in range(_KILL_ROUNDS):
        left = [pid for pid in _pids() if _carries(pid, token)]
        if not left:
            return
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_KILL_PAUSE_S)


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _carries(pid: int, token: str) -> bool:
    try:
        return f"{_TOKEN}={token}".encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def _identity(pid: int) -> str:
    """A process, its start and the namespace of its number: never given twice in a boot. Empty
    for one that is not there, or cannot be seen."""
    try:
        stat = parse_stat(Path(f"/proc/{pid}/stat").read_text())
        space = Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        return ""
    return f"{pid}.{stat.started}.{space}" if stat else ""


def _is_orphan(pid: int) -> bool:
    """Whether it was started by an iogate of this namespace that is gone. Of one of another
    namespace nobody here can know."""
    try:
        words = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    begin = f"{_TOKEN}=".encode()
    token = next((word[len(begin) :] for word in words if word.startswith(begin)), b"")
    _, _, owner = token.decode(errors="replace").partition(".")
    parts = owner.split(".")
    if len(parts) != 3 or not parts[0].isdigit():
        return False
    here = _identity(os.getpid()).rpartition(".")[2]
    return parts[2] == here and _identity(int(parts[0])) != owner


def _die_with_parent(parent: int) -> Callable[[], None]:
    """A hook for the child between fork and exec: SIGTERM when iogate dies, however it
    dies. An engine answers it by stopping its workers, which SIGKILL would orphan.

    It hears the SIGINT that asks it to stop: a shell starts what runs in its background with
    that signal ignored, and a program that is started ignores what its starter did.

    libc is looked up before the fork: after it the child may only make system calls.
    """
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def hook() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(127)

    return hook
