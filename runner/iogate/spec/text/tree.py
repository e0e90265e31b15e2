"""YAML text to a tree that knows where every key and value stands.

Scalars stay text: what ``on``, ``1:30`` or ``010`` mean is decided where they are used,
never here. Refused, with file, line and column: duplicate keys, tabs, tags, cyclic
aliases, several documents, and anything that would make the tree large or deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from iogate.errors import Location, SpecError
from iogate.files.bounds import SPEC_CHARACTERS, SPEC_DEPTH, SPEC_KEY, SPEC_NODES, SPEC_TEXT
from iogate.files.malformed import ODD, malformed

_TEXT_TAGS = (None, "!", "tag:yaml.org,2002:str")
_MERGE = "<<"
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Scalar:
    """``plain`` is False for what was quoted or in a block: that is always text."""

    where: Location
    text: str
    plain: bool = True


@dataclass(frozen=True, slots=True)
class Sequence:
    """Values in their order."""

    where: Location
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A value, and where its key stands."""

    key_at: Location
    value: Node


@dataclass(frozen=True, slots=True)
class Mapping:
    """Values by key, in the order written; merged keys come first."""

    where: Location
    entries: dict[str, Entry] = field(default_factory=dict)

    def get(self, key: str) -> Node | None:
        """The value of a key, or None."""
        entry = self.entries.get(key)
        return entry.value if entry else None


Node = Scalar | Sequence | Mapping


def parse_tree(text: str, file: str) -> Node:
    """The tree of one YAML document; SpecError for text that is not one."""
    if len(text) > SPEC_CHARACTERS:
        raise SpecError(
            f"the file has {len(text)} characters; at most {SPEC_CHARACTERS} are read",
            remedy="split it, and join the parts with extends:",
            where=Location(file, 1, 1),
        )
    try:
        return _Composer(text, file).document()
    except yaml.reader.ReaderError as error:
        raise _unreadable(error, text, file) from None
    except yaml.MarkedYAMLError as error:
        raise malformed(error, text, file) from None
    except ODD as error:
        raise SpecError(
            f"this is not YAML: {error}", remedy="is it a spec?", where=Location(file, 1, 1)
        ) from None


class _Composer:
    """Builds the tree from parse events, so that an alias keeps a place of its own."""

    def __init__(self, text: str, file: str) -> None:
        self._events: Iterator[yaml.Event] = yaml.parse(text, Loader=yaml.SafeLoader)
        self._file = file
        self._anchors: dict[str, Node | None] = {}  # None while it is being built
        self._sizes: dict[str, int] = {}  # nodes under an anchor
        self._nodes = 0
        self._depth = 0

    def document(self) -> Node:
        """The only document of the stream."""
        next(self._events)
        event = next(self._events)
        if isinstance(event, yaml.StreamEndEvent):
            raise SpecError(
                "the file is empty",
                remedy="iogate init writes a spec to start from",
                where=Location(self._file, 1, 1),
            )
        node = self._node(next(self._events))
        next(self._events)
        event = next(self._events)
        if not isinstance(event, yaml.StreamEndEvent):
            raise self._error("a second document begins here", event, "one file is one spec")
        return node

    def _node(self, event: yaml.Event) -> Node:
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        assert isinstance(event, yaml.NodeEvent)
        anchor: str | None = event.anchor
        if anchor is not None:
            self._open(anchor, event)
        self._check_tag(event)
        before = self._nodes
        self._count(1, event)
        node = self._content(event)
        if anchor is not None:
            self._anchors[anchor] = node
            self._sizes[anchor] = self._nodes - before
        return node

    def _open(self, anchor: str, event: yaml.Event) -> None:
        if anchor in self._anchors:
            raise self._error(f"the anchor &{anchor} is there twice", event, "rename one")
        self._anchors[anchor] = None

    def _alias(self, event: yaml.AliasEvent) -> Node:
        name = str(event.anchor)
        if name not in self._anchors:
            raise self._error(f"*{name} has no anchor &{name} before it", event, "define it above")
        node = self._anchors[name]
        if node is None:
            raise self._error(f"*{name} stands inside &{name}: it contains itself", event)
        self._count(self._sizes[name], event)
        return node

    def _content(self, event: yaml.Event) -> Node:
        where = self._at(event)
        if isinstance(event, yaml.ScalarEvent):
            if len(event.value) > SPEC_TEXT:
                raise self._error(
                    f"a text of more than {SPEC_TEXT} characters", event, "shorten it"
                )
            return Scalar(where, self._whole(event), plain=bool(event.implicit[0]))
        self._depth += 1
        if self._depth > SPEC_DEPTH:
            raise self._error(f"nested more than {SPEC_DEPTH} deep", event, "is it a spec?")
        node: Node
        if isinstance(event, yaml.SequenceStartEvent):
            node = Sequence(where, tuple(self._items()))
        else:
            node = self._mapping(where)
        self._depth -= 1
        return node

    def _whole(self, event: yaml.ScalarEvent) -> str:
        """The text; two halves of a character that follow each other, as in JSON, are one."""
        text = str(event.value)
        if _HALF.search(text):
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        if _HALF.search(text):
            raise self._error("a text with half a character", event, "write it whole")
        return text

    def _items(self) -> Iterator[Node]:
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            yield self._node(event)

    def _mapping(self, where: Location) -> Mapping:
        own: dict[str, Entry] = {}
        merged: list[Mapping] = []
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key_at = self._at(event)
            key = self._key(event)
            value = self._node(next(self._events))
            if key == _MERGE:
                merged += _merge_sources(value)
            elif key in own:
                raise SpecError(
                    f"the key {key!r} is there twice in one mapping",
                    remedy=f"the first is at {own[key].key_at}; keep one",
                    where=key_at,
                )
            else:
                own[key] = Entry(key_at, value)
        return Mapping(where, _merge(own, merged))

    def _key(self, event: yaml.Event) -> str:
        node = self._node(event)
        if not isinstance(node, Scalar) or not node.text:
            raise self._error("a key must be a plain word", event, "quote it if it has { or [")
        if len(node.text) > SPEC_KEY:
            raise self._error(f"a key of more than {SPEC_KEY} characters", event, "shorten it")
        return node.text

    def _check_tag(self, event: yaml.NodeEvent) -> None:
        tag = getattr(event, "tag", None)
        scalar = isinstance(event, yaml.ScalarEvent)
        if tag not in _TEXT_TAGS or (tag is not None and not scalar):
            raise self._error(
                f"the tag {tag} is not allowed", event, "a spec holds plain values only"
            )

    def _count(self, nodes: int, event: yaml.Event) -> None:
        self._nodes += nodes
        if self._nodes > SPEC_NODES:
            raise self._error(
                f"more than {SPEC_NODES} values, counting what aliases repeat",
                event,
                "do aliases of aliases multiply?",
            )

    def _at(self, event: yaml.Event) -> Location:
        mark: Any = event.start_mark
        return Location(self._file, mark.line + 1, mark.column + 1)

    def _error(self, what: str, event: yaml.Event, remedy: str = "") -> SpecError:
        return SpecError(what, remedy=remedy, where=self._at(event))


def _merge_sources(value: Node) -> list[Mapping]:
    sources = value.items if isinstance(value, Sequence) else (value,)
    wrong = next((source for source in sources if not isinstance(source, Mapping)), None)
    if wrong is not None:
        raise SpecError(
            "<< merges mappings, and this is none",
            remedy="write <<: *anchor, or <<: [*one, *two]",
            where=wrong.where,
        )
    return [source for source in sources if isinstance(source, Mapping)]


def _merge(own: dict[str, Entry], merged: list[Mapping]) -> dict[str, Entry]:
    """Merged keys come first, as they are usually written; own ones and earlier sources win."""
    result: dict[str, Entry] = {}
    for source in merged:
        result = {**result, **{k: v for k, v in source.entries.items() if k not in result}}
    return {**result, **own}


def _unreadable(error: yaml.reader.ReaderError, text: str, file: str) -> SpecError:
    before = text[: error.position]
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    character = ord(error.character) if isinstance(error.character, str) else error.character
    return SpecError(
        f"the character U+{character:04X} is not allowed",
        remedy="save the file as UTF-8 text without control characters",
        where=Location(file, line, column),
    )
