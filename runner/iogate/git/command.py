"""How git is called in a repository that may be hostile: no hooks, no pager, no helper programs
of the repository's own configuration, and no questions.

The repository stands where iogate runs, whatever machine measures: git is called right here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from iogate.sut.local_command import run_command

_ALWAYS = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.sshCommand=false")

SUBJECT = "--format=%<(500,trunc)%s"
"""Of ``git log``: the first line of a message, as much of it as is worth keeping."""

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
    """Run git to its end. RunError when it cannot start, takes too long, or says more than a
    repository has to say: a commit's message may be of any size."""
    done = run_command(argv, timeout_s=timeout_s, env=env, stdin="")
    return Answer(tuple(argv), done.status, done.stdout, done.stderr)
