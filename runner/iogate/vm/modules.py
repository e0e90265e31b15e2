"""The modules that a virtual machine needs, in the order in which they are to be loaded. What a
module depends on it says itself, in its section ``.modinfo``."""

from __future__ import annotations

import gzip
import lzma
import re
import shutil
import zlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from iogate.errors import RunError
from iogate.files.bounds import MIB, size
from iogate.vm.added_module import AddedModule
from iogate.vm.cpio import Item, archive, file
from iogate.vm.readers import reader

WANTED = (
    "virtio_pci", "virtio_console", "virtio_blk", "virtio_rng", "nvme", "loop",
    # Found by the kernel by asking for a program that is not there.
    "crc32_generic", "crc32c_generic", "crc32c_intel", "crc32c_cryptoapi", "xxhash_generic",
    "blake2b_generic", "sha256_generic", "zram", "nls_utf8",
)  # fmt: skip
"""Loaded where the kernel has them as modules: what is missing is built in, or not there."""
LATER = {
    "ext4": ("fs-ext2", "fs-ext3", "fs-ext4"), "xfs": ("fs-xfs",), "btrfs": ("fs-btrfs",),
    "f2fs": ("fs-f2fs",),
}  # fmt: skip
"""Loaded when the kernel asks for them, by what it calls them: some take an emulated machine
seconds."""
FOLDER = "/iogate-modules"
_NEEDS = re.compile(rb"(?:\A|\0)(?:depends|softdep)=([^\0]*)\0")
_KINDS = ("", ".xz", ".gz", ".zst")
_MOST_BYTES = 256 * MIB
_MOST_TOGETHER = 512 * MIB
_ZSTD_S = 60.0
_AGAIN = "build or unpack the kernel again"


def modules_archive(
    folder: Path | None, extra: Sequence[str] = (), added: AddedModule | None = None
) -> bytes:
    """An initramfs with the modules as files whose names sort as they are to be loaded, each with
    its parameters beside it. ``extra`` are lines such as ``null_blk nr_devices=1``; ``added`` is
    one more, or in the place of the kernel's own of that name. In the folder ``later`` are those
    that the kernel asks for, and by what it calls each the names of the files to load in this
    order. RunError for one that the kernel does not have as a module."""
    if folder is None and not added:
        _refuse_missing(extra, {})
        return archive({})
    known = _known(folder) if folder else {}
    own: dict[str, bytes] = {}
    parameters = {_plain(line.split()[0]): line.partition(" ")[2] for line in extra}
    if added:
        own[_plain(added.name)] = added.data
        parameters[_plain(added.name)] = added.parameters
    _refuse_missing(extra, {**known, **own})
    items: dict[str, Item] = {}
    everything = (*WANTED, *parameters, *LATER)
    contents = dict(_in_order(everything, known, own, folder or Path()))
    at_once = dict(_in_order((*WANTED, *parameters), {}, contents, Path()))
    for number, (name, data) in enumerate(at_once.items()):
        place = f"{FOLDER}/{number:05}-{name}"
        items[f"{place}.ko"] = file(data)
        items[f"{place}.txt"] = file(parameters.get(name, "").encode())
    return archive(items | _later(contents, at_once))


def _later(contents: Mapping[str, bytes], at_once: Container[str]) -> dict[str, Item]:
    """Those that are not loaded ``at_once``, and what the kernel calls them."""
    items: dict[str, Item] = {}
    names: dict[str, str] = {}
    for wanted, asked in LATER.items():
        ordered = _in_order([wanted], {}, contents, Path())
        needed = [(name, data) for name, data in ordered if name not in at_once]
        for name, data in needed:
            names.setdefault(name, f"{len(names):05}-{name}.ko")
            items[f"{FOLDER}/later/{names[name]}"] = file(data)
        text = "\n".join(names[name] for name, _ in needed)
        items |= {f"{FOLDER}/later/{each}": file(text.encode()) for each in asked if needed}
    return items


def chosen(folder: Path, wanted: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Those of the modules below a folder that are wanted and there, each after what it needs, by
    name. RunError for what cannot be read."""
    return _in_order(wanted, _known(folder), {}, folder)


def _refuse_missing(extra: Sequence[str], known: Mapping[str, object]) -> None:
    for line in extra:
        if _plain(line.split()[0]) not in known:
            raise RunError(
                f"the kernel has no module {line.split()[0]}",
                remedy="leave it out of modules, or boot a kernel that has it",
            )


def _known(folder: Path) -> dict[str, Path]:
    return {
        _plain(path.name.partition(".ko")[0]): path
        for kind in _KINDS
        for path in sorted(folder.glob(f"**/*.ko{kind}"))
    }


def _in_order(
    wanted: Iterable[str], known: Mapping[str, Path], own: Mapping[str, bytes], folder: Path
) -> Iterator[tuple[str, bytes]]:
    """Each module once, after those that it needs; ``own`` before the kernel's."""
    seen: set[str] = set()
    left = _MOST_TOGETHER
    for first in wanted:
        # What is on the way to be loaded, the first last, with what each still waits for.
        waiting: list[tuple[str, bytes, Iterator[str]]] = []
        names: Iterator[str] = iter([_plain(first)])
        while True:
            name = next((n for n in names if n not in seen and (n in own or n in known)), None)
            if name is not None:
                seen.add(name)
                data = own[name] if name in own else _contents(known[name], folder)
                left -= len(data)
                _check_room(left, name)
                names = iter(_needs(data))
                waiting.append((name, data, names))
            elif waiting:
                loaded, data, _ = waiting.pop()
                yield loaded, data
                names = waiting[-1][2] if waiting else iter(())
            else:
                break


def _check_room(left: int, name: str) -> None:
    if left < 0:
        raise RunError(
            f"the modules of the machine have more than {size(_MOST_TOGETHER)}, with {name}",
            remedy=_AGAIN,
        )


def _needs(data: bytes) -> list[str]:
    texts = [found[1].decode("ascii", "replace") for found in _NEEDS.finditer(data)]
    words = " ".join(texts).replace(",", " ").split()
    return [_plain(word) for word in words if not word.endswith(":")]


def _contents(path: Path, folder: Path) -> bytes:
    """What goes into the machine, whose kernel may be anybody's: nothing but a module, and none
    that leads out of the folder. RunError for what cannot be read."""
    inside = path.resolve().is_relative_to(folder.resolve())
    if not inside or not path.is_file():
        raise RunError(f"{path} is no file below {folder}", remedy="put the module itself there")
    try:
        data = _zstd(path) if path.suffix == ".zst" else _read(path)
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise RunError(f"cannot read the module {path}: {error}", remedy=_AGAIN) from error
    if len(data) > _MOST_BYTES:
        raise RunError(f"the module {path} has more than {_MOST_BYTES:,} bytes", remedy=_AGAIN)
    return data


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        if path.suffix == ".xz":
            return lzma.LZMAFile(file).read(_MOST_BYTES + 1)
        if path.suffix == ".gz":
            return gzip.GzipFile(fileobj=file).read(_MOST_BYTES + 1)
        return file.read(_MOST_BYTES + 1)


def _zstd(path: Path) -> bytes:
    if shutil.which("zstd") is None:
        raise RunError(f"there is no zstd here to read {path}", remedy="install it (Debian: zstd)")
    argv, most = ["zstd", "-dcq", "--", str(path)], _MOST_BYTES + 1
    try:
        with reader(argv, path, package="zstd", most=most, timeout_s=_ZSTD_S) as said:
            return said.read(most)  # one byte more, or an error: it is too large
    except RunError as error:
        raise EOFError(error.what) from error


def _plain(name: str) -> str:
    return name.replace("-", "_")
