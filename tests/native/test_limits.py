"""What a machine does not allow is told with its name, and with how much is needed.

The kernel's answers are real errors: of a seccomp filter for the two system calls, of a
resource limit for locked memory. The sysctls that messages quote are files mounted over
the real ones where nobody else sees them, so that no other program of this machine
suffers.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.engine_runs import Ran

IO_URING_SETUP = 425
IO_SETUP = 206 if platform.machine() == "x86_64" else 0
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER_MODE = 22, 38, 2
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000
NOBODY = 65534


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("if_true", ctypes.c_uint8),
        ("if_false", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("code", ctypes.POINTER(_Instruction)))


def _failing(call: int, error: int) -> Callable[[], None]:
    """To be run in a child: from there on the system call fails with the error."""
    code = (_Instruction * 4)(
        _Instruction(LOAD, 0, 0, 0),
        _Instruction(JUMP_IF_EQUAL, 0, 1, call),
        _Instruction(RETURN, 0, 0, FAIL | error),
        _Instruction(RETURN, 0, 0, ALLOW),
    )
    program = _Program(len(code), code)
    libc = ctypes.CDLL(None, use_errno=True)

    def install() -> None:
        if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
            PR_SET_SECCOMP, FILTER_MODE, ctypes.byref(program), 0, 0
        ):
            os._exit(99)

    return install


def _run(command: list[str], folder: Path, before: Callable[[], None], options: str) -> Ran:
    text = "[j]\nrw=read\nsize=64k\n" + "\n".join(options.split()) + "\n"
    done = subprocess.run(
        [*command, "--output-format=json", "-"], cwd=folder, input=text, capture_output=True,
        text=True, check=False, preexec_fn=before, timeout=60,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr, folder)


def _as_root() -> None:
    if os.geteuid():
        pytest.skip("needs root")


def _with_files(engine: Path, folder: Path, numbers: dict[str, int]) -> list[str]:
    """The engine in a mount namespace of its own, where each path says its number."""
    for path, number in numbers.items():
        (folder / Path(path).name).write_text(f"{number}\n")
    mounts = [f'mount --bind "{folder}/{Path(path).name}" {path}' for path in numbers]
    script = " && ".join([*mounts, 'exec "$0" "$@"'])
    return ["unshare", "--mount", "sh", "-c", script, str(engine)]


def test_a_filter_that_forbids_io_uring(engine: Path, tmp_path: Path) -> None:
    ran = _run([str(engine)], tmp_path, _failing(IO_URING_SETUP, errno.EPERM), "ioengine=io_uring")
    assert ran.status == 1
    assert "j: ioengine io_uring: a seccomp filter forbids io_uring" in ran.err
    assert "ioengine=libaio" in ran.err


@pytest.mark.parametrize(
    ("value", "group", "said"),
    [
        (1, -1, "only to root (kernel.io_uring_disabled is 1, and kernel.io_uring_group names"),
        (1, 27, "only to root and the group 27 (kernel.io_uring_disabled is 1)"),
        (2, -1, "forbids io_uring to all (kernel.io_uring_disabled is 2)"),
    ],
)
def test_io_uring_disabled(engine: Path, tmp_path: Path, value: int, group: int, said: str) -> None:
    _as_root()
    if not Path("/proc/sys/kernel/io_uring_disabled").exists():
        pytest.skip("this kernel has no kernel.io_uring_disabled")
    numbers = {
        "/proc/sys/kernel/io_uring_disabled": value, "/proc/sys/kernel/io_uring_group": group,
    }  # fmt: skip
    command = _with_files(engine, tmp_path, numbers)
    ran = _run(command, tmp_path, _failing(IO_URING_SETUP, errno.EPERM), "ioengine=io_uring")
    assert ran.status == 1
    assert said in ran.err
    assert "sysctl kernel.io_uring_disabled=0" in ran.err


def test_a_kernel_without_io_uring(engine: Path, tmp_path: Path) -> None:
    ran = _run([str(engine)], tmp_path, _failing(IO_URING_SETUP, errno.ENOSYS), "ioengine=io_uring")
    assert ran.status == 1
    assert f"this kernel ({os.uname().release[:40]}) has no io_uring" in ran.err


def test_aio_max_nr(engine: Path, tmp_path: Path) -> None:
    _as_root()
    command = _with_files(engine, tmp_path, {"/proc/sys/fs/aio-nr": 65530})
    options = "ioengine=libaio iodepth=16 numjobs=2"
    ran = _run(command, tmp_path, _failing(IO_SETUP, errno.EAGAIN), options)
    assert ran.status == 1
    assert "65530 of the" in ran.err
    assert "32 are needed: raise it with sysctl fs.aio-max-nr=65562" in ran.err


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may use: pytest's own are for one."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield folder


def test_locked_memory(engine: Path, open_folder: Path) -> None:
    _as_root()
    target, own = open_folder / "f", open_folder / "engine"
    target.write_bytes(bytes(65536))
    target.chmod(0o666)
    own.write_bytes(engine.read_bytes())
    own.chmod(0o755)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (65536, 65536))
        os.setgid(NOBODY)
        os.setuid(NOBODY)

    options = "filename=f ioengine=io_uring iodepth=8 bs=64k"
    assert _run([str(own)], open_folder, limit, options).status == 0
    ran = _run([str(own)], open_folder, limit, f"{options} fixedbufs numjobs=3")
    assert ran.status == 1
    assert "RLIMIT_MEMLOCK is 64 KiB" in ran.err
    assert "need 1536: raise it with ulimit -l 1536" in ran.err
