"""A kernel that was built where iogate runs, for a host that boots it by kexec: what it is, how it
gets there, and what is left of it at the end, which is nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from iogate.boot.description import Built, HostKernel
from iogate.boot.standing import parse_banner
from iogate.errors import RefusedError, RunError
from iogate.files.bounds import DOCUMENT_BYTES
from iogate.sut.base import Sut
from iogate.sut.digest import digest_of
from iogate.sut.kernel_image import build_id_of
from iogate.vm.installed_modules import installed_modules
from iogate.vm.kernels import Kernel, NoKernelError, banner_of, find_kernel

PLACE = "/var/lib/iogate-built"
"""On the host: there for as long as the note that it is booted."""
_ANSWER_S = 600.0  # of a slow disk there
# Each part of an initramfs begins at a multiple of four bytes.
_JOIN = """\
import shutil, sys
with open(sys.argv[1], "wb") as whole:
    for path in sys.argv[2:]:
        with open(path, "rb") as part:
            shutil.copyfileobj(part, whole)
        whole.write(bytes(-whole.tell() % 4))
"""
# An archive as iogate.vm.cpio makes them.
_UNPACK = """\
import os, sys
with open(sys.argv[1], "rb") as archive:
    while True:
        head = archive.read(110)
        mode, size, length = (int(head[at : at + 8], 16) for at in (14, 54, 94))
        name = archive.read(length)[:-1].decode()
        archive.read(-(110 + length) % 4)
        data = archive.read(size)
        archive.read(-size % 4)
        if name == "TRAILER!!!":
            break
        if mode & 0o40000:
            os.makedirs("/" + name, exist_ok=True)
        else:
            with open("/" + name, "wb") as out:
                out.write(data)
"""
_MOUNT = "mkdir -p /lib/modules && mount -t tmpfs -o mode=755 iogate-modules /lib/modules"


@dataclass(frozen=True, slots=True)
class BuiltKernel(HostKernel):
    """``local`` is its image here, with this SHA-256; ``modules`` are an initramfs, which is
    ``archive`` on the host, and its ``initrd`` is put together there of ``behind`` and that, anew
    for each boot: there is one at a time."""

    local: Path = Path()
    digest: str = ""
    modules: bytes = b""
    archive: str = ""
    behind: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """What is copied of it, or made there."""
        own = (self.image, self.archive, self.initrd)
        return tuple(path for path in own if path.startswith(f"{PLACE}/"))


def find_built(text: str, built: Built, loaded: Iterable[str]) -> BuiltKernel:
    """The kernel that a text names here, with the modules that a host needs which has these
    ``loaded``. NoKernelError where it is none that can be booted."""
    found = find_kernel(text, ())
    release, version = parse_banner(banner_of(found.image))
    if not version.isprintable():  # it is told where another one comes up
        raise NoKernelError(f"{found.image} says of itself what cannot be printed")
    modules = _modules(found, (*loaded, *built.modules))
    name = f"built-{found.digest[:16]}"
    archive = f"{PLACE}/{hashlib.sha256(modules).hexdigest()[:16]}.modules" if modules else ""
    joined = bool(modules and built.initrd)
    return BuiltKernel(
        name,
        image=f"{PLACE}/{found.digest[:16]}.image",
        initrd=f"{PLACE}/initrd" if joined else built.initrd,
        words=built.words,
        release=release,
        version=version,
        build_id=_build_id(found.image, found.digest),
        local=found.image,
        digest=found.digest,
        modules=modules,
        archive=archive,
        behind=built.initrd,
    )


def _modules(kernel: Kernel, wanted: Iterable[str]) -> bytes:
    if kernel.modules is None:
        return b""
    try:
        return installed_modules(kernel.modules, kernel.release, wanted)
    except RunError as error:
        raise NoKernelError(error.what, remedy=error.remedy) from error
    except OSError as error:
        raise RunError(
            f"cannot pack the modules of {kernel.release}: {error.strerror}",
            remedy="make room for temporary files, or name another folder: TMPDIR",
        ) from error


@lru_cache(maxsize=4)
def _build_id(image: Path, digest: str) -> str:
    return build_id_of(_read(image, digest))


def _read(image: Path, digest: str) -> bytes:
    """RefusedError for another image than the one that was found, NoKernelError for one that is too
    large to be sent."""
    with image.open("rb") as stream:
        data = stream.read(DOCUMENT_BYTES + 1)
    if len(data) > DOCUMENT_BYTES:
        raise NoKernelError(f"{image} has more than {DOCUMENT_BYTES:,} bytes")
    if hashlib.sha256(data).hexdigest() != digest:
        raise RefusedError(
            f"{image} has changed meanwhile",
            remedy="build in another folder while kernels are compared",
        )
    return data


def copy_to(sut: Sut, kernel: BuiltKernel, others: Collection[str]) -> None:
    """Have its files on the host, as they are here, and none but those and the ``others``.
    RefusedError where that cannot be: it says nothing of the kernel."""
    try:
        sut.make_dir(PLACE)
        for name in sut.list_dir(PLACE):
            if f"{PLACE}/{name}" not in (*kernel.files, *others):
                sut.remove_file(f"{PLACE}/{name}")
        if digest_of(sut, kernel.image) != kernel.digest:
            _bring(sut, kernel.image, _read(kernel.local, kernel.digest))
        if kernel.modules:
            _bring(sut, kernel.archive, kernel.modules)
        if kernel.initrd in kernel.files:
            parts = [kernel.initrd, kernel.behind, kernel.archive]
            _do(sut, [sut.about().python, "-I", "-c", _JOIN, *parts])
    except (RunError, OSError) as error:
        raise RefusedError(
            f"cannot copy kernel {kernel.release} to {sut.name}: {getattr(error, 'what', error)}",
            remedy=f"make room there for {PLACE}, or see why it cannot be written",
        ) from error


def give_modules(sut: Sut, kernel: BuiltKernel) -> None:
    """The modules for what the system that is up asks for from now on. They lie in memory, in front
    of those that are installed there, and are gone with the boot. RunError where that
    fails."""
    if kernel.modules:
        _bring(sut, kernel.archive, kernel.modules)  # a host without a disk has forgotten it
        _do(sut, ["sh", "-c", _MOUNT])
        _do(sut, [sut.about().python, "-I", "-c", _UNPACK, kernel.archive])


def remove_copies(sut: Sut) -> None:
    """RunError where they cannot be removed."""
    if sut.stat(PLACE) is not None:
        sut.remove_tree(PLACE)


def _bring(sut: Sut, path: str, data: bytes) -> None:
    digest = hashlib.sha256(data).hexdigest()
    if digest_of(sut, path) != digest:
        sut.put(path, data)
        if digest_of(sut, path) != digest:
            raise RunError(f"{path} is not there what was sent")


def _do(sut: Sut, argv: list[str]) -> None:
    done = sut.run(argv, timeout_s=_ANSWER_S)
    if done.status:
        said = (done.stderr or done.stdout).strip().rpartition("\n")[2]
        raise RunError(f"{argv[0]} ended with {done.status}: {said}")
