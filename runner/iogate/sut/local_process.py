"""Processes of this machine that are started, watched, and never left behind."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import select
import signal
import stat as stat_bits
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from iogate.errors import RunError
from iogate.sut.base import Process
from iogate.sut.stat import parse_stat

_PR_SET_PDEATHSIG = 1
_SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
_TOKEN = "IOGATE_PROCESS"  # in the environment of an engine and of all that it starts
_KILL_ROUNDS, _KILL_PAUSE_S = 50, 0.02
_END_PAUSE_S = 0.01
_PIPE_CHUNK = 65536
_LONGEST_LINE = 65536


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
        *lines, rest = (self._rest + chunk).split(b"\n")
        self._rest = rest if len(rest) <= _LONGEST_LINE else b""  # no status is as long
        return [line.decode(errors="replace") for line in lines]

    def poll(self) -> int | None:
        """Looks without reaping: the zombie keeps its number, and so the group's, from
        being given to a stranger before kill_group."""
        if self._child.returncode is not None:
            return self._child.returncode
        ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    def look(self, timeout_s: float) -> tuple[list[str], int | None]:
        deadline = time.monotonic() + timeout_s
        lines = self.status_lines(timeout_s)
        while (status := self.poll()) is None and lines is None and time.monotonic() < deadline:
            time.sleep(_END_PAUSE_S)
        return lines or [], status

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


def start_process(argv: Sequence[str], *, cwd: str, stdout: str, stderr: str, plan: str) -> Process:
    """As ``Sut.start`` says."""
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
                preexec_fn=die_with_parent(os.getpid()),  # noqa: PLW1509
            )
    except (OSError, subprocess.SubprocessError) as error:
        os.close(read_fd)
        raise RunError(f"cannot start {argv[0]}: {error}") from error
    finally:
        os.close(write_fd)
        os.close(plan_fd)
    return LocalProcess(child, read_fd, token)


def orphans() -> tuple[int, ...]:
    """As ``Sut.orphans`` says."""
    return tuple(pid for pid in _pids() if _is_orphan(pid))


@contextmanager
def given(text: str) -> Iterator[int]:
    """An open file that holds the text, to be read from its beginning: more than once where
    somebody opens /proc/self/fd/0."""
    handle = _sealed(text)
    os.lseek(handle, 0, os.SEEK_SET)
    try:
        yield handle
    finally:
        os.close(handle)


def _sealed(text: str) -> int:
    """An open file in memory that holds the text, and that nobody can change any more."""
    handle = os.memfd_create("plan", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with os.fdopen(handle, "wb", closefd=False) as file:
        file.write(text.encode())
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
        raise OSError(errno.EINVAL, f"{path} is not a regular file")
    os.set_blocking(handle, True)
    return os.fdopen(handle, "ab")


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
    for one that is not there, that has ended, or cannot be seen."""
    try:
        stat = parse_stat(Path(f"/proc/{pid}/stat").read_text())
        space = Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        return ""
    return f"{pid}.{stat.started}.{space}" if stat and not stat.has_ended else ""


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


def die_with_parent(parent: int) -> Callable[[], None]:
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
