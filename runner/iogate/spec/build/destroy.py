"""``destroy``: permission to overwrite a device, which says which one it is and what it holds."""

from __future__ import annotations

from iogate.errors import Location, SpecError
from iogate.model.signatures import ANYTHING, HELD, NOTHING
from iogate.model.spec import Destroy
from iogate.spec.options.values import BadValueError, parse_bytes
from iogate.spec.text.problems import suggest
from iogate.spec.text.tree import Mapping, Node, Scalar, Sequence
from iogate.spec.text.variables import expand

BY_ID = "/dev/disk/by-id/"
_SHOWN_BY = {
    "serial": "lsblk -o NAME,SERIAL shows it",
    "wwn": "lsblk -o NAME,WWN shows it",
    "model": "lsblk -o NAME,MODEL shows it",
    "by_id": f"ls -l {BY_ID} shows the names",
    "backing": "losetup -l shows the image of a loop device",
    "size": "lsblk -b shows it",
}


def build_destroy(node: Node) -> Destroy:
    """SpecError, with its place, for what does not say which device is meant."""
    assert isinstance(node, Mapping)
    texts = {key: _text(key, node) for key in _SHOWN_BY if key in node.entries}
    _check_singles_out(texts, node)
    return Destroy(
        serial=texts.get("serial"),
        wwn=texts.get("wwn"),
        model=texts.get("model"),
        size_bytes=_size(texts["size"], _place(node, "size")) if "size" in texts else None,
        by_id=_link(texts["by_id"], _place(node, "by_id")) if "by_id" in texts else None,
        backing=texts.get("backing"),
        holds=_holds(node.get("holds")),
    )


def _check_singles_out(texts: dict[str, str], node: Mapping) -> None:
    if not texts:
        raise SpecError(
            "destroy does not say which device may be overwritten",
            remedy="add serial:, wwn: or by_id: of the device; backing: of a loop device; or "
            "size: of a zram device",
            where=node.where,
        )
    if set(texts) == {"model"}:
        raise SpecError(
            "a model is that of many devices",
            remedy="name the serial: or wwn: of the device; add its size: where it has neither",
            where=_place(node, "model"),
        )


def _place(node: Mapping, key: str) -> Location:
    return node.entries[key].value.where


def _text(key: str, node: Mapping) -> str:
    value = node.entries[key].value
    assert isinstance(value, Scalar)
    text = expand(value.text, value.where).strip()
    if not any(char.isprintable() and not char.isspace() for char in text):
        variable = "the variable is empty; " if "$" in value.text else ""
        raise SpecError(
            f"destroy.{key} is empty, and every device without one would be meant",
            remedy=f"{variable}{_SHOWN_BY[key]}",
            where=value.where,
        )
    return text


def _size(text: str, where: Location) -> int:
    try:
        if size := parse_bytes("size", text):
            return size
    except BadValueError:
        pass
    raise SpecError(
        f"size is a number of bytes, not {text!r}",
        remedy="lsblk -b shows the size of a device",
        where=where,
    )


def _link(text: str, where: Location) -> str:
    name = text.removeprefix(BY_ID)
    if "/" in name or name in (".", ".."):
        raise SpecError(
            f"by_id is a name in {BY_ID}, not {text!r}", remedy=_SHOWN_BY["by_id"], where=where
        )
    return name


def _holds(node: Node | None) -> tuple[str, ...]:
    items = node.items if isinstance(node, Sequence) else (node,) if node else ()
    names = [_signature(item) for item in items if isinstance(item, Scalar)]
    for alone in (NOTHING, ANYTHING):
        if alone in names and set(names) != {alone}:
            assert node is not None
            raise SpecError(
                f"holds says {alone} and {next(name for name in names if name != alone)}",
                remedy=f"leave {alone} out, or name it alone",
                where=node.where,
            )
    return tuple(dict.fromkeys(name for name in names if name != NOTHING))


def _signature(item: Scalar) -> str:
    name = expand(item.text, item.where).strip().lower()
    if name not in HELD:
        raise SpecError(
            f"holds names a signature, such as ext4, lvm or gpt, and {name!r} is none",
            remedy=suggest(name, HELD) or "blkid -p shows the TYPE or PTTYPE of what is there",
            where=item.where,
        )
    return name
