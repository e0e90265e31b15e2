"""The ``targets`` section."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from collections.abc import Mapping as Map
from dataclasses import replace

from iogate.errors import SpecError
from iogate.model.filesystem import (
    JOURNAL,
    LOG,
    MAKERS,
    MEMBER,
    REALTIME,
    BadArgumentError,
    check_beside,
    mkfs_words,
    mount_words,
)
from iogate.model.spec import Beside, Target, TargetKind
from iogate.spec.build.array import build_array
from iogate.spec.build.destroy import build_destroy
from iogate.spec.build.texts import check_once, text_of, texts_of
from iogate.spec.options.values import BadValueError, check_text
from iogate.spec.text.problems import Problems, listed, suggest
from iogate.spec.text.scalars import plain_value
from iogate.spec.text.tree import Entry, Mapping, Node, Scalar
from iogate.spec.text.variables import defaulted, expand

AUTO = "auto"
_KINDS = {kind.value: kind for kind in TargetKind}
_OTHERS = (JOURNAL, LOG, REALTIME)  # the keys that name another device


def build_targets(node: Mapping, problems: Problems) -> dict[str, Target]:
    """Targets by name. What is wrong with one is noted; a stand-in takes its place, so
    that workloads are not blamed for it."""
    targets = {}
    for name, entry in node.entries.items():
        try:
            targets[name] = _target(name, entry)
        except SpecError as error:
            problems.take(error)
    for target in targets.values():
        if target.is_made:
            _check_devices(target, node, targets, problems)
    return {
        name: _on_device(targets[name], targets)
        if name in targets
        else Target(name, TargetKind.DIRECTORY, AUTO)
        for name in node.entries
    }


def _on_device(target: Target, targets: Map[str, Target]) -> Target:
    """What is made on devices, with what it needs of them: all that is done to it is allowed
    there. What is made on an array has the array's devices as its own."""
    under = targets.get(target.on or "")
    if not target.is_made or not under:
        return target
    parts = under.beside if under.kind is TargetKind.ARRAY else ()
    first = targets.get(under.on or "") if under.kind is TargetKind.ARRAY else under
    beside = tuple(
        replace(each, device=other.path, destroy=other.destroy)
        for each in (*parts, *target.beside)
        if (other := targets.get(each.on))
    )
    return replace(
        target,
        on=first.name if first else target.on,
        device=first.path if first else "",
        variable=first.variable if first else "",
        destroy=first.destroy if first else None,
        beside=beside,
        array=under.array or target.array,
    )


def _target(name: str, entry: Entry) -> Target:
    node = entry.value
    assert isinstance(node, Mapping)
    kinds = [key for key in node.entries if key in _KINDS]
    if len(kinds) != 1:
        says = f"says {' and '.join(kinds)}" if kinds else "does not say what it is"
        raise SpecError(
            f"target {name!r} {says}",
            remedy=f"give it exactly one of {listed(_KINDS)}",
            where=entry.key_at,
        )
    kind = _KINDS[kinds[0]]
    place = node.entries[kinds[0]].value
    destroy = node.entries.get("destroy")
    if destroy and kind is not TargetKind.DEVICE:
        raise SpecError(
            f"destroy allows to overwrite a device, and target {name!r} is {kind.named}",
            remedy="leave it out",
            where=destroy.key_at,
        )
    overwrite = _overwrite(name, kind, node)
    if isinstance(place, Mapping):
        make = build_array if kind is TargetKind.ARRAY else _filesystem
        return make(name, place, entry)
    permission = build_destroy(destroy.value) if destroy else None
    path = _path(kind, place)
    variable = defaulted(place.text) if isinstance(place, Scalar) else ""
    return Target(name, kind, path, permission, overwrite, where=entry.key_at, variable=variable)


def _overwrite(name: str, kind: TargetKind, node: Mapping) -> bool:
    entry = node.entries.get("overwrite")
    if not entry:
        return False
    if kind is not TargetKind.FILE:
        raise SpecError(
            f"overwrite allows to write a file that exists, and target {name!r} is {kind.named}",
            remedy="leave it out",
            where=entry.key_at,
        )
    assert isinstance(entry.value, Scalar)
    return plain_value(entry.value) is True


def _path(kind: TargetKind, node: Node) -> str:
    assert isinstance(node, Scalar)
    text = expand(node.text, node.where).strip()
    if text.partition("/")[0] == "~":
        raise SpecError(
            f"{text}: a spec has no ~",
            remedy="write the whole path, or ${IOGATE_VAR_DISK} and set that variable",
            where=node.where,
        )
    try:
        check_text(kind.value, text)
    except BadValueError as error:
        raise SpecError(error.what, remedy=error.remedy, where=node.where) from None
    if "\\" in text:
        raise SpecError(
            f"the path {text} holds a backslash",
            remedy="name a path without one",
            where=node.where,
        )
    if kind is TargetKind.DIRECTORY and text == AUTO:
        return AUTO
    return posixpath.normpath(text)


def _filesystem(name: str, node: Mapping, entry: Entry) -> Target:
    fs_type = text_of(node, "type")
    if fs_type not in MAKERS:
        raise SpecError(
            f"iogate does not make a filesystem of type {fs_type!r}",
            remedy=suggest(fs_type, MAKERS) or f"it makes {listed(MAKERS)}",
            where=node.entries["type"].value.where,
        )
    mkfs, mount = texts_of(node.get("mkfs")), texts_of(node.get("mount"))
    check_making(fs_type, mkfs, mount, node)
    first, *members = texts_of(node.get("on")) or (text_of(node, "on"),)
    beside = [Beside(MEMBER, member) for member in members]
    beside += [Beside(role, text_of(node, role)) for role in _OTHERS if node.get(role)]
    _check_beside(fs_type, mkfs, [first, *(each.on for each in beside)], beside, node)
    return Target(
        name=name,
        kind=TargetKind.FILESYSTEM,
        on=first,
        fs_type=fs_type,
        mkfs=mkfs,
        mount=mount,
        recreate=text_of(node, "recreate") or "per-run",
        where=entry.key_at,
        beside=tuple(beside),
    )


def _check_beside(
    fs_type: str, mkfs: tuple[str, ...], names: list[str], beside: list[Beside], node: Mapping
) -> None:
    """SpecError for devices that the filesystem cannot have together."""
    try:
        check_beside(fs_type, mkfs, [each.role for each in beside])
    except BadArgumentError as error:
        raise SpecError(error.what, remedy=error.remedy, where=node.where) from None
    check_once(names, "filesystem", node)


def check_making(
    fs_type: str, mkfs: tuple[str, ...], mount: tuple[str, ...], node: Mapping
) -> None:
    """SpecError, with the place of the list, for arguments that a spec may not give."""
    checks: dict[str, Callable[[], object]] = {
        "mkfs": lambda: mkfs_words(fs_type, mkfs),
        "mount": lambda: mount_words(mount),
    }
    for key, check in checks.items():
        try:
            check()
        except BadArgumentError as error:
            given = node.get(key)
            where = given.where if given else node.where
            raise SpecError(error.what, remedy=error.remedy, where=where) from None


def _check_devices(
    target: Target, node: Mapping, targets: Map[str, Target], problems: Problems
) -> None:
    """Note a target that is made on what is no device, or on an array beside another device."""
    for name in (each.name for each in target.made_on):
        under = targets.get(name)
        if under and (under.kind is TargetKind.DEVICE or _is_alone(target, under)):
            continue
        if name in node.entries and not under:
            continue  # it has a problem of its own
        what = "is not a device" if under else "does not exist"
        devices = [t.name for t in targets.values() if t.kind is TargetKind.DEVICE]
        remedy = suggest(name, devices) or "name a target that is a device"
        if under and under.kind is TargetKind.ARRAY:
            remedy = "name the array alone under on: of a filesystem, and devices elsewhere"
        problems.add(
            f"target {target.name!r} is made on {name!r}, which {what}", target.where, remedy
        )


def _is_alone(target: Target, under: Target) -> bool:
    """Whether a filesystem is on an array, and on no other device: beside may be a log."""
    is_first = target.kind is TargetKind.FILESYSTEM and target.on == under.name
    return under.kind is TargetKind.ARRAY and is_first and MEMBER not in target.roles
