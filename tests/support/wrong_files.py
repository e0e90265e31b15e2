"""Files that are somebody's, that something else uses, or that are no files."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

from support.devices import (
    SWAP_HEADER,
    elsewhere,
    image_of,
    loop_device,
    loop_over,
    mounted,
    overlay,
    own_loop,
    partition,
    sh,
    swap_file,
    swapping,
)
from support.wrong import Table, Wrong, entry

FILES: Table = {}
KINDS: Table = {}
MIB = 1 << 20
BACKS, SWAPS = "backs /dev/loop", "backs active swap"


def overwritten(path: str | Path) -> str:
    return f"file: {path}, overwrite: true"


def trusted(path: str | Path, victim: str | Path, says: str, stays: int | None = None) -> Wrong:
    """Nothing stands against it but what it is: somebody has read the spec."""
    return Wrong(overwritten(path), (str(victim),), says, words=("--trust",), stays=stays)


def somebodys(path: Path, size: int = MIB) -> Path:
    path.write_bytes((b"somebody's own bytes\n" * (size // 21 + 1))[:size])
    return path


@entry(FILES, "the image of a loop device")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        yield trusted(image_of(device), image_of(device), BACKS)


@entry(FILES, "the image of a loop device that is mounted")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device, mounted(device, folder / "mnt"):
        yield trusted(image_of(device), image_of(device), BACKS)


@entry(FILES, "the image of a loop device, by a link")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        (folder / "link").symlink_to(image_of(device))
        yield trusted(folder / "link", image_of(device), BACKS)


@entry(FILES, "the image of a loop device, by a link to its folder")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        (folder / "link").symlink_to(folder)
        yield trusted(folder / "link" / Path(image_of(device)).name, image_of(device), BACKS)


@entry(FILES, "the image of a loop device, by a second name")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        (folder / "second").hardlink_to(image_of(device))
        yield trusted(folder / "second", image_of(device), BACKS)


@entry(FILES, "the image of a mounted loop device, through an overlay")
def _(folder: Path) -> Iterator[Wrong]:
    (folder / "u").mkdir()
    image = somebodys(folder / "u/image", 8 * MIB)
    with (
        overlay(folder, relative=True),
        loop_over(image) as device,
        mounted(device, folder / "mnt"),
    ):
        yield trusted(folder / "m/image", image, BACKS)


@entry(FILES, "the image of a mounted loop device, through an overlay whose layer is hidden")
def _(folder: Path) -> Iterator[Wrong]:
    (folder / "u").mkdir()
    image = somebodys(folder / "u/image", 8 * MIB)
    with overlay(folder), loop_over(image) as device, mounted(device, folder / "mnt"):
        sh("mount", "-t", "tmpfs", "none", str(folder / "u"))
        try:
            yield trusted(folder / "m/image", device, "the file that it writes to cannot be found")
        finally:
            sh("umount", str(folder / "u"))


@entry(FILES, "the image of a loop device, by its only name that is left")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        image = Path(image_of(device))
        image.rename(folder / "renamed")
        try:
            yield trusted(folder / "renamed", folder / "renamed", BACKS)
        finally:
            (folder / "renamed").rename(image)


@entry(FILES, "the image of a loop device, bound elsewhere")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        (folder / "bound").touch()
        sh("mount", "--bind", image_of(device), str(folder / "bound"))
        try:
            yield trusted(folder / "bound", image_of(device), BACKS)
        finally:
            sh("umount", str(folder / "bound"))


@entry(FILES, "the image of a loop device of another mount namespace")
def _(folder: Path) -> Iterator[Wrong]:
    (folder / "there").mkdir()
    image, said = somebodys(folder / "image"), folder / "loop"
    script = f"""\
mount -t tmpfs tmpfs {folder}/there
touch {folder}/there/image
mount --bind {image} {folder}/there/image
losetup --find --show {folder}/there/image > {said}"""
    with elsewhere(folder, script):
        try:
            yield trusted(image, image, BACKS)
        finally:
            sh("losetup", "--detach", said.read_text().strip())


@entry(FILES, "a swap file")
def _(folder: Path) -> Iterator[Wrong]:
    with swap_file(folder) as file, swapping(str(file)):
        yield trusted(file, file, SWAPS, SWAP_HEADER)


@entry(FILES, "a swap file by a second name")
def _(folder: Path) -> Iterator[Wrong]:
    with swap_file(folder) as file, swapping(str(file)):
        second = file.with_name("second")
        second.hardlink_to(file)
        yield trusted(second, file, SWAPS, SWAP_HEADER)


@entry(FILES, "a swap file, bound elsewhere")
def _(folder: Path) -> Iterator[Wrong]:
    bound = folder / "bound"
    bound.touch()
    with swap_file(folder) as file:
        sh("mount", "--bind", str(file), str(bound))
        try:
            with swapping(str(file)):
                yield trusted(bound, file, SWAPS, SWAP_HEADER)
        finally:
            sh("umount", str(bound))


@entry(FILES, "one that is there")
def _(folder: Path) -> Iterator[Wrong]:
    made = somebodys(folder / "file")
    yield Wrong(f"file: {made}", (str(made),), "exists and would be overwritten")


@entry(FILES, "one that is there, by a link")
def _(folder: Path) -> Iterator[Wrong]:
    made = somebodys(folder / "file")
    (folder / "link").symlink_to(made)
    yield Wrong(f"file: {folder}/link", (str(made),), "exists and would be overwritten")


@entry(FILES, "one that is only read, and too short")
def _(folder: Path) -> Iterator[Wrong]:
    made = somebodys(folder / "file", 1000)
    yield Wrong(f"file: {made}", (str(made),), "would be extended to", job="rw: read")


@entry(FILES, "one that is unlinked afterwards")
def _(folder: Path) -> Iterator[Wrong]:
    made = somebodys(folder / "file")
    yield Wrong(f"file: {made}", (str(made),), "", job="rw: read, unlink: true")


@entry(FILES, "one of two names")
def _(folder: Path) -> Iterator[Wrong]:
    made = somebodys(folder / "file")
    (folder / "second").hardlink_to(made)
    yield trusted(folder / "second", made, "has 2 names")


@entry(FILES, "one of two names that is only read, and too short")
def _(folder: Path) -> Iterator[Wrong]:
    made = somebodys(folder / "file", 1000)
    (folder / "second").hardlink_to(made)
    yield Wrong(overwritten(folder / "second"), (str(made),), "has 2 names", job="rw: read")


@entry(FILES, "a hidden one of this folder")
def _(folder: Path) -> Iterator[Wrong]:
    (folder / ".ssh").mkdir()
    made = somebodys(folder / ".ssh/authorized_keys")
    yield Wrong(overwritten(made), (str(made),), "may be a part of this host")


@entry(FILES, "a hidden one of this folder, by a link")
def _(folder: Path) -> Iterator[Wrong]:
    made = somebodys(folder / ".profile")
    (folder / "file").symlink_to(made)
    yield Wrong(overwritten(folder / "file"), (str(made),), "may be a part of this host")


@entry(FILES, "a hidden one of this folder, bound elsewhere")
def _(folder: Path) -> Iterator[Wrong]:
    made = somebodys(folder / ".profile")
    (folder / "file").touch()
    sh("mount", "--bind", str(made), str(folder / "file"))
    try:
        yield Wrong(overwritten(folder / "file"), (str(made),), "may be a part of this host")
    finally:
        sh("umount", str(folder / "file"))


@entry(FILES, "a hidden one that is not there yet, by a link that leads nowhere")
def _(folder: Path) -> Iterator[Wrong]:
    (folder / "file").symlink_to(".bashrc")
    yield Wrong(f"file: {folder}/file", (), "may be a part of this host")


@entry(FILES, "one of the system")
def _(folder: Path) -> Iterator[Wrong]:
    yield Wrong(overwritten("/etc/passwd"), ("/etc/passwd",), "may be a part of this host")


@entry(FILES, "one of the system that is not there yet")
def _(folder: Path) -> Iterator[Wrong]:
    yield Wrong("file: /etc/cron.d/iogate-test", (), "may be a part of this host")


@entry(FILES, "one of the system, by dots")
def _(folder: Path) -> Iterator[Wrong]:
    up = "../" * 20
    yield Wrong(overwritten(f"{up}etc/passwd"), ("/etc/passwd",), "may be a part of this host")


@entry(FILES, "a file of the kernel")
def _(folder: Path) -> Iterator[Wrong]:
    path = "/proc/sys/kernel/domainname"
    yield trusted(path, path, "where the kernel shows itself")


@entry(FILES, "a setting in /sys")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        path = f"/sys/block/{Path(device).name}/queue/read_ahead_kb"
        yield trusted(path, path, "where the kernel shows itself")


@entry(FILES, "a new file in /dev")
def _(folder: Path) -> Iterator[Wrong]:
    yield Wrong("file: /dev/iogate-test", (), "where the kernel shows itself", words=("--trust",))


@entry(FILES, "an open file of a process")
def _(folder: Path) -> Iterator[Wrong]:
    made = somebodys(folder / ".profile")
    with made.open("rb+") as file:
        path = f"/proc/{os.getpid()}/fd/{file.fileno()}"
        yield Wrong(overwritten(path), (str(made),), "")


def _special(folder: Path) -> dict[str, str]:
    """Paths of what is neither a file nor a block device."""
    os.mkfifo(folder / "fifo")
    os.mknod(folder / "char", 0o20666, os.makedev(1, 3))
    (folder / "dir").mkdir()
    with socket.socket(socket.AF_UNIX) as bound:
        here = os.open(folder, os.O_PATH)
        bound.bind(f"/proc/self/fd/{here}/socket")
        os.close(here)
    return {
        "a FIFO": f"{folder}/fifo",
        "a socket": f"{folder}/socket",
        "a character device": f"{folder}/char",
        "a folder": f"{folder}/dir",
    }


def _add_special(name: str) -> None:
    @entry(KINDS, f"{name} as a file")
    def _(folder: Path) -> Iterator[Wrong]:
        yield Wrong(overwritten(_special(folder)[name]), (), "is not a regular file")

    @entry(KINDS, f"{name} as a device")
    def _(folder: Path) -> Iterator[Wrong]:
        path = _special(folder)[name]
        yield Wrong(f"device: {path}, destroy: {{ size: 8m }}", (), "is not a block device")


for _name in ("a FIFO", "a socket", "a character device", "a folder"):
    _add_special(_name)


@entry(KINDS, "a block device as a file")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        yield trusted(device, device, "")


@entry(KINDS, "a partition as a file, by a node elsewhere")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 16) as device, partition(device) as part:
        os.mknod(folder / "node", 0o60600, Path(part).stat().st_rdev)
        yield trusted(folder / "node", part, "is not a regular file")


@entry(KINDS, "a file as a device")
def _(folder: Path) -> Iterator[Wrong]:
    made = somebodys(folder / "file")
    target = f"device: {made}, destroy: {{ size: 1m }}"
    yield Wrong(target, (str(made),), "is not a block device")


@entry(KINDS, "a device that is not there")
def _(folder: Path) -> Iterator[Wrong]:
    yield Wrong("device: /dev/nowhere, destroy: { serial: S }", (), "does not exist")


@entry(KINDS, "a loop device without an image")
def _(folder: Path) -> Iterator[Wrong]:
    with own_loop() as device:
        yield Wrong(f"device: {device}, destroy: {{ size: 8m }}", (), "has no size")


@entry(KINDS, "a folder that is a device")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        yield Wrong(f"directory: {device}", (device,), "is not a directory")


@entry(KINDS, "a folder that is a file")
def _(folder: Path) -> Iterator[Wrong]:
    made = somebodys(folder / "file")
    yield Wrong(f"directory: {made}", (str(made),), "is not a directory")


@entry(KINDS, "a folder of the kernel")
def _(folder: Path) -> Iterator[Wrong]:
    yield Wrong("directory: /proc/sys/vm", (), "")


@entry(KINDS, "a folder on a filesystem that is read-only")
def _(folder: Path) -> Iterator[Wrong]:
    (folder / "ro").mkdir()
    sh("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(folder / "ro"))
    try:
        yield Wrong(f"directory: {folder}/ro", (), "is not writable")
    finally:
        sh("umount", str(folder / "ro"))


@entry(KINDS, "a filesystem on a file")
def _(folder: Path) -> Iterator[Wrong]:
    made = somebodys(folder / "file")
    yield Wrong(
        "filesystem: { on: raw, type: ext4 }",
        (str(made),),
        "is not a device",
        2,
        ("--trust",),
        f"  raw: {{ {overwritten(made)} }}\n",
    )
