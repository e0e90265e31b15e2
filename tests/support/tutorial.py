"""The tutorial as a test follows it: every command, shorter measurements. Called as a program
(``python -m support.tutorial ROOT WHEEL``), it is followed from ``pip install`` on in the system
whose folder is ROOT, with the wheel of that name in its ``/root``."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from support.pages import ROOT, Reader
from support.quiet import never_disturbed
from support.throttle import throttle

PAGE = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
NOTE = "/run/tutorial.device"
_BLKIO = "blkio.throttle.read_iops_device"  # of cgroups v1
_IO_MAX = (
    'echo "$(cat /sys/class/block/${device#/dev/}/dev) riops=$iops wiops=$iops" > $group/io.max'
)


def shorter(group: Path) -> Mapping[str, str]:
    """What stands instead of the page's words, with ``group`` as the one that bounds the disk."""
    each = 'for way in read write; do echo "$(cat /sys/class/block/${device#/dev/}/dev) $iops"'
    v1 = f"{each} > $group/blkio.throttle.${{way}}_iops_device; done"
    return {
        "runtime: 1s": "runtime: 200ms",
        "echo +io > /sys/fs/cgroup/cgroup.subtree_control": "true",
        "rmdir /sys/fs/cgroup/tutorial": "true",
        "/sys/fs/cgroup/tutorial": str(group),
        **({_IO_MAX: v1} if (group / _BLKIO).exists() else {}),
    }


def take_away(mount: Path, note: Path) -> None:
    """What a reader who did not get to the end has left mounted and attached."""
    subprocess.run(["umount", "-q", mount], check=False)
    if note.exists():
        subprocess.run(["losetup", "--detach", note.read_text().strip()], check=False)


@dataclass
class Newcomer(Reader):
    """A reader in the system below ``root``, who has what they install there and nothing else."""

    root: Path = Path("/")

    def __post_init__(self) -> None:
        self.folder.mkdir()
        never_disturbed(self.root / "root/.local/state")
        there = "/" + str(self.folder.relative_to(self.root))
        self.env = {
            "HOME": "/root",
            "LANG": "C.UTF-8",
            "PATH": f"{there}/.venv/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            **{f"GIT_{who}_NAME": "A reader" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "reader@example.org" for who in ("AUTHOR", "COMMITTER")},
        }

    def shell(self, command: str) -> list[str]:
        folder = "/" + str(self.folder.relative_to(self.root))
        return ["chroot", str(self.root), "bash", "-c", f"cd {folder} && {command}"]


def main(root: Path, wheel: str) -> None:
    """Follow it there, and say how many commands were typed."""
    folder = root / "root/tutorial"
    with throttle("/dev/null") as group:
        instead = {"pip install iogate": f"pip install /root/{wheel}", **shorter(group.group)}
        reader = Newcomer(folder, instead, root=root)
        try:
            typed = reader.follow(PAGE)
        finally:
            take_away(folder / "mnt", root / NOTE.lstrip("/"))
    print(f"{len(typed)} commands of the tutorial did what it says")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
