"""Documents as they are kept: JSON, compressed."""

from __future__ import annotations

import json
import zlib
from typing import Any


def pack(document: Any) -> bytes:
    """A JSON-ready document without NaN as compressed text."""
    text = json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode())


def unpack(blob: bytes) -> Any:
    """Its inverse. zlib.error, ValueError or TypeError for what is no such text."""
    return json.loads(zlib.decompress(blob))
