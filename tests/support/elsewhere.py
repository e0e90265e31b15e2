"""A machine that is not here: every call is done in mount, PID and UTS namespaces of its own, with
another root, other folders, another name and nothing of the controller's files. What iogate takes
for granted of "here" fails on it."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from iogate import errors
from iogate.files.bounds import FETCHED_BYTES
from iogate.sut.base import Machine, Sut
from iogate.sut.transfer import check_room
from repository.tree import ROOT
from support.elsewhere_server import receive, send
from support.quiet import never_disturbed

DISK = "/there/disk"
"""A folder on a disk of the machine."""
_SERVER = Path(__file__).with_name("elsewhere_server.py")
_SET_UP = r"""
set -e
root=$1 code=$2 disk=$3 name=$4
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$root"
cd "$root"
mkdir -p usr etc dev proc sys tmp run var/tmp there/disk there/code there/home root
for folder in bin sbin lib lib32 lib64 libx32; do
  [ ! -L "/$folder" ] || ln -s "$(readlink "/$folder")" "$folder"
done
mount --rbind -o ro /usr usr
mount --rbind /dev dev
mount --rbind /sys sys
mount -t proc proc proc
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs run
mkdir -m 1777 run/lock
mount --bind "$disk" there/disk
mount --bind -o ro "$code" there/code
cp "$5" there/server.py
for file in passwd group nsswitch.conf ld.so.cache os-release; do
  cp -L "/etc/$file" "etc/$file"
done
printf "%032x\n" "${name##*-}" > etc/machine-id
hostname "$name"
mkdir old
pivot_root . old
cd /
umount -l /old
rmdir /old
mkdir -p /there/disk/home
"""
_SERVE = """
exec env -i HOME=/there/disk/home PATH=/usr/local/bin:/usr/bin:/usr/sbin TMPDIR=/there/disk \
  /usr/bin/python3 -I /there/server.py /there/code
"""
_numbers = itertools.count(1)


class _Line:
    """The line to the machine. ``calls`` are the names of what was asked over it, one a round
    trip."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        assert process.stdout
        self._out, self._in = process.stdin, process.stdout
        self.calls: list[str] = []
        receive(self._in)

    def ask(self, which: int, name: str, *words: object, **named: object) -> Any:
        self.calls.append(name)
        send(self._out, (which, name, words, named))
        kind, said = receive(self._in)
        if kind == "error":
            name, what, remedy = said
            raise getattr(errors, name)(what, remedy=remedy)
        return _Part(self, said) if kind == "object" else said


class _Part:
    """A process, a lock or a log of the machine."""

    def __init__(self, line: _Line, which: int) -> None:
        self._line, self._which = line, which

    @property
    def pid(self) -> int:
        return int(self._line.ask(self._which, "pid"))

    def __getattr__(self, name: str) -> Any:
        return lambda *words, **named: self._line.ask(self._which, name, *words, **named)


class ElsewhereSut(_Part):
    """The machine, over its line."""

    is_here = False
    mounts = ""

    def __init__(self, line: _Line, name: str) -> None:
        super().__init__(line, 0)
        self.name = name
        self._about: Machine | None = None

    @property
    def calls(self) -> list[str]:
        """What was asked of it, one a round trip."""
        return self._line.calls

    def about(self) -> Machine:
        if self._about is None:
            self._about = self._line.ask(0, "about")
        return self._about

    def get(self, path: str, into: str, *, most: int = FETCHED_BYTES) -> bool:
        data = self._line.ask(0, "file", path)
        if data is None:
            return False
        check_room(path, len(data), most)
        try:
            with Path(into).open("xb") as out:
                out.write(data)
        except OSError as error:
            raise errors.RunError(f"cannot copy {path} to {into}: {error.strerror}") from error
        return True

    def close(self) -> None:
        """The line ends with the context."""


@contextmanager
def elsewhere(folder: Path) -> Iterator[Sut]:
    """The machine, for as long as the block goes; ``folder`` holds what is on its disk
    (``DISK``)."""
    with machine_that(_SERVE, folder) as (process, name):
        yield cast("Sut", ElsewhereSut(_Line(process), name))


@contextmanager
def machine_that(does: str, folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The machine's first process, which does this once its root is made, and the machine's
    name."""
    name = f"elsewhere-{next(_numbers)}"
    root, disk = folder / f"{name}-root", folder / f"{name}-disk"
    root.mkdir()
    disk.mkdir()
    never_disturbed(disk / "home/.local/state")
    words = [str(root), str(ROOT / "runner"), str(disk), name, str(_SERVER)]
    command = ["unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child", "sh", "-c"]
    with subprocess.Popen(
        [*command, _SET_UP + does, "sh", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            yield process, name
        finally:
            process.kill()
