"""Reads and checks a spec."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from iogate.errors import SpecError
from iogate.model.spec import Spec
from iogate.spec.build.spec import build_spec
from iogate.spec.overrides import apply_overrides
from iogate.spec.reading.document import load_tree
from iogate.spec.reading.schema import check_schema
from iogate.spec.text.problems import Problems
from iogate.spec.text.sources import Sources, read_spec
from iogate.spec.text.tree import Node, Scalar

VERSION = 1
Look = Callable[[Spec, Problems], None]


def load_spec(path: Path, *, overrides: Sequence[str] = (), look: Look | None = None) -> Spec:
    """The spec in a file. Raises UsageError when it cannot be read or an override is wrong,
    and SpecError, naming every problem with its place, when the spec is wrong. ``look`` adds
    what it finds in a wrong one, as far as that can be read, so that all is told together."""
    return load_spec_text(read_spec(path), path, overrides=overrides, look=look)


def load_spec_text(
    text: str, path: Path, *, overrides: Sequence[str] = (), look: Look | None = None
) -> Spec:
    """The spec in a text; ``path`` names it, and relative files are beside it."""
    sources = Sources(path)
    tree = load_tree(sources, text)
    _check_version(tree.get("version"))
    problems = Problems()
    if not check_schema(tree, problems):
        problems.check()
    spec = build_spec(tree, sources, text, problems)
    if problems and look:
        look(spec, problems)
    problems.check()
    return apply_overrides(spec, overrides)


def _check_version(node: Node | None) -> None:
    """A newer language first: its other keys would only be misread."""
    digits = node.text[:9] if isinstance(node, Scalar) else ""
    if node and digits.isascii() and digits.isdigit() and int(digits) > VERSION:
        raise SpecError(
            f"this spec is written in version {digits} of the language, "
            f"and this iogate reads version {VERSION}",
            remedy="update iogate",
            where=node.where,
        )
