"""The kernels that a host can be booted into: those that its file lists, and where it says so,
those that are built where iogate runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from iogate.boot.description import HostDescription, HostKernel
from iogate.boot.standing import parse_banner
from iogate.boot.ways import WAYS, Words
from iogate.errors import RefusedError
from iogate.sut.base import Sut
from iogate.sut.built_kernel import BuiltKernel, copy_to, find_built
from iogate.vm.modules import LATER, WANTED

# The kernel's Documentation/arch/x86/boot.rst.
_BANNER = """\
import sys
with open(sys.argv[1], "rb") as image:
    head = image.read(0x210)
    if head[0x202:0x206] == b"HdrS":
        image.seek(int.from_bytes(head[0x20e:0x210], "little") + 0x200)
        print(image.read(512).split(b"\\0")[0].decode("ascii", "replace"))
"""


class HostKernels:
    """Those of the host ``sut``."""

    def __init__(self, sut: Sut, description: HostDescription) -> None:
        self._sut, self._description = sut, description
        self._loaded: tuple[str, ...] | None = None
        self._last: tuple[str, ...] = ()

    def find(self, text: str, home: str) -> HostKernel:
        """As ``Bootable.kernel``; ``home`` is the release of what the host boots by itself."""
        self.programs()
        known = text in self._description.kernels
        built = self._description.built
        if known or built is None or not _is_path(text):
            return self._installed(text)
        if built.initrd:
            self._check_there(text, built.initrd)
        if self._loaded is None:
            self._loaded = self._names(home)
        return find_built(text, built, self._loaded)

    def check_builds(self) -> None:
        """As ``Bootable.check_builds``."""
        if self._description.built is None:
            raise RefusedError(
                f"{self._description.name} boots nothing that is built here",
                remedy="say built: in the host's file where that is yours to allow, or measure in "
                "a virtual machine: --machine vm:FILE",
            )
        self.programs()

    def _installed(self, text: str) -> HostKernel:
        kernel = self._description.kernel(text)
        for path in filter(None, (kernel.image, kernel.initrd)):
            self._check_there(text, path)
        release, version = parse_banner(self._banner(kernel.image)) if kernel.image else ("", "")
        wanted = kernel.release or release
        if not wanted or (release and release != wanted):
            raise RefusedError(
                f"kernel {text}: {kernel.image} says it is {release or 'nothing'}"
                + (f", not {wanted}" if wanted else ""),
                remedy="correct image or release in the host's file",
            )
        return replace(kernel, release=wanted, version=version)

    def _check_there(self, text: str, path: str) -> None:
        if self._sut.stat(path) is None:
            raise RefusedError(
                f"kernel {text}: there is no {path} on {self._description.name}",
                remedy="install it there, or correct the host's file",
            )

    def _banner(self, image: str) -> str:
        return str(self._sut.run([self._sut.about().python, "-I", "-c", _BANNER, image]).stdout)

    def _names(self, home: str) -> tuple[str, ...]:
        """The modules that what the host boots by itself has loaded, or built in: the host may need
        them of another kernel, too."""
        loaded = (self._sut.read_text("/proc/modules") or "").splitlines()
        names = [line.split()[0] for line in loaded if line.strip()]
        own = self._sut.read_text(f"/lib/modules/{home}/modules.builtin") or ""
        names += [path.rpartition("/")[2].partition(".ko")[0] for path in own.split()]
        return (*WANTED, *LATER, *(name.replace("-", "_") for name in names))

    def programs(self) -> Words:
        """What boots kernels there. RefusedError where it is missing, or not for this user."""
        sut, name = self._sut, self._description.name
        if sut.about().user != 0:
            raise RefusedError(
                f"booting kernels takes root on {name}, and user {sut.about().user} works there",
                remedy="write address: root@… in the host's file",
            )
        way = WAYS.get(self._description.boot)
        wanted = way.programs if way else ()
        found = [next(filter(None, map(sut.which, names)), "") for names in wanted]
        if way and not all(found):
            raise RefusedError(
                f"{name} has no {way.programs[found.index('')][0]}",
                remedy=f"install it there (Debian: {way.package})",
            )
        return tuple(found)

    def bring(self, kernel: BuiltKernel) -> None:
        """Have its files there, beside those of the kernel before. RefusedError where that cannot
        be."""
        copy_to(self._sut, kernel, self._last)
        self._last = kernel.files


def _is_path(text: str) -> bool:
    """Whether a text can name a file here."""
    return "/" in text or Path(text).exists()
