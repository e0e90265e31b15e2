"""Small git repositories."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_IDENTITY = {
    "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "a@example.com",
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
}  # fmt: skip


def git(folder: Path, *words: str) -> str:
    """What git prints; it must succeed."""
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env={**os.environ, **_IDENTITY},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def commit(folder: Path, subject: str, **files: str) -> str:
    """Write files and commit them; the commit's hash. ``__`` in a name is a dot."""
    if not (folder / ".git").exists():
        folder.mkdir(parents=True, exist_ok=True)
        git(folder, "init", "-q", "-b", "main")
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", subject)
    return git(folder, "rev-parse", "HEAD")
