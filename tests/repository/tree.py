"""Where the project's files are."""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def tracked() -> tuple[Path, ...]:
    """Every file that is under version control and there; symlinks are not followed."""
    command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return tuple(path for path in paths if path.is_file() and not path.is_symlink())


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
