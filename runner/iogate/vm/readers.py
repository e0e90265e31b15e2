"""Programs of the system that read what somebody else has built: packages, modules, kernels with
symbols. Such a file may be made to take its reader over. So the launcher of engines keeps each to
that one file and to what every program needs: it writes nothing, but for a folder that is made for
it, and reaches no network. Where this kernel confines nothing, what holds is what holds always: so
much memory and time, no file written but there, and no more said than is asked for.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from iogate.errors import IogateError, RefusedError, RunError
from iogate.files.bounded import parse_json
from iogate.files.bounds import size
from iogate.model.confinement import Allowed, Confinement, Layers, layers_of_probe, plan_text
from iogate.model.place import Identity, Place, PlaceKind
from iogate.vm import engine

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives",
           "/nix/store", "/gnu/store")  # fmt: skip
_MEMORY_BYTES = 4 << 30
_CPU_S = 600
_PROBE_S = 30.0
_END_S = 30.0
"""Of a program that has closed what it writes to."""
_STEP = 1 << 16
_MOST_COMPLAINT = 4096
_AGAIN = "get it again, or build it again"


class Said:
    """What a program says on its standard output, up to ``most`` bytes and until ``timeout_s`` are
    over. RunError past either."""

    def __init__(
        self, argv: Sequence[str], process: subprocess.Popen[bytes], most: int, timeout_s: float
    ) -> None:
        assert process.stdout
        assert process.stderr
        self._argv, self._out, self._err = argv, process.stdout, process.stderr
        self._most, self._said, self._timeout_s = most, 0, timeout_s
        self._deadline = time.monotonic() + timeout_s
        self._open = [self._out, self._err]
        self._rest = self._complaint = b""

    @property
    def complaint(self) -> str:
        """The last line of what it says on its standard error."""
        return self._complaint.decode(errors="replace").strip().rpartition("\n")[2]

    def read(self, length: int) -> bytes:
        """So many bytes, fewer only at the end."""
        parts, have = [self._rest], len(self._rest)
        while have < length and (part := self._part()):
            parts.append(part)
            have += len(part)
        data = b"".join(parts)
        self._rest = data[length:]
        return data[:length]

    def skip(self) -> None:
        """To the end."""
        while self._part():
            pass

    def _part(self) -> bytes:
        """The next bytes; none at the end of both."""
        while self._open:
            left = max(self._deadline - time.monotonic(), 0.0)
            ready, _, _ = select.select(self._open, [], [], left)
            if not ready:
                why = f"has not ended after {self._timeout_s:.0f} s"
                raise RunError(f"{self._argv[0]} {why}", remedy=_AGAIN)
            if data := os.read(ready[0].fileno(), _STEP):
                if ready[0] is self._out:
                    return self._counted(data)
                self._complaint = (self._complaint + data)[-_MOST_COMPLAINT:]
            else:
                self._open.remove(ready[0])
        return b""

    def _counted(self, data: bytes) -> bytes:
        self._said += len(data)
        if self._said > self._most:
            told = f"{self._argv[0]} says more than {size(self._most)}"
            raise RunError(told, remedy=_AGAIN)
        return data


@contextmanager
def reader(
    argv: Sequence[str],
    file: Path,
    *,
    package: str,
    most: int,
    timeout_s: float,
    into: Path | None = None,
) -> Iterator[Said]:
    """What a program says that reads ``file``, one of its ``argv``, and writes nothing but files of
    as many bytes at most in the folder ``into``. RefusedError where this system has no such program
    (``package`` is Debian's that brings it); RunError when it fails, says more than ``most`` bytes,
    or takes longer than ``timeout_s``."""
    program = shutil.which(argv[0])
    if program is None:
        raise RefusedError(f"there is no {argv[0]} here", remedy=f"install it (Debian: {package})")
    with _started([program, *argv[1:]], file, into, most) as process:
        said = Said(argv, process, most, timeout_s)
        try:
            try:
                yield said
            except ValueError:  # what it said makes no sense: it may say why itself
                _check_end(argv[0], process, said)
                raise
            _check_end(argv[0], process, said)
        except BaseException:
            process.kill()
            raise


def _check_end(name: str, process: subprocess.Popen[bytes], said: Said) -> None:
    """RunError unless it ends well."""
    said.skip()
    try:
        status = process.wait(_END_S)
    except subprocess.TimeoutExpired:
        raise RunError(f"{name} does not end", remedy=_AGAIN) from None
    if status:
        told = said.complaint or f"it ended with {status}"
        raise RunError(f"{name}: {told}", remedy=_AGAIN)


@contextmanager
def _started(
    argv: Sequence[str], file: Path, into: Path | None, most: int
) -> Iterator[subprocess.Popen[bytes]]:
    """With bounds of memory and of files; confined where that can be."""
    place = str(file.resolve())
    if not place.isprintable():  # a line of a plan is a path
        raise RunError(f"the path {place!r} holds what is not a letter", remedy="rename it")
    plan = os.memfd_create("plan")
    try:
        confined: list[str] = []
        if layers := _layers():
            os.write(plan, _plan(layers, (argv[0], place), into).encode())
            confined = [layers.launcher, "--confine", f"/proc/self/fd/{plan}", "--"]
        bounds = [
            f"--as={_MEMORY_BYTES}",
            f"--cpu={_CPU_S}",
            f"--fsize={most if into else 0}",
            "--core=0",
        ]
        with subprocess.Popen(
            ["prlimit", *bounds, "--", *confined, *argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(plan,),
            env={"PATH": os.defpath, "LC_ALL": "C"},
        ) as process:
            yield process
    finally:
        os.close(plan)


def _plan(layers: Layers, reads: Sequence[str], into: Path | None) -> str:
    """Root may read a file of another user's, as it may without this."""
    rights = ("dac_override",) if os.geteuid() == 0 else ()
    writes = () if into is None else (Allowed(_place(into)),)
    return plan_text(Confinement(layers, writes, (*_SYSTEM, *reads), capabilities=rights))


def _place(folder: Path) -> Place:
    """A folder of this process."""
    real = folder.resolve()
    status = real.stat()
    device = f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
    return Place(str(real), Identity(PlaceKind.DIRECTORY, device, status.st_ino))


@cache
def _layers() -> Layers | None:
    """What this kernel gives; None where there is no launcher, or it confines nothing."""
    try:
        launcher = str(engine.launcher())
        argv = [launcher, "--confine-probe"]
        done = subprocess.run(argv, capture_output=True, check=True, timeout=_PROBE_S)
        layers = layers_of_probe(launcher, parse_json(done.stdout))
    except (IogateError, OSError, subprocess.SubprocessError, ValueError, AttributeError):
        return None
    return layers if layers.confine else None
