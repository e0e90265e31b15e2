"""Devices that nobody uses, and that are not the one that is meant, or not empty."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from iogate.host.devices.block_devices import find_device
from iogate.host.devices.signatures import stamp
from iogate.sut.local import LocalSut
from support.devices import (
    by_id_link,
    image_of,
    loop_device,
    loop_over,
    mounted,
    partition,
    sh,
    zram_device,
)
from support.marks import MARKS, put_mark
from support.wrong import Table, Wrong, entry

IDENTITIES: Table = {}
CONTENTS: Table = {}

# What `destroy:` says of a loop device of 8 MiB, the exit code, and a part of the error.
# IMAGE is its image, OTHER that of another device.
SAID = {
    "nothing": ("", 3, "does not allow it"),
    "no map": ("destroy: true", 2, "destroy"),
    "an empty map": ("destroy: {}", 2, "destroy"),
    "what it holds alone": ("destroy: { holds: anything }", 2, "destroy"),
    "an unknown key": ("destroy: { backing: IMAGE, force: true }", 2, "force"),
    "another serial": ("destroy: { serial: S123 }", 3, "this device would be"),
    "another wwn": ("destroy: { wwn: eui.0025 }", 3, "this device would be"),
    "another image": ("destroy: { backing: OTHER }", 3, "and destroy: says"),
    "an image that is not there": ("destroy: { backing: /nowhere }", 3, "and destroy: says"),
    "a folder as its image": ("destroy: { backing: / }", 3, "and destroy: says"),
    "another size": ("destroy: { backing: IMAGE, size: 9m }", 3, "and destroy: says"),
    "its size alone": ("destroy: { size: 8m }", 3, "this device would be"),
    "a model and its size": ("destroy: { model: loop, size: 8m }", 3, "this device would be"),
    "a model alone": ("destroy: { model: loop }", 2, "that of many devices"),
    "a name by id that is not there": ("destroy: { by_id: nvme-x }", 3, "by"),
    "a name by id that leads up": ("destroy: { by_id: ../../loop0 }", 2, "by_id is a name in"),
    "an empty serial": ('destroy: { serial: "" }', 2, "serial is empty"),
    "a blank serial": ('destroy: { serial: "  " }', 2, "serial is empty"),
    "an invisible serial": ('destroy: { serial: "\\u200b" }', 2, "serial is empty"),
    "no serial at all": ("destroy: { serial: }", 2, "serial"),
    "a list as the serial": ("destroy: { serial: [] }", 2, "serial"),
    "a variable that is empty": (
        'destroy: { backing: "${IOGATE_VAR_EMPTY}" }',
        2,
        "backing is empty",
    ),
    "an empty default": ('destroy: { wwn: "${IOGATE_VAR_UNSET:-}" }', 2, "wwn is empty"),
    "a variable that is not there": (
        'destroy: { serial: "${IOGATE_VAR_UNSET}" }',
        2,
        "IOGATE_VAR_UNSET",
    ),
    "an empty image beside its size": ('destroy: { backing: "", size: 8m }', 2, "is empty"),
    "a pattern": ('destroy: { backing: "*" }', 3, "and destroy: says"),
}


def _add_said(name: str, words: str, code: int, says: str) -> None:
    @entry(IDENTITIES, f"destroy says {name}")
    def _(folder: Path) -> Iterator[Wrong]:
        with loop_device(folder, 8) as device, loop_device(folder, 8) as other:
            text = words.replace("IMAGE", image_of(device)).replace("OTHER", image_of(other))
            target = f"device: {device}, {text}" if text else f"device: {device}"
            yield Wrong(target, (device, other), says, code)


for _name, (_words, _code, _says) in SAID.items():
    _add_said(_name, _words, _code, _says)


@entry(IDENTITIES, "destroy says another device, by its name by id")
def _(folder: Path) -> Iterator[Wrong]:
    with (
        loop_device(folder, 8) as device,
        loop_device(folder, 8) as other,
        by_id_link(other) as link,
    ):
        target = f"device: {device}, destroy: {{ by_id: {link.name} }}"
        yield Wrong(target, (device, other), "and destroy: says")


@entry(IDENTITIES, "the size of a device in memory that two have")
def _(_folder: Path) -> Iterator[Wrong]:
    with zram_device(67) as device, zram_device(67) as other:
        yield Wrong(f"device: {device}, destroy: {{ size: 67m }}", (device, other), other)


@entry(IDENTITIES, "another size of a device in memory")
def _(_folder: Path) -> Iterator[Wrong]:
    with zram_device(67) as device:
        yield Wrong(f"device: {device}, destroy: {{ size: 66m }}", (device,), "and destroy: says")


@entry(IDENTITIES, "a device that is read-only")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8, readonly=True) as device:
        yield Wrong(allowed(device), (device,), "is read-only")


@entry(IDENTITIES, "a filesystem on a device that nobody allowed")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 320) as device:
        yield on_top(f"device: {device}", device, "does not allow it")


@entry(IDENTITIES, "a filesystem on a device that is another")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 320) as device, loop_device(folder, 320) as other:
        target = f"device: {device}, destroy: {{ backing: {image_of(other)} }}"
        yield on_top(target, device, "and destroy: says")


@entry(IDENTITIES, "a filesystem on a device that is mounted")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 320) as device, mounted(device, folder / "mnt"):
        # Its image: who reads the device sees what ext4 keeps in memory of unwritten bitmaps, too.
        yield on_top(allowed(device, "anything"), image_of(device), "is mounted at")


@entry(IDENTITIES, "a filesystem on the second loop over an image")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 320) as device, loop_over(image_of(device)) as other:
        yield on_top(allowed(other), device, "hold the same blocks")


@entry(IDENTITIES, "a filesystem where there is another")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 320) as device:
        sh("mkfs.xfs", "-q", device)
        yield on_top(allowed(device, "ext4"), device, "holds xfs (")


@entry(IDENTITIES, "a precondition of a device that is only read, and that nobody allowed")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        yield filled(f"device: {device}", device, "no target is a device with destroy", 2)


@entry(IDENTITIES, "a precondition of a device that is another")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device, loop_device(folder, 8) as other:
        target = f"device: {device}, destroy: {{ backing: {image_of(other)} }}"
        yield filled(target, device, "and destroy: says")


@entry(IDENTITIES, "a precondition of a device that is mounted")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device, mounted(device, folder / "mnt"):
        yield filled(allowed(device, "anything"), device, "is mounted at")


def allowed(device: str, *holds: str) -> str:
    more = f", holds: [{', '.join(holds)}]" if holds else ""
    return f"device: {device}, destroy: {{ backing: {image_of(device)}{more} }}"


def on_top(target: str, victim: str, says: str) -> Wrong:
    """A filesystem that a trusted spec makes on the device."""
    fs = "filesystem: { on: raw, type: ext4 }"
    return Wrong(fs, (victim,), says, words=("--trust",), others=f"  raw: {{ {target} }}\n")


def filled(target: str, victim: str, says: str, code: int = 3) -> Wrong:
    more = "precondition: { fill: { bs: 1m } }\n"
    return Wrong(target, (victim,), says, code, job="rw: read", more=more)


def _add_mark(name: str) -> None:
    @entry(CONTENTS, f"{name}, not named")
    def _(folder: Path) -> Iterator[Wrong]:
        with loop_device(folder, 64) as device:  # the least that ZFS takes
            put_mark(name, device)
            yield Wrong(allowed(device, "ext4"), (device,), f"{device} holds {name}")


for _name in MARKS:
    _add_mark(_name)


def _add_filesystem(fs_type: str) -> None:
    @entry(CONTENTS, f"{fs_type}, not named")
    def _(folder: Path) -> Iterator[Wrong]:
        with loop_device(folder, 320) as device:
            sh(f"mkfs.{fs_type}", "-q", device)
            yield Wrong(allowed(device), (device,), f"{device} holds {fs_type} (")


for _name in ("ext2", "ext4", "xfs", "btrfs"):
    _add_filesystem(_name)


def _add_table(label: str) -> None:
    @entry(CONTENTS, f"{label}, not named")
    def _(folder: Path) -> Iterator[Wrong]:
        with loop_device(folder, 16) as device:
            label_it(label, device)
            yield Wrong(allowed(device), (device,), f"{device} holds {label}")

    @entry(CONTENTS, f"a filesystem in a {label} that is named")
    def _(folder: Path) -> Iterator[Wrong]:
        with loop_device(folder, 16) as device:
            label_it(label, device)
            with partition(device) as part:
                sh("mkfs.ext4", "-q", "-F", part)
                yield Wrong(allowed(device, label), (image_of(device),), f"{part} holds ext4 (")


def label_it(label: str, device: str) -> None:
    table = "start=2048, size=16384"
    sh("sh", "-c", f"echo '{table}' | sfdisk -q --no-reread -X {label} {device}")


for _name in ("gpt", "dos"):
    _add_table(_name)


@entry(CONTENTS, "a filesystem that is said to be nothing")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        sh("mkfs.ext4", "-q", "-F", device)
        yield Wrong(allowed(device, "nothing"), (device,), f"{device} holds ext4 (")


@entry(CONTENTS, "a name that is none")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 8) as device:
        sh("mkfs.ext4", "-q", "-F", device)
        yield Wrong(allowed(device, '"*"'), (device,), "holds", 2)


@entry(CONTENTS, "a filesystem in a partition that the kernel has not read, beside one that it has")
def _(folder: Path) -> Iterator[Wrong]:
    with loop_device(folder, 32) as device, partition(device):
        table = "start=2048,size=16384\\nstart=20480,size=16384"
        sh("sh", "-c", f"printf '{table}' | sfdisk -q --no-reread -X gpt {device}")
        unread = ("--offset", str(20480 * 512), "--sizelimit", str(16384 * 512))
        with loop_over(device, *unread) as second:
            sh("mkfs.ext4", "-q", "-F", second)
        yield Wrong(allowed(device, "gpt"), (image_of(device),), f"{device} holds ext4 (")


@entry(CONTENTS, "a filesystem that iogate has made on another device")
def _(folder: Path) -> Iterator[Wrong]:
    """Its mark is of the device that it was made on: a copy is somebody's."""
    with loop_device(folder, 9) as meant, loop_device(folder, 8) as device:
        found = find_device(LocalSut(), meant)
        assert found is not None
        sh("mkfs.ext4", "-q", "-F", "-U", stamp(found), device)
        yield Wrong(allowed(device), (device,), f"{device} holds ext4 (")
