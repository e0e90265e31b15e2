"""A target that is an array of devices: ``array:``."""

from __future__ import annotations

from iogate.errors import SpecError
from iogate.model.array import LEVELS, PART, Array, usual_chunk, wrong_array
from iogate.model.spec import Beside, Target, TargetKind
from iogate.spec.build.texts import check_once, text_of, texts_of
from iogate.spec.options.values import BadValueError, parse_bytes
from iogate.spec.text.problems import listed, suggest
from iogate.spec.text.tree import Entry, Mapping

_SUCH_AS = "such as array: { on: [a, b, c], level: raid5, chunk: 64k }"


def build_array(name: str, node: Mapping, entry: Entry) -> Target:
    """The target, without what its devices allow. SpecError for one that cannot be made."""
    level = text_of(node, "level")
    if level not in LEVELS:
        raise SpecError(
            f"iogate makes no array of level {level!r}",
            remedy=suggest(level, LEVELS) or f"it makes {listed(LEVELS)}",
            where=node.entries["level"].value.where,
        )
    names = texts_of(node.get("on"))
    chunk = _chunk(node) if "chunk" in node.entries else usual_chunk(level)
    array = Array(level, chunk, text_of(node, "bitmap") == "internal")
    if wrong := wrong_array(array, len(names)):
        raise SpecError(f"target {name!r}: {wrong}", remedy=_SUCH_AS, where=node.where)
    check_once(list(names), "array", node)
    return Target(
        name=name,
        kind=TargetKind.ARRAY,
        on=names[0],
        where=entry.key_at,
        beside=tuple(Beside(PART, other) for other in names[1:]),
        array=array,
    )


def _chunk(node: Mapping) -> int:
    text = text_of(node, "chunk")
    try:
        return parse_bytes("chunk", text)
    except BadValueError:
        raise SpecError(
            f"chunk is a number of bytes, not {text!r}",
            remedy=_SUCH_AS,
            where=node.entries["chunk"].value.where,
        ) from None
