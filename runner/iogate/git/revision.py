"""Which commit is under test, asked of git in a checkout that may be hostile."""

from __future__ import annotations

from iogate.errors import RunError, UsageError
from iogate.git.command import call, safe_git
from iogate.model.run import Revision

# A folder of the checkout may itself look like a bare repository, with a configuration that came
# with a pull request.
_GIT = safe_git("log.showSignature=false", "diff.external=", "safe.bareRepository=explicit")
_TIMEOUT_S = 10.0


def find_revision(*, ref: str | None = None, label: str = "") -> Revision:
    """The revision of the working directory, or of ``ref`` in it. Outside a repository it
    is empty but for the label; UsageError for a ref that git does not know."""
    commit = ask_git("rev-parse", "--verify", "--quiet", "--end-of-options", _commit(ref))
    if not commit:
        if ref:
            raise UsageError(
                f"git knows no commit {ref!r} here", remedy="give a commit, branch or tag"
            )
        return Revision(label=label)
    branch = ask_git("rev-parse", "--abbrev-ref", "HEAD") if ref is None else ref
    return Revision(
        commit=commit,
        subject=ask_git("log", "-1", "--no-show-signature", "--format=%s", commit),
        branch="" if branch == "HEAD" else branch,
        dirty=ref is None and bool(ask_git("status", "--porcelain", "--untracked-files=no")),
        label=label,
    )


def _commit(ref: str | None) -> str:
    return f"{ref or 'HEAD'}^{{commit}}"


def ask_git(*words: str) -> str:
    """What git answers; empty where it refuses, or is not there."""
    try:
        done = call([*_GIT, *words], timeout_s=_TIMEOUT_S)
    except RunError:
        return ""
    return done.stdout.strip() if done.status == 0 else ""
