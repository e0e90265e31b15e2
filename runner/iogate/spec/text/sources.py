"""The files that a spec is read from: below one folder, through no link, and bounded together.

A spec may come with a pull request, and what it names is read as whoever runs it. So it names
files of its repository alone: below the folder in which ``.git`` stands, and never in ``.git``,
where a checkout keeps its token; where there is none, below the spec's own folder.
"""

from __future__ import annotations

import os
from pathlib import Path

from iogate.errors import AbsentFileError, Location, SpecError, UsageError
from iogate.files import bounded, bounds
from iogate.spec.text.packaged import packaged
from iogate.spec.text.problems import suggest

_GIT = ".git"


class Sources:
    """Reads the files of one spec, which is at ``path``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        folder = os.path.realpath(path.parent)
        self.own = os.path.join(folder, path.name)  # noqa: PTH118  (paths here are text)
        self._root = repository_root(folder)
        self._files = self._characters = 0

    def place(self, above: str, name: str, at: Location) -> str:
        """Where a file is that the file ``above`` names: an absolute path. SpecError for one
        that a spec may not name; whether it is there is not looked at."""
        folder = os.path.dirname(above)  # noqa: PTH120
        path = os.path.normpath(os.path.join(folder, name))  # noqa: PTH118
        parts = self._parts(path) if name.isprintable() else None
        if not parts or any(part.lower() == _GIT for part in parts):
            raise SpecError(
                f"{name[:200]!r} is not a file of this spec's repository",
                remedy=f"a spec names files below {self._root} alone, and none of {_GIT}",
                where=at,
            )
        return path

    def text(self, place: str, shown: str, at: Location) -> str:
        """The text of such a file, called ``shown``. SpecError for one that cannot be read, or
        where all files together are too many or too large."""
        self._files += 1
        if self._files > bounds.SPEC_FILES:
            raise SpecError(
                f"the spec is made of more than {bounds.SPEC_FILES} files",
                remedy="join some of them",
                where=at,
            )
        parts = self._parts(place) or [""]
        try:
            data = bounded.read_fd(bounded.open_below(self._root, parts), bounds.SPEC_BYTES)
            text = _decoded(data, shown)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "this is not a path"
            kind = AbsentFileError if isinstance(error, FileNotFoundError) else SpecError
            raise kind(
                f"cannot read {shown}: {reason}",
                remedy="check the path; it is relative to the file that names it",
                where=at,
            ) from None
        self._characters += len(text)
        if self._characters > bounds.SPEC_FILES_CHARACTERS:
            raise SpecError(
                f"the files of the spec have more than {bounds.SPEC_FILES_CHARACTERS:,} characters",
                remedy="leave out what it does not need",
                where=at,
            )
        return text

    def _parts(self, place: str) -> list[str] | None:
        """The names that lead to it from the root; None for what is not below that."""
        above = self._root.rstrip("/") + "/"
        return place.removeprefix(above).split("/") if place.startswith(above) else None


def repository_root(folder: str) -> str:
    """The nearest folder, at or above one without links, that holds ``.git``; where there is
    none, or only ``/``, the folder itself. Git is not asked: it would read the settings of a
    repository that may be anybody's."""
    for above in (folder, *map(str, Path(folder).parents)):
        if above != "/" and os.path.lexists(os.path.join(above, _GIT)):  # noqa: PTH118
            return above
    return folder


def read_spec(path: Path) -> str:
    """The text of the spec itself, as a user names it. UsageError for one that cannot be read,
    and for a link that leads out of the repository that it stands in: it may have come with a
    pull request, as what it leads to has not."""
    try:
        root = repository_root(os.path.realpath(path.parent))
        real = os.path.realpath(path)
        if path.is_symlink() and not real.startswith(root.rstrip("/") + "/"):
            raise _unreadable(path, f"it is a link that leads out of {root}")
        return _decoded(bounded.read_bytes(real, bounds.SPEC_BYTES), str(path))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "this is not a path"
        raise _unreadable(path, str(reason)) from None


def _unreadable(path: Path, reason: str) -> UsageError:
    return UsageError(
        f"cannot read {path}: {reason}",
        remedy=suggest(str(path), packaged())
        or "name a spec file, such as one that iogate init writes, or one that comes with iogate: "
        + ", ".join(name for name in packaged() if "/" not in name),
    )


def _decoded(data: bytes, shown: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise SpecError(
            "this is not UTF-8 text",
            remedy="save the file as UTF-8",
            where=Location(shown, line, column),
        ) from None
