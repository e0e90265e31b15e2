"""Documents as they are kept: JSON, compressed where that is worth it."""

from __future__ import annotations

import json
import zlib
from typing import Any

from iogate.errors import StoreError
from iogate.files.bounded import inflate, is_too_large, parse_json
from iogate.files.bounds import size

# Not checking for cycles: documents are made of values that hold none.
_ENCODER = json.JSONEncoder(
    allow_nan=False, ensure_ascii=False, separators=(",", ":"), check_circular=False
)
_SHORT_BYTES = 2048
_ZLIB = b"x"  # no JSON begins so


def pack(document: Any) -> bytes:
    """A JSON-ready document without NaN as compressed text."""
    return zlib.compress(_bytes(document))


def pack_row(document: Any) -> bytes:
    """The same for a row of a table, where a short one stays text: compressing it takes longer
    than all the rest of writing it, and the page that it is on would not be smaller."""
    data = _bytes(document)
    return data if len(data) <= _SHORT_BYTES else zlib.compress(data)


def unpack(blob: bytes) -> Any:
    """The inverse of both. zlib.error, ValueError or TypeError for what is no such text, or is
    more of it than is read."""
    return parse_json(inflate(blob) if blob[:1] == _ZLIB else blob)


def _bytes(document: Any) -> bytes:
    """A path need not be UTF-8: the bytes of one that is not are kept as they are. StoreError for
    more than ``unpack`` reads: a history that holds it is damaged to whoever reads it next."""
    data = _ENCODER.encode(document).encode("utf-8", "surrogatepass")
    if is_too_large(data):
        raise StoreError(
            f"what would take {size(len(data))} bytes of the history is not kept",
            remedy="let its jobs be reported in fewer rows: group_reporting=1",
        )
    return data
