"""Devices that are in use, by whatever name, or hold the blocks of something that is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from support.devices import (
    SWAP_HEADER,
    elsewhere,
    identity_of,
    image_of,
    loop_device,
    loop_over,
    mounted,
    partition,
    sh,
    swap_file,
    swapping,
    zram_device,
)
from support.wrong import Table, Wrong, entry

IN_USE: Table = {}
MIB = 1 << 20


def named(device: str | Path, like: str = "") -> str:
    """A target that says all that can be said: nothing but what is in use stands against it."""
    return f"device: {device}, destroy: {{ {identity_of(like or str(device))}, holds: anything }}"


@entry(IN_USE, "mounted, by its name")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device, mounted(device, folder / "mnt"):
        yield Wrong(named(device), (device, image_of(device)), "is mounted at")


@entry(IN_USE, "mounted, by a link")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device, mounted(device, folder / "mnt"):
        (folder / "one").symlink_to(device)
        (folder / "two").symlink_to("one")
        yield Wrong(named(folder / "two", device), (device,), "is mounted at")


@entry(IN_USE, "mounted, by a second node")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device, mounted(device, folder / "mnt"):
        node = folder / "node"
        os.mknod(node, 0o60600, Path(device).stat().st_rdev)
        yield Wrong(named(node, device), (device,), "is mounted at")


@entry(IN_USE, "mounted, its node over that of another")
def _(folder: Path) -> Iterator[Wrong]:
    with (
        loop_device(folder, 8) as device,
        loop_device(folder, 8) as free,
        mounted(device, folder / "mnt"),
    ):
        over = folder / "free"
        over.touch()
        sh("mount", "--bind", device, str(over))
        try:
            yield Wrong(named(over, device), (device, free), "is mounted at")
        finally:
            sh("umount", str(over))


@entry(IN_USE, "mounted, in memory")
def _(folder: Path) -> Iterator[Wrong]:
    with zram_device(71) as device, mounted(device, folder / "mnt"):
        yield Wrong(named(device), (device,), "is mounted at")


@entry(IN_USE, "mounted in another mount namespace")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        sh("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", device)
        (folder / "mnt").mkdir()
        with elsewhere(folder, f"mount {device} {folder}/mnt"):
            yield Wrong(named(device), (device,), "in the mount namespace of process")


@entry(IN_USE, "the disk of a mounted partition")
def _(folder: Path) -> Iterator[Wrong]:
    with (
        loop_device(folder, 16) as device,
        partition(device) as part,
        mounted(part, folder / "mnt"),
    ):
        yield Wrong(named(device), (part, image_of(device)), "is mounted at")


@entry(IN_USE, "a partition of a mounted disk")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 16) as device, partition(device) as part:
        sh("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", device)
        (folder / "mnt").mkdir()
        sh("mount", device, str(folder / "mnt"))
        try:
            target = f"device: {part}, destroy: {{ {identity_of(device)}, holds: anything }}"
            yield Wrong(target, (part, image_of(device)), "is mounted at")
        finally:
            sh("umount", str(folder / "mnt"))


@entry(IN_USE, "a partition that swaps")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 16) as device, partition(device) as part, swapping(part):
        yield Wrong(named(device), (image_of(device),), "swap", stays=MIB + SWAP_HEADER)


@entry(IN_USE, "swap")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device, swapping(device):
        yield Wrong(named(device), (image_of(device),), "is active swap", stays=SWAP_HEADER)


@entry(IN_USE, "a loop over swap")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device, loop_over(device) as upper, swapping(device):
        yield Wrong(named(upper), (image_of(device),), "is active swap", stays=SWAP_HEADER)


@entry(IN_USE, "a loop over a loop that is mounted")
def _(folder: Path) -> Iterator[Wrong]:
    with (
        loop_device(folder, 8) as device,
        loop_over(device) as upper,
        mounted(device, folder / "mnt"),
    ):
        yield Wrong(named(upper), (image_of(device),), "which holds the blocks of")


@entry(IN_USE, "a loop over two others, the lowest of them mounted")
def _(folder: Path) -> Iterator[Wrong]:
    with (
        loop_device(folder, 8) as device,
        loop_over(device) as one,
        loop_over(one) as two,
        mounted(device, folder / "mnt"),
    ):
        yield Wrong(named(two), (image_of(device),), "is mounted at")


@entry(IN_USE, "below a loop that is mounted")
def _(folder: Path) -> Iterator[Wrong]:
    with (
        loop_device(folder, 8) as device,
        loop_over(device) as upper,
        mounted(upper, folder / "mnt"),
    ):
        yield Wrong(named(device), (image_of(device),), upper)


@entry(IN_USE, "below a loop that nobody uses")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device, loop_over(device) as upper:
        yield Wrong(named(device), (image_of(device),), upper)


@entry(IN_USE, "a loop over a disk of which a partition is mounted")
def _(folder: Path) -> Iterator[Wrong]:
    with (
        loop_device(folder, 16) as device,
        loop_over(device) as upper,
        partition(device) as part,
        mounted(part, folder / "mnt"),
    ):
        yield Wrong(named(upper), (image_of(device),), "is mounted at")


@entry(IN_USE, "a second loop over an image")
def _(folder: Path) -> Iterator[Wrong]:
    with (
        loop_device(folder, 8) as device,
        loop_over(image_of(device)) as other,
        mounted(device, folder / "mnt"),
    ):
        yield Wrong(named(other), (image_of(device),), "hold the same blocks")


@entry(IN_USE, "a second loop over an image by its second name")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        (folder / "second").hardlink_to(image_of(device))
        with loop_over(folder / "second") as other, mounted(device, folder / "mnt"):
            yield Wrong(named(other), (image_of(device),), "hold the same blocks")


@entry(IN_USE, "a second loop over an image that has been renamed")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        image = Path(image_of(device))
        with mounted(device, folder / "mnt"):
            image.rename(folder / "renamed")
            try:
                with loop_over(folder / "renamed") as other:
                    yield Wrong(named(other), (str(folder / "renamed"),), "hold the same blocks")
            finally:
                (folder / "renamed").rename(image)


@entry(IN_USE, "a second loop over an image, bound elsewhere")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        (folder / "bound").touch()
        sh("mount", "--bind", image_of(device), str(folder / "bound"))
        try:
            with loop_over(folder / "bound") as other, mounted(device, folder / "mnt"):
                yield Wrong(named(other), (image_of(device),), "hold the same blocks")
        finally:
            sh("umount", str(folder / "bound"))


@entry(IN_USE, "a second loop over the end of an image")
def _(folder: Path) -> Iterator[Wrong]:
    with (
        loop_device(folder, 8) as device,
        loop_over(image_of(device), "--offset", str(4 * MIB)) as other,
        mounted(device, folder / "mnt"),
    ):
        yield Wrong(named(other), (image_of(device),), "hold the same blocks")


@entry(IN_USE, "a second loop that another mount namespace has made")
def _(folder: Path) -> Iterator[Wrong]:
    (folder / "there").mkdir()
    image, said = folder / "image", folder / "loop"
    image.write_bytes(bytes(8 * MIB))
    script = f"""\
mount -t tmpfs tmpfs {folder}/there
touch {folder}/there/image
mount --bind {image} {folder}/there/image
losetup --find --show {folder}/there/image > {said}"""
    with elsewhere(folder, script):
        try:
            with loop_over(image) as here:
                yield Wrong(named(here), (str(image),), "hold the same blocks")
        finally:
            sh("losetup", "--detach", said.read_text().strip())


@entry(IN_USE, "a loop over the image that swaps")
def _(folder: Path) -> Iterator[Wrong]:
    with swap_file(folder) as image, swapping(str(image)), loop_over(image) as over:
        yield Wrong(named(over), (str(image),), "backs active swap", stays=SWAP_HEADER)


@entry(IN_USE, "the second device of a mounted btrfs")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 128) as one, loop_device(folder, 128) as two:
        sh("mkfs.btrfs", "-q", "-f", one, two)
        (folder / "mnt").mkdir()
        sh("mount", "-o", f"device={one},device={two}", one, str(folder / "mnt"))
        sh("sync", "-f", str(folder / "mnt"))
        try:
            yield Wrong(named(two), (image_of(two),), "btrfs")
        finally:
            sh("umount", str(folder / "mnt"))
            sh("btrfs", "device", "scan", "--forget")


@entry(IN_USE, "the journal of a mounted ext4")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device, loop_device(folder, 32) as journal:
        sh("mke2fs", "-q", "-F", "-O", "journal_dev", "-b", "4096", journal)
        eager = "lazy_itable_init=0,lazy_journal_init=0"
        journaled = ("-J", f"device={journal}")
        sh("mkfs.ext4", "-q", "-F", "-b", "4096", "-E", eager, *journaled, device)
        (folder / "mnt").mkdir()
        sh("mount", device, str(folder / "mnt"))
        sh("sync", "-f", str(folder / "mnt"))
        try:
            yield Wrong(named(journal), (image_of(journal),), "is the journal of a mounted")
        finally:
            sh("umount", str(folder / "mnt"))


@entry(IN_USE, "the log of a mounted xfs")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 320) as data, loop_device(folder, 64) as log:
        sh("mkfs.xfs", "-q", "-f", "-l", f"logdev={log}", data)
        (folder / "mnt").mkdir()
        sh("mount", "-o", f"logdev={log}", data, str(folder / "mnt"))
        try:
            yield Wrong(named(log), (image_of(log),), "is mounted at")
        finally:
            sh("umount", str(folder / "mnt"))


@entry(IN_USE, "claimed by a program")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        holder = os.open(device, os.O_RDWR | os.O_EXCL)
        try:
            yield Wrong(
                named(device),
                (image_of(device),),
                "something that /proc does not show here uses it",
            )
        finally:
            os.close(holder)


@entry(IN_USE, "a loop over what a program has claimed")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device, loop_over(device) as upper:
        holder = os.open(device, os.O_RDWR | os.O_EXCL)
        try:
            yield Wrong(
                named(upper), (image_of(device),), "something that /proc does not show here uses it"
            )
        finally:
            os.close(holder)
