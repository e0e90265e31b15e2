"""Where the project's files are."""

import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


# What is made in the sources of an sdist, which have no version control to tell it apart.
_MADE = re.compile(
    r"(.*/)?(__pycache__|\.\w+_cache|\.hypothesis)/|(build|dist|native/build[^/]*|\.venv)/"
    r"|PKG-INFO$|reports/iogate_reports/vendor/|runner/iogate/(schemas|specs)/|(.*/)?iogate-runs/"
)


@cache
def tracked() -> tuple[Path, ...]:
    """Every file that is under version control and there; symlinks are not followed. Of an sdist,
    every file that was in it."""
    if not (ROOT / ".git").exists():
        return tuple(sorted(path for path in ROOT.rglob("*") if _is_source(path)))
    command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return tuple(path for path in paths if path.is_file() and not path.is_symlink())


def _is_source(path: Path) -> bool:
    inside = path.is_file() and not path.is_symlink()
    return inside and not _MADE.match(str(path.relative_to(ROOT)))


def texts(*suffixes: str) -> dict[Path, str]:
    """The text of every tracked file with one of these suffixes; of all, when none is named."""
    chosen = (path for path in tracked() if not suffixes or path.suffix in suffixes)
    found = {}
    for path in chosen:
        try:
            found[path.relative_to(ROOT)] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
    return found
