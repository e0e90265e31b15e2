"""This machine with CPU settings that it does not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from iogate.model.tied_settings import CPU
from iogate.sut.base import Found
from iogate.sut.local import LocalSut


class CpuFolder(LocalSut):
    """Its CPU settings are files in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def _at(self, path: str) -> str:
        return path.replace(CPU, str(self.root)) if path.startswith(CPU) else path

    def read_text(self, path: str) -> str | None:
        return super().read_text(self._at(path))

    def read_many(self, paths: Sequence[str], looks: Sequence[str] = ()) -> Mapping[str, Found]:
        found = super().read_many([self._at(path) for path in paths], looks)
        return {path.replace(str(self.root), CPU): each for path, each in found.items()}

    def write_text(self, path: str, text: str) -> None:
        super().write_text(self._at(path), text)

    def list_dir(self, path: str) -> tuple[str, ...]:
        return super().list_dir(self._at(path))
