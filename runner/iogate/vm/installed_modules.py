"""The modules of a kernel as a system has them below /lib/modules: for a host, whose own programs
load them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from iogate.errors import RunError
from iogate.files.bounds import MIB
from iogate.vm import cpio
from iogate.vm.modules import chosen
from iogate.vm.readers import reader

_LISTS = ("modules.builtin", "modules.builtin.modinfo")
_MOST_BYTES = 192 * MIB  # together, and so of what goes over a line to a host at once
_INDEX_S = 300.0
_DEPMOD = "/usr/sbin/depmod"  # which is not in everybody's PATH


def installed_modules(folder: Path, release: str, wanted: Iterable[str]) -> bytes:
    """An initramfs with those of the modules below a folder that are wanted, what they need, and
    what modprobe finds them by. Whatever it is put behind has a /lib of its own, which may be a
    link. RunError for modules that cannot be read or indexed, or are too large; RefusedError
    without depmod."""
    with tempfile.TemporaryDirectory(prefix="iogate-modules-") as root:
        place = Path(root) / "lib/modules" / release
        place.mkdir(parents=True)
        if not _write(place, folder, wanted):
            return b""
        argv = [shutil.which("depmod") or _DEPMOD, "-b", root, release]
        with reader(
            argv, Path(root), package="kmod", most=_MOST_BYTES, timeout_s=_INDEX_S, into=place
        ):
            pass  # it says nothing
        files = {f"/lib/modules/{release}/{path.name}": path for path in place.iterdir()}
        items = {name: cpio.file(path.read_bytes()) for name, path in files.items()}
    return cpio.archive(items, there=("/lib",))


def _write(place: Path, folder: Path, wanted: Iterable[str]) -> int:
    """How many bytes of modules there are."""
    size = 0
    for name, data in chosen(folder, wanted):
        size += len(data)
        if size > _MOST_BYTES:
            raise RunError(
                f"the modules below {folder} that the host may need have more than "
                f"{_MOST_BYTES:,} bytes",
                remedy="build without debug symbols, or strip them: strip --strip-debug",
            )
        (place / f"{name}.ko").write_bytes(data)
    for name in _LISTS:
        own = folder / name
        if own.is_file() and own.resolve().is_relative_to(folder.resolve()):
            with own.open("rb") as stream:
                (place / name).write_bytes(stream.read(MIB))
    return size
