"""Files that say that they are kernels."""

from __future__ import annotations

import struct
from pathlib import Path


def bzimage(path: Path, version: bytes) -> Path:
    """An image with a head and nothing behind it."""
    head = bytearray(0x400)
    head[0x202:0x206] = b"HdrS"
    struct.pack_into("<H", head, 0x20E, 0x100)
    path.write_bytes(bytes(head[:0x300]) + version + b"\0" * 600)
    return path
