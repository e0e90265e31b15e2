"""Plans for the engine's launcher, and commands that run in it."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import pytest

LAYERS = ("landlock", "namespaces", "read-only", "network", "capabilities")
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/ld.so.cache", "/proc", "/sys")


@lru_cache(maxsize=1)
def users_have_namespaces() -> bool:
    """Whether a user who is not root gets any: the kernel gives none in a chroot."""
    argv = ["unshare", "--user", "true"]
    return subprocess.run(argv, check=False, capture_output=True, user=65534).returncode == 0


needs_user_namespaces = pytest.mark.skipif(
    os.geteuid() == 0 and not users_have_namespaces(), reason="users have no namespaces here"
)


def layers_of(user: int | None) -> Sequence[str]:
    """What a user has of the layers; None is root."""
    return LAYERS if user is None or users_have_namespaces() else ("landlock", "capabilities")


def place(path: str | Path, access: str = "rw", /, **otherwise: object) -> str:
    """The line of a plan for what stands at ``path`` now, with parts that are said otherwise."""
    found = Path(path).stat()
    kind = {0o060000: "block", 0o100000: "file", 0o040000: "directory"}[found.st_mode & 0o170000]
    parts: dict[str, object] = {
        "kind": kind,
        "access": access,
        "device": _numbers(found.st_dev),
        "inode": found.st_ino,
        "rdev": _numbers(found.st_rdev),
        "diskseq": 0,
        "size": 0,
        "path": path,
    }
    if kind == "block":
        sysfs = Path("/sys/dev/block") / _numbers(found.st_rdev)
        parts["diskseq"] = (sysfs / "diskseq").read_text().strip()
        parts["size"] = int((sysfs / "size").read_text()) * 512
    return " ".join(["place", *(str(part) for part in (parts | otherwise).values())])


def _numbers(device: int) -> str:
    return f"{os.major(device)}:{os.minor(device)}"


def plan_of(*lines: str, layers: Sequence[str] = LAYERS) -> str:
    """A whole plan, with what programs of this system need."""
    reads = [f"read {path}" for path in SYSTEM]
    required = [f"require {layer}" for layer in layers]
    return "\n".join(["confine/1", *reads, *required, *lines]) + "\n"


def confined(
    engine: Path,
    plan: str,
    *command: str,
    cwd: Path | None = None,
    user: int | None = None,
    before: Callable[[], None] | None = None,
    through: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    """What came of a command in the launcher, its plan in a file that nobody can change;
    ``through`` is what starts the launcher."""
    plan_fd = os.memfd_create("plan")
    try:
        os.write(plan_fd, plan.encode())
        os.fchmod(plan_fd, 0o444)
        return subprocess.run(
            [*through, str(engine), "--confine", f"/proc/self/fd/{plan_fd}", "--", *command],
            cwd=cwd or "/",
            capture_output=True,
            text=True,
            check=False,
            pass_fds=(plan_fd,),
            user=user,
            group=user,
            extra_groups=[] if user is not None else None,
            preexec_fn=before,
            timeout=60,
        )
    finally:
        os.close(plan_fd)


@contextmanager
def started(engine: Path, plan: str, *command: str) -> Iterator[subprocess.Popen[str]]:
    """A command in the launcher that runs on, until it is killed on leaving."""
    plan_fd = os.memfd_create("plan")
    try:
        os.write(plan_fd, plan.encode())
        process = subprocess.Popen(
            [str(engine), "--confine", f"/proc/self/fd/{plan_fd}", "--", *command],
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=(plan_fd,),
        )
    finally:
        os.close(plan_fd)
    with process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def abstract_listener(name: str) -> Iterator[None]:
    """So that a connection would succeed."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0{name}")
        listening.listen()
        yield


@contextmanager
def listener_at(path: Path) -> Iterator[None]:
    """The same of a socket that has a path, which everybody may write."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        path.chmod(0o777)
        listening.listen()
        yield
