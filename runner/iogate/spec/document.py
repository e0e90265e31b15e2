"""Files to one tree: reads a spec and what it extends.

At the top, ``extends: base.yaml`` (or a list) takes over everything that this file does not
say. In a workload, ``extends: other`` or ``extends: base.yaml#other`` takes over another
workload. Mappings of MERGED are joined key by key; every other key is replaced whole.
"""

from __future__ import annotations

import os
from pathlib import Path

from iogate.errors import Location, SpecError, UsageError
from iogate.spec.fio_options import ALIASES
from iogate.spec.problems import suggest
from iogate.spec.tree import MAX_BYTES, Entry, Mapping, Node, Scalar, Sequence, parse_tree

EXTENDS = "extends"
MERGED = ("fio", "thresholds", "chart")
_NOT_INHERITED = (EXTENDS, "aka")
_MAX_CHAIN = 8


def read_text(path: Path, where: Location | None = None) -> str:
    """The text of a file; UsageError (SpecError when a spec names it at ``where``) for one
    that cannot be read."""
    try:
        data = path.read_bytes() if path.stat().st_size <= 4 * MAX_BYTES else None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise _unreadable(path, str(reason), where) from None
    if data is None:
        raise _unreadable(path, "it is too large for a spec", where)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise SpecError(
            "this is not UTF-8 text",
            remedy="save the file as UTF-8",
            where=Location(str(path), line, column),
        ) from None


def load_tree(path: Path, text: str) -> Mapping:
    """The tree of a spec's text, with what it extends joined in."""
    return _Reader().spec(path, text, None)


def _unreadable(path: Path, reason: str, where: Location | None) -> UsageError:
    what = f"cannot read {path}: {reason}"
    remedy = "check the path; it is relative to the file that names it"
    if where:
        return SpecError(what, remedy=remedy, where=where)
    return UsageError(what, remedy="name a spec file, such as one that iogate init writes")


class _Reader:
    """Follows ``extends``, remembering the way to notice a circle."""

    def __init__(self) -> None:
        self._chain: list[str] = []

    def spec(self, path: Path, text: str, where: Location | None) -> Mapping:
        """One file with everything that it extends."""
        self._enter(os.path.realpath(path), where)
        tree = parse_tree(text, str(path))
        if not isinstance(tree, Mapping):
            raise SpecError(
                "a spec is a mapping of keys to values",
                remedy="begin with version: 1; iogate init writes an example",
                where=tree.where,
            )
        for name, at in _names(tree.get(EXTENDS)):
            base_path = _beside(path, name)
            base = self.spec(base_path, read_text(base_path, at), at)
            tree = _join_specs(base, tree)
        tree = self._with_workloads(path, tree)
        self._chain.pop()
        return tree

    def _with_workloads(self, path: Path, tree: Mapping) -> Mapping:
        workloads = tree.get("workloads")
        if not isinstance(workloads, Mapping):
            return tree
        resolved = {
            name: Entry(entry.key_at, self._workload(path, workloads, name, entry.value))
            for name, entry in workloads.entries.items()
        }
        entries = dict(tree.entries)
        entries["workloads"] = Entry(
            entries["workloads"].key_at, Mapping(workloads.where, resolved)
        )
        return Mapping(tree.where, entries)

    def _workload(self, path: Path, siblings: Mapping, name: str, node: Node) -> Node:
        if not isinstance(node, Mapping) or EXTENDS not in node.entries:
            return node
        self._enter(f"{path}#{name}", node.where)
        result = node
        for base_name, at in _names(node.get(EXTENDS)):
            base = self._base(path, siblings, base_name, at)
            result = _join_workloads(base, result)
        self._chain.pop()
        without = {k: v for k, v in result.entries.items() if k != EXTENDS}
        return Mapping(node.where, without)

    def _base(self, path: Path, siblings: Mapping, name: str, at: Location) -> Mapping:
        file, hash_, wanted = name.rpartition("#")
        if hash_ and file:
            base_path = _beside(path, file)
            tree = self.spec(base_path, read_text(base_path, at), at)
            found = tree.get("workloads")
            siblings = found if isinstance(found, Mapping) else Mapping(at)
            path = base_path
        entry = siblings.entries.get(wanted)
        base = self._workload(path, siblings, wanted, entry.value) if entry else None
        if not isinstance(base, Mapping):
            remedy = suggest(wanted, siblings.entries)
            raise SpecError(
                f"there is no workload {wanted!r} to extend",
                remedy=remedy or "name one of this file, or file.yaml#workload",
                where=at,
            )
        return base

    def _enter(self, link: str, where: Location | None) -> None:
        if link in self._chain:
            raise SpecError("extends goes round in a circle", remedy="break it", where=where)
        if len(self._chain) >= _MAX_CHAIN:
            raise SpecError(
                f"extends goes deeper than {_MAX_CHAIN}", remedy="flatten it", where=where
            )
        self._chain.append(link)


def _names(node: Node | None) -> list[tuple[str, Location]]:
    """``extends`` as pairs of name and place, the nearest base last."""
    if node is None:
        return []
    items = node.items if isinstance(node, Sequence) else (node,)
    names = [(item.text, item.where) for item in items if isinstance(item, Scalar) and item.text]
    if len(names) != len(items):
        raise SpecError(
            "extends names a file or a workload", remedy="extends: base.yaml", where=node.where
        )
    return names[::-1]


def _beside(path: Path, name: str) -> Path:
    return Path(os.path.normpath(path.parent / name))


def _join_specs(base: Mapping, own: Mapping) -> Mapping:
    entries = {key: entry for key, entry in base.entries.items() if not key.startswith("x-")}
    for key, entry in own.entries.items():
        below = entries.get(key)
        if below and key in ("targets", "workloads"):
            joined = _join(below.value, entry.value, deep=key == "workloads")
            entries[key] = Entry(entry.key_at, joined)
        else:
            entries[key] = entry
    entries.pop(EXTENDS, None)
    return Mapping(own.where, entries)


def _join(base: Node, own: Node, *, deep: bool) -> Node:
    """Workloads or targets by name."""
    if not isinstance(base, Mapping) or not isinstance(own, Mapping):
        return own
    entries = dict(base.entries)
    for name, entry in own.entries.items():
        below = entries.get(name)
        if deep and below and isinstance(below.value, Mapping) and _is_plain(entry.value):
            assert isinstance(entry.value, Mapping)
            entries[name] = Entry(entry.key_at, _join_workloads(below.value, entry.value))
        else:
            entries[name] = entry
    return Mapping(own.where, entries)


def _is_plain(node: Node) -> bool:
    return isinstance(node, Mapping) and EXTENDS not in node.entries


def _join_workloads(base: Mapping, own: Mapping) -> Mapping:
    entries = {k: v for k, v in base.entries.items() if k not in _NOT_INHERITED}
    for key, entry in own.entries.items():
        below = entries.get(key)
        if below and key in MERGED:
            entries[key] = Entry(entry.key_at, _join_keys(below.value, entry.value))
        else:
            entries[key] = entry
    return Mapping(own.where, entries)


def _join_keys(base: Node, own: Node) -> Node:
    if not isinstance(base, Mapping) or not isinstance(own, Mapping):
        return own
    names = {ALIASES.get(key, key) for key in own.entries}
    kept = {k: v for k, v in base.entries.items() if ALIASES.get(k, k) not in names}
    return Mapping(own.where, {**kept, **own.entries})
