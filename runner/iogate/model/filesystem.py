"""Which filesystems iogate makes, and with which arguments of mkfs and options of mount.

An argument that is not in the tables is refused: mkfs and mount run as root, and some of
their arguments name other devices or files, or do nothing at all (a dry run).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


class BadArgumentError(ValueError):
    """``what`` is wrong with an argument, and a ``remedy``."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Maker:
    """A mkfs, and the package that has it. ``always`` is quiet, and forces: whether the device
    may be overwritten was decided before. ``values`` are the arguments that take a value,
    ``flags`` those that do not; ``keep_blocks`` keeps it from discarding the device, ``uuid`` gives
    the filesystem its UUID: a flag, and what stands before the UUID in its value."""

    program: str
    package: str
    always: tuple[str, ...]
    values: frozenset[str]
    flags: frozenset[str]
    keep_blocks: tuple[str, str]
    uuid: tuple[str, str] = ("-U", "")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_EXT_VALUES = _words("-b -C -E -g -G -i -I -J -L -m -N -O -T -U -e")
_EXT = {
    name: Maker(
        f"mkfs.{name}", "e2fsprogs", ("-q", "-F"), _EXT_VALUES, _words("-j"), ("-E", "nodiscard")
    )
    for name in ("ext2", "ext3", "ext4")
}
MAKERS: dict[str, Maker] = {
    **_EXT,
    "xfs": Maker(
        "mkfs.xfs",
        "xfsprogs",
        ("-q", "-f"),
        _words("-b -d -i -l -L -m -n -s"),
        _words("-K"),
        ("-K", ""),
        ("-m", "uuid="),
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
    ),
}
_VALUE = re.compile(r"[A-Za-z0-9^][A-Za-z0-9_.,:=+^-]*", re.ASCII)
_ELSEWHERE = _words("device file name logdev rtdev journal_dev journal_path")
_MOUNT = re.compile(r"[a-z][a-z0-9_]*(=[A-Za-z0-9_.:+-]+)?", re.ASCII)
_MOUNT_REFUSED = _ELSEWHERE | _words(
    "loop bind rbind move remount suid dev user users owner group helper uhelper offset sizelimit "
    "encryption private slave shared rprivate rslave rshared ro"
)


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
    names = {part.partition("=")[0] for part in value.split(",")}
    if not _VALUE.fullmatch(value) or names & _ELSEWHERE:
        raise BadArgumentError(
            f"{maker.program} {flag} {value!r} may name something beside the device",
            "leave it out: iogate makes a filesystem on one device and touches no other",
        )


def mkfs_argv(
    fs_type: str, arguments: Sequence[str], device: str, *, keep_blocks: bool, uuid: str = ""
) -> tuple[str, ...]:
    """The command that makes a filesystem. ``keep_blocks``: without discarding first, which
    would undo a precondition. ``uuid`` is what it gets, unless the arguments give it one."""
    maker = MAKERS[fs_type]
    words = list(mkfs_words(fs_type, arguments))
    flag, value = maker.keep_blocks
    if keep_blocks and value and flag in words:
        at = words.index(flag) + 1
        words[at] = f"{words[at]},{value}"
    elif keep_blocks and flag not in words:
        words += [flag, value] if value else [flag]
    if uuid and not has_uuid(words):
        words += [maker.uuid[0], maker.uuid[1] + uuid]
    return (maker.program, *maker.always, *words, device)


def has_uuid(arguments: Sequence[str]) -> bool:
    """Whether the arguments of mkfs give the filesystem a UUID."""
    words = [word for argument in arguments for word in _split(argument)]
    return any(word in ("-U", "--uuid") or "uuid=" in word for word in words)


def mount_words(options: Sequence[str]) -> tuple[str, ...]:
    """The options, one each. BadArgumentError for one that may not be given."""
    words = [word.strip() for option in options for word in option.split(",")]
    for word in words:
        if not _MOUNT.fullmatch(word) or word.partition("=")[0] in _MOUNT_REFUSED:
            raise BadArgumentError(
                f"a filesystem is not mounted with {word!r} by a spec",
                "options are words such as noatime or logbsize=256k; none may name a path or a "
                "device, or change who may use the mount",
            )
    return tuple(words)


def mount_argv(fs_type: str, options: Sequence[str], device: str, point: str) -> tuple[str, ...]:
    """The command that mounts it, without helpers, devices or set-user-id programs."""
    given = ",".join(("nosuid", "nodev", *mount_words(options)))
    return ("mount", "--internal-only", "-t", fs_type, "-o", given, device, point)
