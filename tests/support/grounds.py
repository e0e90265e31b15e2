"""Where attacks are tried: a folder with a target, and beside it what nobody named."""

from __future__ import annotations

import hashlib
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.attacks import SECRET
from support.devices import loop_device, sh

_BLOCK = 4096


@dataclass(frozen=True, slots=True)
class Ground:
    """``root`` holds the ``target``, the folder ``victim`` and the ``home`` of the user;
    ``device`` has a filesystem that nobody named, and somebody listens at ``listener``."""

    root: Path
    device: str
    listener: socket.socket

    @property
    def names(self) -> Mapping[str, object]:
        """What stands for the words of an attack."""
        victim = self.root / "victim"
        return {
            "victim": victim,
            "up": "../../victim",  # from a folder of a run, in the target as in iogate-runs
            "device": self.device,
            "port": self.listener.getsockname()[1],
        }

    def state(self) -> dict[str, object]:
        """All that an attack must leave as it is."""
        found: dict[str, object] = {self.device: _digest(Path(self.device))}
        for folder in (self.root / "victim", self.root / "home"):
            for path in sorted((folder, *folder.rglob("*"))):
                at = path.lstat()
                told = (at.st_mode, at.st_uid, at.st_gid, at.st_nlink, at.st_mtime_ns, at.st_size)
                content = _digest(path) if path.is_file() else ""
                found[str(path)] = (told, content)
        return found

    def heard(self) -> bool:
        """Whether anybody has come to the port."""
        try:
            self.listener.accept()[0].close()
        except BlockingIOError:
            return False
        return True

    def leaks(self) -> list[Path]:
        """Files outside of the victim's that hold its secret."""
        return [
            path
            for name in ("target", "iogate-runs", "run")
            for path in sorted((self.root / name).rglob("*"))
            if path.is_file() and not path.is_symlink() and SECRET.encode() in path.read_bytes()
        ]


@contextmanager
def ground(root: Path) -> Iterator[Ground]:
    """A ground in an empty folder."""
    for name in ("target", "victim", "victim/folder", "home"):
        (root / name).mkdir()
    trace = f"fio version 2 iolog\n{root}/victim/file add\n{root}/victim/file open\n"
    trace += f"{root}/victim/file write 0 {_BLOCK}\n{root}/victim/file close\n"
    content = f"[{SECRET}]\n{SECRET}={SECRET}\n" * 100
    for name, text in (("file", content), ("trace", trace)):
        (root / "victim" / name).write_text(text)
        (root / "victim" / name).chmod(0o666)
    os.mkfifo(root / "victim/pipe")
    (root / "home/file").write_text(content)
    (root / "link.yaml").symlink_to(root / "victim/file")
    with ExitStack() as stack:
        device = stack.enter_context(loop_device(root, 8))
        sh("mkfs.ext4", "-q", "-F", device)
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        listener.setblocking(False)
        yield Ground(root, device, listener)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
