#!/usr/bin/env python3
"""Print what CHANGELOG.md says of a release, as text for the page of that release.

usage: release_notes.py TAG [URL]

A commit is the release TAG when TAG is `v` with iogate's version, and the first section of its
CHANGELOG.md is of that version: `## 0.1.0 (2026-12-01)`. The first change after it begins a new
section above, so what is between two releases is none of them. Links to files of this repository
begin with URL, where one is given.

Exits 0 when this is that release, else 1, and says why on stderr.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)
SECTION = re.compile(r"^## (\S+)(?: \(\d{4}-\d{2}-\d{2}\))?$", re.MULTILINE)
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s]+)\)")


class NoReleaseError(Exception):
    """This is not the release that was named; the text says why, and what to do."""


def section(changelog: str) -> tuple[str, str]:
    """The name of the first section, and its text."""
    begin = SECTION.search(changelog)
    if begin is None:
        raise NoReleaseError("CHANGELOG.md has no section like '## 0.1.0 (2026-12-01)'")
    end = re.search(r"^## ", changelog[begin.end() :], re.MULTILINE)
    text = changelog[begin.end() :][: end.start() if end else None]
    return begin[1], text.strip()


def notes(tag: str, root: Path, url: str = "") -> str:
    """What is new in the release."""
    version = VERSION.search((root / "runner/iogate/__init__.py").read_text(encoding="utf-8"))
    if version is None or tag != f"v{version[1]}":
        named = version[1] if version else "not to be found"
        raise NoReleaseError(f"{tag} is not 'v' with iogate's version, which is {named}")
    name, text = section((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    if name != version[1]:
        raise NoReleaseError(
            f"the first section of CHANGELOG.md is {name}: call it '{version[1]} (YEAR-MM-DD)'"
            " in the commit that gets the tag"
        )
    if not text:
        raise NoReleaseError(f"CHANGELOG.md says nothing of {name}")
    return LINK.sub(rf"]({url}/\1)", text) if url else text


def main() -> int:
    """Print the notes, or say why there are none."""
    if not 2 <= len(sys.argv) <= 3:
        print("usage: release_notes.py TAG [URL]", file=sys.stderr)
        return 2
    try:
        print(notes(sys.argv[1], ROOT, *sys.argv[2:]))
    except (NoReleaseError, OSError) as error:
        print(f"release_notes.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
