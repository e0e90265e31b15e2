"""A run by the name that a person gives it: its folder, or its id in the history."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from iogate.errors import UsageError
from iogate.files.run_folder import DEFAULT_PARENT, LATEST, own_folder
from iogate.model.run import Run
from iogate.recovery.salvage import is_run_folder, read_run_folder
from iogate.store import Store


@dataclass(frozen=True, slots=True)
class Named:
    """A run, its folder (None when that is gone), and what of the folder is broken. ``known``:
    its id is not merely the name of the folder."""

    run: Run
    folder: Path | None
    broken: tuple[str, ...] = ()
    known: bool = True


def find_named(run: str, store: Store) -> Named:
    """What a person means by a name."""
    path = Path(run)
    if is_run_folder(path):
        root = path.resolve()
        read = read_run_folder(root, store)
        return Named(read.run, root, read.broken, read.named)
    if run == f"{DEFAULT_PARENT}/{LATEST}" and not path.exists():
        raise UsageError(
            f"there is no run here: no {run}",
            remedy="iogate run SPEC makes one; or give a folder, or an id from 'iogate history'",
        )
    if path.exists() or "/" in run:
        raise UsageError(
            f"{run} is not a run folder: it holds no part of a run"
            if path.exists()
            else f"there is no folder {run}",
            remedy="give a run folder, or an id from 'iogate history'",
        )
    reported = store.run(run)
    return Named(reported, own_folder(reported))
