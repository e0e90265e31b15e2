"""scripts/release_notes.py: what the page of a release says, and which commits are no release."""

import subprocess
import sys
from pathlib import Path

import pytest

from iogate import __version__
from repository.tree import ROOT

TAG = f"v{__version__}"
HEAD = "# Changelog\n\nWords.\n\n"
SAID = "The first.\n\n- One, see [docs](docs/one.md#part) and [there](https://example.org).\n"
RELEASE = f"{HEAD}## {__version__} (2026-12-01)\n\n{SAID}\n## 0.0.1 (2026-01-01)\n\n- Old.\n"


def notes(folder: Path, changelog: str, *words: str) -> subprocess.CompletedProcess[str]:
    """What the script says in a checkout with this changelog."""
    for name in ("scripts/release_notes.py", "runner/iogate/__init__.py"):
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / name).read_bytes())
    (folder / "CHANGELOG.md").write_text(changelog)
    return subprocess.run(
        [sys.executable, "-I", folder / "scripts" / "release_notes.py", *words],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_notes_are_the_section_of_the_release(tmp_path: Path) -> None:
    done = notes(tmp_path, RELEASE, TAG)
    assert (done.returncode, done.stdout, done.stderr) == (0, SAID, "")


def test_links_lead_to_the_release(tmp_path: Path) -> None:
    url = f"https://github.com/org/iogate/blob/{TAG}"
    done = notes(tmp_path, RELEASE, TAG, url)
    assert f"[docs]({url}/docs/one.md#part) and [there](https://example.org)" in done.stdout


def test_the_last_section_ends_with_the_file(tmp_path: Path) -> None:
    done = notes(tmp_path, f"{HEAD}## {__version__}\n\n- One.", TAG)
    assert done.stdout == "- One.\n"


@pytest.mark.parametrize(
    ("changelog", "tag", "why"),
    [
        (RELEASE, "v9.9.9", f"v9.9.9 is not 'v' with iogate's version, which is {__version__}"),
        (RELEASE, __version__, "is not 'v' with"),
        (f"{HEAD}## Unreleased\n\n- New.\n\n## {__version__}\n\n- One.\n", TAG, "is Unreleased"),
        (f"{HEAD}## {__version__}\n\n## 0.0.1\n\n- Old.\n", TAG, "says nothing"),
        (HEAD, TAG, "has no section"),
    ],
)
def test_what_is_no_release(tmp_path: Path, changelog: str, tag: str, why: str) -> None:
    done = notes(tmp_path, changelog, tag)
    assert (done.returncode, done.stdout) == (1, "")
    assert why in done.stderr


def test_the_changelog_here_can_become_a_release(tmp_path: Path) -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    done = notes(tmp_path, text.replace("## Unreleased", f"## {__version__} (2026-12-01)"), TAG)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0]
