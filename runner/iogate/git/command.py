"""How git is called in a repository that may be hostile: no hooks, no pager, no helper programs
of the repository's own configuration, and no questions."""

from __future__ import annotations

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
