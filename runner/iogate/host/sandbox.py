"""What an engine may reach when it runs a case: its target, a folder for what it writes, and
what every program needs to run."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from iogate.errors import RefusedError
from iogate.host.facts import Fact
from iogate.host.read_ahead import ReadAhead
from iogate.host.targets.places import identity_of, place_of
from iogate.jobs import estimate
from iogate.model.confinement import Allowed, Confinement, Layers
from iogate.model.place import Place, PlaceKind
from iogate.model.plan import Case
from iogate.model.spec import JobSpec
from iogate.sut.access import needs_override
from iogate.sut.base import Sut

# Programs, their libraries, and what the kernel says of itself. Nothing of any user, and of
# /etc only what says how programs are loaded and names are looked up.
SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
    "/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/alternatives", "/etc/localtime",
    "/etc/nsswitch.conf", "/etc/passwd", "/etc/group",
    "/proc", "/sys/block", "/sys/bus", "/sys/class", "/sys/dev", "/sys/devices",
    "/sys/fs/cgroup", "/sys/kernel/mm",
)  # fmt: skip

# What programs of filesystems are configured by.
_OF_PROGRAMS = ("/etc/mke2fs.conf", "/etc/e2fsck.conf", "/etc/xattr.conf", "/etc/services")

_NONE = "this kernel cannot confine an engine: it has neither Landlock nor namespaces for this user"
_NO_LAUNCHER = "there is no iogate-engine here that could confine an engine"
_OFF = "--unconfined"


def _has_priority(job: JobSpec) -> bool:
    return any(key in job.options for key in ("nice", "prio", "prioclass", "cmdprio_class"))


def _locks_memory(job: JobSpec) -> bool:
    return "lockmem" in job.options or job.options.get("mem", "").endswith("huge")


# What of its capabilities an engine of root keeps, and the jobs that need it.
_CAPABILITIES: tuple[tuple[str, Callable[[JobSpec], bool]], ...] = (
    ("sys_nice", _has_priority),
    ("ipc_lock", _locks_memory),
)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The confinement of a run's engines. ``why_not`` says why there is none; ``library`` is the
    path of one that they are started with."""

    sut: Sut
    layers: Layers | None
    why_not: str = ""
    library: str = ""

    def facts(self) -> dict[str, Fact]:
        """What of it holds on this host. None of these tells environments apart."""
        if self.layers is None:
            return {"confinement.none": self.why_not}
        return {
            "confinement.landlock": self.layers.landlock,
            "confinement.namespaces": self.layers.namespaces,
            "confinement.read_only": self.layers.read_only,
            "confinement.network": self.layers.network,
            "confinement.capabilities": self.layers.capabilities,
        }

    def of(self, case: Case, place: Place, folder: str, jobs: str) -> Confinement | None:
        """For one repetition of a case at ``place``, which writes its result in ``folder`` and
        has its job file in ``jobs``. RefusedError where a place is gone."""
        looks = [path for each in (folder, jobs, place.path) for path in (each, *_above(each))]
        known = ReadAhead(self.sut).read((), list(dict.fromkeys(looks)))
        return replace(self, sut=known)._of(case, place, folder, jobs)  # noqa: SLF001 - its own

    def _of(self, case: Case, place: Place, folder: str, jobs: str) -> Confinement | None:
        if self.layers is None:
            return None
        results = self._allowed(place_of(self.sut, folder), writable=True)
        target = self._allowed(place, writable=_is_written(case, place))
        flushes = _is_flushed(case, target)
        allowed = (target, results)
        return Confinement(
            self.layers,
            allowed=allowed,
            reads=(*SYSTEM, self.sut.real_path(jobs)),
            flushes=(place.path,) if flushes else (),
            capabilities=self._capabilities(case, allowed),
            connects=tuple(each.port for each in case.network if each.host),
            binds=tuple(each.port for each in case.network if not each.host),
            preload=self.library,
        )

    def to_ask(self) -> Confinement | None:
        """For a program that only says what it is."""
        if self.layers is None:
            return None
        return Confinement(self.layers, reads=SYSTEM, preload=self.library)

    def within(self, place: Place) -> Confinement | None:
        """For a job of iogate's own, which has all that it needs in the folder ``place``."""
        if self.layers is None:
            return None
        allowed = (self._allowed(place, writable=True),)
        rights = self._rights(allowed)
        return Confinement(self.layers, allowed=allowed, reads=SYSTEM, capabilities=rights)

    def around_program(self, place: Place) -> Confinement | None:
        """For a program of the system, which may write in the folder ``place`` alone; what it
        starts ends with it."""
        confined = self.within(place)
        if confined is None:
            return None
        allowed = tuple(replace(each, links=True) for each in confined.allowed)
        reads = (*SYSTEM, *_OF_PROGRAMS)
        return replace(confined, allowed=allowed, reads=reads, of_program=True)

    def _allowed(self, place: Place, *, writable: bool) -> Allowed:
        if not place.path.isprintable():
            raise RefusedError(
                f"{place.path!r} holds what is not a letter", remedy="name a folder of plain names"
            )
        if place.identity is not None:
            return Allowed(place, writable)
        parent = identity_of(self.sut, posixpath.dirname(place.path))
        if parent is None or self.sut.stat(place.path):
            raise RefusedError(f"{place.path} is not what it was when this run looked it up")
        return Allowed(Place(place.path, parent), writable=True, is_new=True)

    def _capabilities(self, case: Case, allowed: tuple[Allowed, ...]) -> tuple[str, ...]:
        needed = [name for name, asks in _CAPABILITIES if any(map(asks, case.jobs))]
        return (*self._rights(allowed), *needed)

    def _rights(self, allowed: tuple[Allowed, ...]) -> tuple[str, ...]:
        """What root needs where the places are somebody else's."""
        user = self.sut.about().user
        foreign = any(
            needs_override(self.sut, each.place.path, user, writes=each.writable)
            for each in allowed
        )
        return ("dac_override",) if foreign else ()


def open_sandbox(
    sut: Sut,
    layers: Layers | None,
    *,
    unconfined: bool,
    trusted: bool,
    proposed: bool,
) -> Sandbox:
    """The confinement of a run. RefusedError where there is none for a spec that a pull request
    may have brought (``proposed``), and nobody has said that this is all right."""
    if unconfined:
        return Sandbox(sut, None, _OFF)
    if layers is not None and layers.confine:
        return Sandbox(sut, layers)
    why_not = _NO_LAUNCHER if layers is None else _NONE
    if proposed and not trusted:
        raise RefusedError(
            f"{why_not}, and this is a pull request's run",
            remedy="measure on a kernel from 5.13 on with Landlock; or, where only people you "
            "trust open pull requests, allow it with --unconfined",
        )
    return Sandbox(sut, None, why_not)


def _above(path: str) -> tuple[str, ...]:
    return tuple(str(folder) for folder in PurePosixPath(path).parents)


def _is_written(case: Case, place: Place) -> bool:
    """A file may have to be laid out also for a job that only reads, but not one of somebody's."""
    if place.kept:
        return False
    return not case.target.is_block or estimate.writes(case)


def _is_flushed(case: Case, target: Allowed) -> bool:
    identity = target.place.identity
    is_block = identity is not None and identity.kind is PlaceKind.BLOCK
    return is_block and any(job.options.get("invalidate", "1") != "0" for job in case.jobs)
