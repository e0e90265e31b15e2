"""How git is called in a repository that may be hostile: no hooks, no pager, no helper programs
of the repository's own configuration, and no questions.

The repository stands where iogate runs, whatever machine measures: git is called right here.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from iogate.errors import RunError

_ALWAYS = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.sshCommand=false")

SAFE_ENV = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ALLOW_PROTOCOL": "",  # a repository may name a program that fetches what it lacks
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
"""Goes with ``safe_git``: asks nothing, and fetches nothing from anywhere."""


def safe_git(*settings: str) -> tuple[str, ...]:
    """The words that come before a subcommand; more settings are ``name=value``."""
    words = (word for setting in (*_ALWAYS, *settings) for word in ("-c", setting))
    return ("git", "--no-pager", *words)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call of git came to; undecodable bytes are replaced."""

    argv: tuple[str, ...]
    status: int
    stdout: str
    stderr: str


def call(argv: Sequence[str], *, timeout_s: float, env: Mapping[str, str] = SAFE_ENV) -> Answer:
    """Run git to its end. RunError when it cannot start or takes too long."""
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            env={**os.environ, **env},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RunError(f"{argv[0]} did not end within {timeout_s:g} s") from None
    except OSError as error:
        raise RunError(f"cannot run {argv[0]}: {error.strerror}") from error
    out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    return Answer(tuple(argv), done.returncode, out, err)
