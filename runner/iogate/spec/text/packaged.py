"""The specs that come with iogate; a command takes one by its name."""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def packaged() -> dict[str, Path]:
    """Their files by name: ``quick``, ``seeds/random-read``."""
    root = Path(str(resources.files("iogate").joinpath("specs")))
    return {
        path.relative_to(root).with_suffix("").as_posix(): path
        for path in sorted(root.rglob("*.yaml"))
    }
