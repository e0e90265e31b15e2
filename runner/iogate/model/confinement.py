"""What the kernel keeps an engine to, and the text in which the launcher is told of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from iogate.model.place import Place, PlaceKind

SCHEMA = "confine/1"
_PROBE = "confine-probe/1"
_LANDLOCK_PORTS = 4  # the first version that knows them
_NOWHERE = "0:0"
_KEPT = "IOGATE_PROCESS"  # by which all that an engine has started is found again
_NAMES = {
    "landlock": "Landlock",
    "namespaces": "namespaces",
    "read-only": "read-only mounts",
    "network": "no network",
    "capabilities": "dropped capabilities",
}


@dataclass(frozen=True, slots=True)
class Layers:
    """What the launcher has tried and found to hold on this kernel. ``launcher`` is its path,
    ``landlock`` the version of Landlock, 0 for none; ``through_user`` says that the namespaces
    are those of a user, as without root; ``family`` that all that an engine starts ends with it."""

    launcher: str
    landlock: int = 0
    namespaces: bool = False
    read_only: bool = False
    network: bool = False
    capabilities: bool = False
    through_user: bool = False
    family: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """Those that hold, as a plan requires them."""
        holds = {
            "landlock": self.landlock > 0,
            "namespaces": self.namespaces,
            "read-only": self.read_only,
            "network": self.network,
            "capabilities": self.capabilities,
        }
        return tuple(word for word, it_holds in holds.items() if it_holds)

    @property
    def lacking(self) -> tuple[str, ...]:
        """Those that do not hold, as people call them."""
        return tuple(name for word, name in _NAMES.items() if word not in self.words)

    @property
    def hold_ports(self) -> bool:
        """Whether TCP of a host's network can be held to single ports."""
        return self.landlock >= _LANDLOCK_PORTS

    @property
    def confine(self) -> bool:
        """Whether they keep an engine from writing elsewhere."""
        return self.landlock > 0 or (self.namespaces and self.read_only)


@dataclass(frozen=True, slots=True)
class Allowed:
    """A place that may be reached. ``is_new``: a file that is not there yet, and the identity
    is that of its directory. ``links``: symbolic links may be made in it, too."""

    place: Place
    writable: bool = True
    is_new: bool = False
    links: bool = False


@dataclass(frozen=True, slots=True)
class Confinement:
    """What one start of an engine is kept to. ``reads`` may be read and run with all below;
    of the block devices ``flushes`` the page cache is emptied before the start. ``claims``: those
    that may be written are claimed for it, as it does not do so itself. TCP ports that it
    ``connects`` to or ``binds`` are those of the host's network, which it then has. ``preload`` is
    the path of a library that is loaded before its own. What is ``of_program`` may be any
    program of the system: it makes no socket, and the meter that starts it keeps its processes."""

    layers: Layers
    allowed: tuple[Allowed, ...] = ()
    reads: tuple[str, ...] = ()
    flushes: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    connects: tuple[int, ...] = ()
    binds: tuple[int, ...] = ()
    preload: str = ""
    of_program: bool = False
    claims: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The layers that this start requires."""
        shared = self.connects or self.binds
        layers = tuple(w for w in self.layers.words if not (shared and w == "network"))
        if not self.of_program:
            return (*layers, *(("family",) if self.layers.family else ()))
        return (*layers, *(("processes",) if self.layers.namespaces else ()), "calls")

    @property
    def claimed(self) -> tuple[str, ...]:
        """The block devices that nobody else may mount or claim while it runs."""
        written = [each.place for each in self.allowed if self.claims and each.writable]
        blocks = (p for p in written if p.identity and p.identity.kind is PlaceKind.BLOCK)
        return tuple(place.path for place in blocks)

    @property
    def launcher(self) -> str:
        return self.layers.launcher

    @property
    def to_ask(self) -> Confinement:
        """For a start of the same program that only says what it is: it reaches no place, writes
        nowhere, and has none of root's rights."""
        return Confinement(self.layers, reads=self.reads, preload=self.preload)


def layers_of(facts: Mapping[str, object]) -> Layers | None:
    """The layers that a run's facts tell of; None where they tell of none."""
    if "confinement.landlock" not in facts:
        return None
    landlock = facts["confinement.landlock"]
    return Layers(
        launcher="",
        landlock=landlock if isinstance(landlock, int) else 0,
        namespaces=facts.get("confinement.namespaces") is True,
        read_only=facts.get("confinement.read_only") is True,
        network=facts.get("confinement.network") is True,
        capabilities=facts.get("confinement.capabilities") is True,
    )


def layers_of_probe(launcher: str, said: Mapping[str, object]) -> Layers:
    """The layers that a launcher says it has tried. ValueError for what is no such answer."""
    landlock = said.get("landlock")
    if said.get("schema") != _PROBE or not isinstance(landlock, int):
        raise ValueError("this is no answer of a launcher")
    return Layers(
        launcher=launcher,
        landlock=landlock,
        namespaces=said.get("namespaces") is True,
        read_only=said.get("read_only") is True,
        network=said.get("network") is True,
        capabilities=said.get("capabilities") is True,
        through_user=said.get("user_namespace") is True,
        family=said.get("family") is True,
    )


def in_words(layers: Layers) -> str:
    """``Landlock 7, namespaces, read-only mounts``, and what is lacking."""
    names = [_NAMES[word] for word in layers.words]
    if layers.landlock:
        names[0] = f"Landlock {layers.landlock}"
    text = ", ".join(names) or "nothing"
    return f"{text}; lacking: {', '.join(layers.lacking)}" if layers.lacking else text


def plan_text(confinement: Confinement, inherited: tuple[str, ...] = ()) -> str:
    """The plan as the launcher reads it. ``inherited`` are numbers of open files that the
    engine gets."""
    return "".join(f"{line}\n" for line in _lines(confinement, inherited))


def _lines(confinement: Confinement, inherited: tuple[str, ...]) -> Iterator[str]:
    yield SCHEMA
    yield from (f"require {word}" for word in confinement.words)
    yield from (f"place {_described(each)}" for each in confinement.allowed)
    yield from (f"read {path}" for path in confinement.reads)
    yield from (f"flush {path}" for path in confinement.flushes)
    yield from (f"claim {path}" for path in confinement.claimed)
    yield from (f"capability {name}" for name in confinement.capabilities)
    yield from (f"connect tcp {port}" for port in dict.fromkeys(confinement.connects))
    yield from (f"bind tcp {port}" for port in dict.fromkeys(confinement.binds))
    yield from (f"fd {number}" for number in inherited)
    if confinement.preload:
        yield from (f"read {confinement.preload}", f"set LD_PRELOAD={confinement.preload}")
    yield from ("set PATH=/usr/bin:/bin", "set LC_ALL=C", f"keep {_KEPT}")


def _described(allowed: Allowed) -> str:
    path, identity = allowed.place.path, allowed.place.identity
    assert identity is not None, path
    words = (
        "new" if allowed.is_new else identity.kind.value,
        "rwl" if allowed.links else "rw" if allowed.writable else "ro",
        identity.device,
        identity.inode,
        identity.rdev or _NOWHERE,
        identity.diskseq,
        identity.size_bytes,
        path,
    )
    return " ".join(str(word) for word in words)
