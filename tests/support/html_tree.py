"""A strict reader of HTML: every element closed, in order, each id once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "img", "input", "wbr", "source", "col"}


@dataclass(slots=True)
class Node:
    tag: str
    attributes: dict[str, str]
    children: list[Node | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(c if isinstance(c, str) else c.text for c in self.children)

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def all(self, tag: str, class_: str = "") -> list[Node]:
        return [n for n in self.walk() if n.tag == tag and (not class_ or class_ in n.classes)]

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("#document", {})
        self.stack = [self.root]
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> repeats an attribute: {names}"
        node = Node(tag, {name: value or "" for name, value in attrs})
        if "id" in node.attributes:
            assert node.attributes["id"] not in self.ids, f"id twice: {node.attributes['id']}"
            self.ids.add(node.attributes["id"])
        self.stack[-1].children.append(node)
        if tag not in VOID:
            self.stack.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.stack.pop()

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.stack[-1].tag, f"</{tag}> closes <{self.stack[-1].tag}>"
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        self.stack[-1].children.append(data)


def read_html(text: str) -> Node:
    """The document's tree; AssertionError where an element is not closed in order."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert len(reader.stack) == 1, f"left open: {[node.tag for node in reader.stack[1:]]}"
    return reader.root
