"""Which commits lead up to a revision, asked of git in a checkout that may be hostile."""

from __future__ import annotations

from dataclasses import dataclass

from iogate.git.revision import ask_git

MERGE_BASE = "merge-base"
_MAIN = ("main", "master")
_REMOTE = "origin"
_MOST_COMMITS = 10_000


@dataclass(frozen=True, slots=True)
class Ancestry:
    """A commit and those before it on its own line of development (first parents)."""

    commit: str
    commits: frozenset[str]


def find_ancestry(ref: str) -> Ancestry | None:
    """Of a revision; of a branch also where only its remote one is known. None for what git
    does not know here, or where there is no repository."""
    commits = _resolved(ref)
    return _ancestry(commits[0]) if commits else None


def find_merge_base(commit: str, branch: str | None) -> Ancestry | None:
    """Of where ``commit`` left a branch (by default main or master), here or at its remote,
    whichever is later. None where git cannot tell, as in a shallow clone."""
    names = (branch,) if branch else _MAIN
    mainline = [candidate for name in names for candidate in _resolved(name)]
    if not commit or not mainline:
        return None
    base = ask_git("merge-base", "--end-of-options", commit, *mainline)
    return _ancestry(base) if base else None


def is_shallow() -> bool:
    """Whether the repository here was cloned without its older commits."""
    return ask_git("rev-parse", "--is-shallow-repository") == "true"


def _resolved(name: str) -> list[str]:
    commits = []
    for ref in (name, f"refs/remotes/{_REMOTE}/{name}"):
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        if commit := ask_git(*words):
            commits.append(commit)
    return commits


def _ancestry(commit: str) -> Ancestry:
    words = ("rev-list", "--first-parent", f"--max-count={_MOST_COMMITS}", "--end-of-options")
    return Ancestry(commit, frozenset(ask_git(*words, commit).split()) | {commit})
