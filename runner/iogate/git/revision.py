"""Which commit is under test, asked of git in a checkout that may be hostile."""

from __future__ import annotations

from iogate.errors import RunError, UsageError
from iogate.git.changes import has_changes
from iogate.git.command import SUBJECT, call, safe_git
from iogate.model.origin import Origin
from iogate.model.run import Revision

# A folder of the checkout may itself look like a bare repository, with a configuration that came
# with a pull request.
_GIT = safe_git("log.showSignature=false", "diff.external=", "safe.bareRepository=explicit")
_TIMEOUT_S = 10.0


def find_revision(
    *, ref: str | None = None, label: str = "", origin: Origin | None = None
) -> Revision:
    """The revision of the working directory, or of ``ref`` in it; what a CI system says is under
    test, where it checked that out here, or there is no repository. Outside of both it is empty
    but for the label; UsageError for a ref that git does not know."""
    commit = ask_git("rev-parse", "--verify", "--quiet", "--end-of-options", _commit(ref))
    if ref is None and origin and commit in ("", origin.head_sha, origin.merge_sha):
        return _of_origin(origin, commit, label)
    if not commit:
        if ref:
            raise UsageError(
                f"git knows no commit {ref!r} here", remedy="give a commit, branch or tag"
            )
        return Revision(label=label)
    branch = ask_git("rev-parse", "--abbrev-ref", "HEAD") if ref is None else ref
    return Revision(
        commit=commit,
        subject=_subject(commit),
        branch="" if branch == "HEAD" else branch,
        dirty=ref is None and has_changes(),
        label=label,
    )


def _of_origin(origin: Origin, checked_out: str, label: str) -> Revision:
    """The last commit of a pull request, not the merge that was made of it to be tested."""
    commit = origin.head_sha or checked_out
    return Revision(
        commit=commit,
        subject=_subject(commit),
        branch=origin.head_ref,
        dirty=bool(checked_out) and has_changes(),
        label=label,
    )


def _subject(commit: str) -> str:
    """The first line of the commit's message: as much of it as a history is to keep with each
    run, whoever wrote it."""
    words = ("log", "-1", "--no-show-signature", SUBJECT)
    return ask_git(*words, "--end-of-options", commit)


def _commit(ref: str | None) -> str:
    return f"{ref or 'HEAD'}^{{commit}}"


def ask_git(*words: str) -> str:
    """What git answers; empty where it refuses, or is not there."""
    try:
        done = call([*_GIT, *words], timeout_s=_TIMEOUT_S)
    except RunError:
        return ""
    return done.stdout.strip() if done.status == 0 else ""
