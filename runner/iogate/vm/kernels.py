"""Kernels to boot: a bzImage, a package of Debian's or an RPM, the tree in which one was built, a
folder into which one was unpacked, or the release of one that is installed."""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from iogate.errors import RefusedError, RunError
from iogate.vm.added_module import AddedModule
from iogate.vm.packages import OF_THIS_MACHINE, unpacked

_SIGNATURE, _SIGNATURE_AT = b"HdrS", 0x202  # the kernel's Documentation/arch/x86/boot.rst
_VERSION_AT, _VERSION_FROM, _MOST_VERSION = 0x20E, 0x200, 512
_IMAGES = ("boot/vmlinuz*", "lib/modules/*/vmlinuz", "usr/lib/modules/*/vmlinuz")
_SYMBOLS = "usr/lib/debug/boot/vmlinux*"
_MOST_BYTES = 1 << 30
_RELEASE = re.compile(r"[0-9]+(?:\.[0-9]+)+[A-Za-z0-9.+~_-]*", re.ASCII)
INSTALLED = ("/",)
"""Roots below which installed kernels are looked for: ``boot`` and ``lib/modules``."""


class NoKernelError(RefusedError):
    """What is named is no kernel that can be booted: whoever has built it has left none."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel: its image, its ``release`` as ``uname -r`` prints it, the folder of its modules
    (None: it has all built in), and its ``vmlinux`` with symbols where there is one. ``digest``
    is the image's SHA-256; ``added`` is a module of somebody's that is loaded with its own."""

    image: Path
    release: str
    modules: Path | None
    vmlinux: Path | None
    digest: str
    added: AddedModule | None = None


def find_kernel(text: str, roots: Sequence[str] = INSTALLED) -> Kernel:
    """The kernel that a text names. NoKernelError where there is none, or none that may be read,
    BrokenPackageError for a package that cannot be unpacked; RunError where this machine is at
    fault."""
    try:
        return _found(text, roots)
    except OSError as error:
        if error.errno in OF_THIS_MACHINE:
            raise RunError(f"cannot read the kernel {text}: {error.strerror}") from error
        raise NoKernelError(
            f"cannot read the kernel {error.filename or text}: {error.strerror}",
            remedy="let this user read it: some systems keep /boot/vmlinuz-… for root",
        ) from error


def _found(text: str, roots: Sequence[str]) -> Kernel:
    place = Path(text).absolute()  # a name that begins with - is no option of dpkg-deb's
    if place.is_dir():
        return _of_folder(place)
    if place.suffix in (".deb", ".rpm") and place.is_file():
        return _of_folder(unpacked(place, _digest(place)))
    if place.is_file():
        return _of_image(place, _modules_beside(place))
    if _RELEASE.fullmatch(text):
        return _installed(text, roots)
    raise NoKernelError(
        f"there is no kernel {text!r}",
        remedy="name a bzImage, a .deb or .rpm of a kernel, a kernel's tree, or a release such as"
        " 6.12",
    )


def banner_of(image: Path) -> str:
    """What a bzImage says it is, ``RELEASE (WHO@WHERE) #1 …``; empty for a file that is none."""
    if not image.stat().st_size:  # those of /proc say so, and may wait
        return ""
    with image.open("rb") as stream:
        head = stream.read(_VERSION_AT + 2)
        if len(head) < _VERSION_AT + 2 or head[_SIGNATURE_AT : _SIGNATURE_AT + 4] != _SIGNATURE:
            return ""
        (offset,) = struct.unpack_from("<H", head, _VERSION_AT)
        stream.seek(offset + _VERSION_FROM)
        return stream.read(_MOST_VERSION).partition(b"\0")[0].decode("ascii", "replace")


def _release_of(image: Path) -> str:
    """It becomes a path, and whoever built the image chose it."""
    said = banner_of(image).split()
    return said[0] if said and _RELEASE.fullmatch(said[0]) else ""


def _of_image(image: Path, modules: Path | None, vmlinux: Path | None = None) -> Kernel:
    release = _release_of(image)
    if not release:
        raise NoKernelError(
            f"{image} is no kernel that can be booted here", remedy="name a bzImage for x86"
        )
    digest = _digest(image)
    own = modules / release if modules else None
    return Kernel(image, release, own if own and own.is_dir() else None, vmlinux, digest)


def _modules_beside(image: Path) -> Path | None:
    """``lib/modules`` of the root whose ``boot`` an image is in, or beside the image."""
    roots = (image.parent.parent, image.parent)
    places = (root / name for root in roots for name in ("lib/modules", "usr/lib/modules"))
    return next((place for place in places if place.is_dir()), None)


def _of_folder(folder: Path) -> Kernel:
    """Of a kernel's tree, or of what a package unpacks to."""
    built = folder / "arch/x86/boot/bzImage"
    if built.is_file():
        vmlinux = folder / "vmlinux"
        symbols = _inside(folder, vmlinux) if vmlinux.is_file() else None
        kernel = _of_image(_inside(folder, built), folder, symbols)
        return kernel if not any(folder.glob("**/*.ko")) else _in_tree(kernel, folder)
    images = sorted(path for place in _IMAGES for path in folder.glob(place))
    if len(images) != 1:
        names = ", ".join(image.name for image in images)
        raise NoKernelError(
            f"{folder} holds {f'several kernels: {names}' if images else 'no kernel'}",
            remedy="name the image, or a kernel's tree in which 'make bzImage' has ended",
        )
    symbols = next((_inside(folder, path) for path in folder.glob(_SYMBOLS)), None)
    modules = _modules_beside(folder / "boot" / images[0].name)
    return _of_image(_inside(folder, images[0]), modules, symbols)


def _inside(folder: Path, path: Path) -> Path:
    """NoKernelError for what leads out of the folder, which anybody may have filled."""
    if not path.resolve().is_relative_to(folder.resolve()):
        raise NoKernelError(f"{path} leads out of {folder}", remedy="put the file itself there")
    return path


def _in_tree(kernel: Kernel, tree: Path) -> Kernel:
    """Modules where a build left them."""
    return Kernel(kernel.image, kernel.release, tree, kernel.vmlinux, kernel.digest)


def _installed(release: str, roots: Sequence[str]) -> Kernel:
    """The newest installed one whose release begins so."""
    found = [
        image
        for root in roots
        for image in Path(root).glob("boot/vmlinuz-*")
        if _begins(image.name.removeprefix("vmlinuz-"), release)
    ]
    if not found:
        places = ", ".join(f"{root.rstrip('/')}/boot" for root in roots)
        raise NoKernelError(
            f"no kernel {release} is installed (looked in {places})",
            remedy="install or unpack one, name its image, or its folder under kernels",
        )
    newest = max(found, key=lambda image: _order(image.name))
    return _of_image(newest, _modules_beside(newest))


def _begins(name: str, release: str) -> bool:
    rest = name.removeprefix(release)
    return name.startswith(release) and (not rest or not rest[0].isalnum())


def _order(name: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", name))


def _digest(path: Path) -> str:
    """NoKernelError for what is too large to be a kernel."""
    size = path.stat().st_size
    if size > _MOST_BYTES:
        raise NoKernelError(
            f"{path} has {size:,} bytes, too many for a kernel",
            remedy="name the bzImage, or a package without debug symbols",
        )
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
