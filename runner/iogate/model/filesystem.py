"""Which filesystems iogate makes, and with which arguments of mkfs and options of mount.

An argument that is not in the tables is refused: mkfs and mount run as root, and some of
their arguments name other devices or files, or do nothing at all (a dry run).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MEMBER, JOURNAL, LOG, REALTIME = "member", "journal", "log", "realtime"
"""What a device beside the first is for a filesystem: its role."""


class BadArgumentError(ValueError):
    """``what`` is wrong with an argument, and a ``remedy``."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Naming:
    """How a device beside the first is named: a flag of mkfs and what stands before the path in
    its value (without a flag the path alone, after the first device), and the same of the option
    of mount, empty where the kernel knows the device from the first one."""

    flag: str = ""
    value: str = ""
    option: str = ""


@dataclass(frozen=True, slots=True)
class Maker:
    """A mkfs, and the package that has it. ``always`` is quiet, and forces: whether the device
    may be overwritten was decided before. ``values`` are the arguments that take a value,
    ``flags`` those that do not; ``keep_blocks`` keeps it from discarding the device, ``uuid`` gives
    the filesystem its UUID: a flag, and what stands before the UUID in its value. ``beside`` tells
    which other devices it takes."""

    program: str
    package: str
    always: tuple[str, ...]
    values: frozenset[str]
    flags: frozenset[str]
    keep_blocks: tuple[str, str]
    uuid: tuple[str, str] = ("-U", "")
    beside: Mapping[str, Naming] = field(default_factory=dict)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_EXT_VALUES = _words("-b -C -E -g -G -i -I -J -L -m -N -O -T -U -e")
_JOURNAL = {JOURNAL: Naming("-J", "device=")}
_EXT = {
    name: Maker(
        f"mkfs.{name}",
        "e2fsprogs",
        ("-q", "-F"),
        _EXT_VALUES,
        _words("-j"),
        ("-E", "nodiscard"),
        beside={} if name == "ext2" else _JOURNAL,
    )
    for name in ("ext2", "ext3", "ext4")
}
MAKERS: dict[str, Maker] = {
    **_EXT,
    "xfs": Maker(
        "mkfs.xfs",
        "xfsprogs",
        ("-q", "-f"),
        _words("-b -d -i -l -L -m -n -r -s"),
        _words("-K"),
        ("-K", ""),
        ("-m", "uuid="),
        {
            LOG: Naming("-l", "logdev=", "logdev="),
            REALTIME: Naming("-r", "rtdev=", "rtdev="),
        },
    ),
    "btrfs": Maker(
        "mkfs.btrfs",
        "btrfs-progs",
        ("-q", "-f"),
        _words(
            "-d -m -n -s -L -O -R -U --data --metadata --nodesize --sectorsize --label --features "
            "--runtime-features --csum --checksum --uuid"
        ),
        _words("-M --mixed -K --nodiscard"),
        ("-K", ""),
        beside={MEMBER: Naming(option="device=")},
    ),
    "f2fs": Maker(
        "mkfs.f2fs",
        "f2fs-tools",
        ("-q", "-f"),
        _words("-a -C -e -E -l -o -O -s -t -U -w -z"),
        _words("-i -r"),
        ("-t", "0"),
        beside={MEMBER: Naming("-c", "")},
    ),
}
JOURNAL_BLOCK = "4096"
"""Of an ext filesystem and its journal beside it, which must agree, where mkfs is told none."""
AS_JOURNAL = ("-O", "journal_dev")
"""What makes a device the journal of a filesystem on another, instead of a filesystem."""
_VALUE = re.compile(r"[A-Za-z0-9^][A-Za-z0-9_.,:=+^-]*", re.ASCII)
_ELSEWHERE = _words("device file name logdev rtdev journal_dev journal_path")
_MOUNT = re.compile(r"[a-z][a-z0-9_]*(=[A-Za-z0-9_.:+-]+)?", re.ASCII)
_MOUNT_REFUSED = _ELSEWHERE | _words(
    "loop bind rbind move remount suid dev user users owner group helper uhelper offset sizelimit "
    "encryption private slave shared rprivate rslave rshared ro"
)

_LABELS = ("-L", "-l", "--label")
# errors=panic, fatal_errors=panic, mkfs.ext4 -e panic
_PANICS = re.compile(r"(^|[=,])panic($|,)", re.ASCII)
_WHY_PANICS = "makes an error of the target take this host down"
_NO_PANIC = "leave it out: what a failing target costs is measured, and the host goes on"


def mkfs_words(fs_type: str, arguments: Sequence[str]) -> tuple[str, ...]:
    """The arguments as single words. BadArgumentError for one that may not be given."""
    maker = MAKERS[fs_type]
    words = [word for argument in arguments for word in _split(argument)]
    waiting = ""
    for word in words:
        if waiting:
            _check_value(maker, waiting, word)
            waiting = ""
        elif word in maker.values:
            waiting = word
        elif word not in maker.flags:
            known = ", ".join(sorted(maker.values | maker.flags))
            raise BadArgumentError(
                f"{maker.program} is not given {word!r} by a spec", f"it may be given: {known}"
            )
    if waiting:
        raise BadArgumentError(f"{maker.program} {waiting} has no value", f"write {waiting} VALUE")
    return tuple(words)


def _split(argument: str) -> list[str]:
    """``-m reflink=1`` and ``--csum=xxhash`` are two words each."""
    words = []
    for word in argument.split():
        name, equals, value = word.partition("=")
        words += [name, value] if word.startswith("--") and equals else [word]
    return words


def _check_value(maker: Maker, flag: str, value: str) -> None:
    if flag not in _LABELS and _PANICS.search(value):
        raise BadArgumentError(f"{maker.program} {flag} {value!r} {_WHY_PANICS}", _NO_PANIC)
    names = {part.partition("=")[0] for part in value.split(",")}
    if not _VALUE.fullmatch(value) or names & _ELSEWHERE:
        raise BadArgumentError(
            f"{maker.program} {flag} {value!r} may name something beside the device",
            "leave it out: another device is a target of its own, which on:, journal:, log: or "
            "realtime: of the filesystem names",
        )


def check_beside(fs_type: str, arguments: Sequence[str], roles: Sequence[str]) -> None:
    """BadArgumentError for a device beside the first that the filesystem does not take, or that
    the arguments of mkfs contradict."""
    known = MAKERS[fs_type].beside
    if wrong := next((role for role in roles if role not in known), None):
        takers = ", ".join(name for name, maker in MAKERS.items() if wrong in maker.beside)
        what = "is on one device" if wrong == MEMBER else f"has no {wrong} beside it"
        raise BadArgumentError(f"a filesystem of type {fs_type} {what}", f"{takers} may")
    words = mkfs_words(fs_type, arguments)
    if JOURNAL in roles and ("-J" in words or any("^has_journal" in word for word in words)):
        raise BadArgumentError(
            "journal: names the journal's device, and mkfs says something else about the journal",
            "leave -J and ^has_journal out of mkfs, or journal: out of the filesystem",
        )


def mkfs_argv(
    fs_type: str,
    arguments: Sequence[str],
    device: str,
    *,
    keep_blocks: bool,
    uuid: str = "",
    beside: Sequence[tuple[str, str]] = (),
) -> tuple[str, ...]:
    """The command that makes a filesystem, with the paths of its devices ``beside`` the first.
    ``keep_blocks``: without discarding first, which would undo a precondition. ``uuid`` is what it
    gets, unless the arguments give it one."""
    maker = MAKERS[fs_type]
    words = list(mkfs_words(fs_type, arguments))
    if any(role == JOURNAL for role, _ in beside) and "-b" not in words:
        words += ["-b", JOURNAL_BLOCK]
    flag, value = maker.keep_blocks
    if keep_blocks and value and flag in words:
        at = words.index(flag) + 1
        words[at] = value if value.isdigit() else f"{words[at]},{value}"
    elif keep_blocks and flag not in words:
        words += [flag, value] if value else [flag]
    if uuid and not has_uuid(words):
        words += [maker.uuid[0], maker.uuid[1] + uuid]
    named = [(maker.beside[role], path) for role, path in beside]
    for naming, path in named:
        words += [naming.flag, naming.value + path] if naming.flag else []
    rest = [path for naming, path in named if not naming.flag]
    return (maker.program, *maker.always, *words, device, *rest)


def journal_argv(
    fs_type: str, arguments: Sequence[str], device: str, *, keep_blocks: bool, uuid: str
) -> tuple[str, ...]:
    """The command that makes the journal of an ext filesystem on a device of its own, before the
    filesystem: both have blocks of one size."""
    maker = MAKERS[fs_type]
    words = mkfs_words(fs_type, arguments)
    block = words[words.index("-b") + 1] if "-b" in words else JOURNAL_BLOCK
    kept = maker.keep_blocks if keep_blocks else ()
    stamped = (maker.uuid[0], maker.uuid[1] + uuid)
    return (maker.program, *maker.always, *AS_JOURNAL, "-b", block, *kept, *stamped, device)


def has_uuid(arguments: Sequence[str]) -> bool:
    """Whether the arguments of mkfs give the filesystem a UUID."""
    words = [word for argument in arguments for word in _split(argument)]
    return any(word in ("-U", "--uuid") or "uuid=" in word for word in words)


def mount_words(options: Sequence[str]) -> tuple[str, ...]:
    """The options, one each. BadArgumentError for one that may not be given."""
    words = [word.strip() for option in options for word in option.split(",")]
    for word in words:
        if _PANICS.search(word):
            raise BadArgumentError(f"the mount option {word!r} {_WHY_PANICS}", _NO_PANIC)
        if not _MOUNT.fullmatch(word) or word.partition("=")[0] in _MOUNT_REFUSED:
            raise BadArgumentError(
                f"a filesystem is not mounted with {word!r} by a spec",
                "options are words such as noatime or logbsize=256k; none may name a path or a "
                "device, or change who may use the mount",
            )
    return tuple(words)


def mount_argv(
    fs_type: str,
    options: Sequence[str],
    device: str,
    point: str,
    beside: Sequence[tuple[str, str]] = (),
) -> tuple[str, ...]:
    """The command that mounts it, without helpers, devices or set-user-id programs."""
    named = ((MAKERS[fs_type].beside[role].option, path) for role, path in beside)
    devices = [f"{option}{path}" for option, path in named if option]
    given = ",".join(("nosuid", "nodev", *mount_words(options), *devices))
    return ("mount", "--internal-only", "-t", fs_type, "-o", given, device, point)
