"""The run folders that a history is made anew from: its own, not those of another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from iogate.errors import RunError
from iogate.files.run_folder import DEFAULT_PARENT, read_document
from iogate.store import default_path

HISTORY = "history"  # in environment.json


@dataclass(slots=True)
class Folders:
    """Which run folders are taken. ``asked`` are those that a person named: all in them is
    taken. Of others, ``history`` takes those that say they are its own, and of those that do
    not say, the ones that it has ``listed``; the user's own history takes them all.

    Afterwards ``added`` counts runs by (folder, spec), ``passed`` run folders by folder."""

    history: Path
    asked: Sequence[Path]
    listed: Collection[str] = ()
    added: Counter[tuple[str, str]] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)

    def chosen(self, beside: Sequence[Path]) -> list[Path]:
        """The run folders to read. ``beside`` are folders in which the history has some."""
        asked = {parent.absolute() for parent in self.asked}
        parents = dict.fromkeys((*asked, *beside))
        if not self.asked:
            parents[Path(DEFAULT_PARENT).absolute()] = None
        roots = []
        for parent in parents:
            for root in _run_folders(parent):
                if parent in asked or self._is_own(root):
                    roots.append(root)
                else:
                    self.passed[str(parent)] += 1
        return roots

    def _is_own(self, root: Path) -> bool:
        said, run_id = "", ""
        with suppress(RunError):
            said = str(read_document(root / "environment.json").get(HISTORY) or "")
        if said:
            return Path(said).resolve() == self.history.resolve()
        with suppress(RunError):
            run_id = str(read_document(root / "run.json").get("id") or "")
        return run_id in self.listed or self.history.resolve() == default_path().resolve()


def _run_folders(parent: Path) -> list[Path]:
    """Run folders in a folder, or that folder itself; links to them are passed over."""
    if (parent / "run.json").is_file():
        return [parent]
    with suppress(OSError):
        entries = [e for e in parent.iterdir() if e.is_dir() and not e.is_symlink()]
        return sorted(entry for entry in entries if (entry / "run.json").is_file())
    return []
