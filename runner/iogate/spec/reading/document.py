"""Files to one tree: reads a spec and what it extends.

At the top, ``extends: base.yaml`` (or a list) takes over everything that this file does not
say. In a workload, ``extends: other`` or ``extends: base.yaml#other`` takes over another
workload. Mappings of MERGED are joined key by key; every other key is replaced whole.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from iogate.errors import Location, SpecError
from iogate.files import bounds
from iogate.jobs.options import ALIASES
from iogate.spec.reading.included import parse_included
from iogate.spec.text.problems import suggest
from iogate.spec.text.sources import Sources
from iogate.spec.text.tree import Entry, Mapping, Node, Scalar, Sequence, parse_tree

EXTENDS = "extends"
MERGED = ("fio", "thresholds", "chart")
_NOT_INHERITED = (EXTENDS, "aka")
# Comments and a section: no spec begins so.
_JOB_FILE = re.compile(r"(?:[ \t\r]*(?:[;#][^\n]*)?\n)*[ \t]*\[[^\]\n,]+\][ \t\r]*(?:\n|$)")


def load_tree(sources: Sources, text: str) -> Mapping:
    """The tree of a spec's text, with what it extends joined in."""
    tree = _Reader(sources).whole(text)
    if Sizes()(tree) > bounds.JOINED_NODES:
        raise SpecError(
            f"with all that it extends, the spec has more than {bounds.JOINED_NODES:,} values",
            remedy="extend less, or smaller workloads",
            where=tree.where,
        )
    return tree


class Sizes:
    """How many values trees have, where the same node at two places counts twice."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Node, int]] = {}  # with the node: an id is used again

    def __call__(self, node: Node) -> int:
        if isinstance(node, Scalar):
            return 1
        if id(node) not in self._known:
            self._known[id(node)] = node, 1 + sum(map(self, _below(node)))
        return self._known[id(node)][1]


def _below(node: Mapping | Sequence) -> Iterable[Node]:
    if isinstance(node, Sequence):
        return node.items
    return (entry.value for entry in node.entries.values())


@dataclass(frozen=True, slots=True)
class _File:
    """A file of the spec: where it is, and what it is called in messages."""

    place: str
    shown: str


class _Reader:
    """Follows ``extends``, remembering the way to notice a circle. Each file is read once and
    each workload joined once, however often they are named."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._chain: list[str] = []
        self._height = 0  # of the longest chain below what was read last
        self._known: dict[str, tuple[Mapping, int]] = {}
        self._joined = 0
        self._size = Sizes()

    def whole(self, text: str) -> Mapping:
        """The spec itself with everything that it extends."""
        file = _File(self._sources.own, str(self._sources.path))
        return self._once(file.place, None, lambda: self._spec(file, _parsed(file, text)))

    def _included(self, above: _File, name: str, at: Location) -> tuple[_File, Mapping]:
        """A file that another names, with everything that it extends."""
        place = self._sources.place(above.place, name, at)
        file = _File(place, os.path.normpath(Path(above.shown).parent / name))

        def read() -> Mapping:
            tree = parse_included(self._sources.text(place, file.shown, at), file.shown)
            return self._spec(file, tree)

        return file, self._once(place, at, read)

    def _once(self, link: str, at: Location | None, make: Callable[[], Mapping]) -> Mapping:
        """What ``make`` gives, made the first time that this link of a chain is met."""
        if link in self._chain:
            raise SpecError("extends goes round in a circle", remedy="break it", where=at)
        known = self._known.get(link)
        if len(self._chain) + (known[1] if known else 0) >= bounds.EXTENDS_DEPTH:
            raise SpecError(
                f"extends goes deeper than {bounds.EXTENDS_DEPTH}", remedy="flatten it", where=at
            )
        if known is None:
            outer, self._height = self._height, 0
            self._chain.append(link)
            known = make(), self._height
            self._chain.pop()
            self._known[link], self._height = known, outer
        self._height = max(self._height, known[1] + 1)
        return known[0]

    def _spec(self, file: _File, tree: Mapping) -> Mapping:
        for name, at in _names(tree.get(EXTENDS)):
            _, base = self._included(file, name, at)
            self._count(base, tree, at)
            tree = _join_specs(base, tree)
        return self._with_workloads(file, tree)

    def _count(self, base: Mapping, own: Mapping, at: Location) -> None:
        """What a join costs, so that bases of bases do not multiply."""
        self._joined += self._size(base) + self._size(own)
        if self._joined > bounds.EXTENDS_JOINED:
            raise SpecError(
                "extends names too much, too often: joining it would take very long",
                remedy="extend fewer or smaller files and workloads",
                where=at,
            )

    def _with_workloads(self, file: _File, tree: Mapping) -> Mapping:
        workloads = tree.get("workloads")
        if not isinstance(workloads, Mapping):
            return tree
        resolved = {
            name: Entry(entry.key_at, self._workload(file, workloads, name, entry.value))
            for name, entry in workloads.entries.items()
        }
        entries = dict(tree.entries)
        entries["workloads"] = Entry(
            entries["workloads"].key_at, Mapping(workloads.where, resolved)
        )
        return Mapping(tree.where, entries)

    def _workload(self, file: _File, siblings: Mapping, name: str, node: Node) -> Node:
        if not isinstance(node, Mapping) or EXTENDS not in node.entries:
            return node
        own = node

        def join() -> Mapping:
            result = own
            for base_name, at in _names(own.get(EXTENDS)):
                base = self._base(file, siblings, base_name, at)
                self._count(base, result, at)
                result = _join_workloads(base, result)
            without = {k: v for k, v in result.entries.items() if k != EXTENDS}
            return Mapping(own.where, without)

        return self._once(f"{file.place}#{name}", node.where, join)

    def _base(self, file: _File, siblings: Mapping, name: str, at: Location) -> Mapping:
        path, hash_, wanted = name.rpartition("#")
        if hash_ and path:
            file, tree = self._included(file, path, at)
            workloads = tree.get("workloads")
            siblings = workloads if isinstance(workloads, Mapping) else Mapping(at)
        entry = siblings.entries.get(wanted)
        base = self._workload(file, siblings, wanted, entry.value) if entry else None
        if not isinstance(base, Mapping):
            remedy = suggest(wanted, siblings.entries)
            raise SpecError(
                f"there is no workload {wanted!r} to extend",
                remedy=remedy or "name one of this file, or file.yaml#workload",
                where=at,
            )
        return base


def _parsed(file: _File, text: str) -> Mapping:
    if _JOB_FILE.match(text):
        raise SpecError(
            "this is a job file of fio, and no spec",
            remedy="write a spec (iogate init does) with a workload that takes it: "
            f"workloads: {{ NAME: {{ jobfile: {Path(file.shown).name} }} }}",
            where=Location(file.shown, 1, 1),
        )
    tree = parse_tree(text, file.shown)
    if not isinstance(tree, Mapping):
        raise SpecError(
            "a spec is a mapping of keys to values",
            remedy="begin with version: 1; iogate init writes an example",
            where=tree.where,
        )
    return tree


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
