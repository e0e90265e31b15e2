"""docs/tutorial.md is followed from its first command to the last, on a disk that does as many
I/Os a second as it says; only the measurements are shorter."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.devices import needs_root
from support.pages import Reader
from support.throttle import throttle

from .conftest import ROOT

PAGE = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
BLKIO = "blkio.throttle.read_iops_device"  # of cgroups v1
INSTALL = "python3 -m venv .venv && . .venv/bin/activate && pip install iogate"
IO_MAX = (
    'echo "$(cat /sys/class/block/${device#/dev/}/dev) riops=$iops wiops=$iops" > $group/io.max'
)


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """In a folder, a group and a file under /run of their own; what a test that failed left
    mounted and attached is taken away."""
    note = tmp_path / "tutorial.device"
    with throttle("/dev/null") as group:
        each = 'for way in read write; do echo "$(cat /sys/class/block/${device#/dev/}/dev) $iops"'
        v1 = f"{each} > $group/blkio.throttle.${{way}}_iops_device; done"
        made = Reader(
            tmp_path / "reader",
            {
                INSTALL: "true",  # tests/repository/test_package.py installs it
                "runtime: 1s": "runtime: 200ms",
                "/run/tutorial.device": str(note),
                "echo +io > /sys/fs/cgroup/cgroup.subtree_control": "true",
                "rmdir /sys/fs/cgroup/tutorial": "true",
                "/sys/fs/cgroup/tutorial": str(group.group),
                **({IO_MAX: v1} if (group.group / BLKIO).exists() else {}),
            },
        )
        try:
            yield made
        finally:
            subprocess.run(["umount", "-q", made.folder / "mnt"], check=False)
            if note.exists():
                subprocess.run(["losetup", "--detach", note.read_text().strip()], check=False)


@needs_root
def test_the_tutorial_from_red_to_green(reader: Reader) -> None:
    typed = reader.follow(PAGE)
    assert len(typed) > 20
    assert not (reader.folder / "mnt").is_mount()


def test_the_reader_notices_what_a_page_shows_and_a_command_does_not_print(tmp_path: Path) -> None:
    reader = Reader(tmp_path / "reader")
    assert reader.follow("```console\n$ echo 17 runs\n12 runs\n```\n") == ["echo 17 runs"]
    for page in ("$ echo 17 runs\n17 nights\n", "$ false\n", "$ false\n$ echo $?\n0\n"):
        with pytest.raises(AssertionError):
            reader.follow(f"```console\n{page}```\n")
