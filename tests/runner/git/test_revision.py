from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from iogate.errors import UsageError
from iogate.git.revision import find_revision

IDENTITY = {
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_GLOBAL": "/dev/null",
}  # fmt: skip


def git(*words: str) -> str:
    done = subprocess.run(
        ["git", *words], env={**os.environ, **IDENTITY}, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    git("init", "-q", "-b", "main")
    (tmp_path / "file").write_text("one")
    git("add", "file")
    git("commit", "-q", "-m", "First; $(touch pwned) `x`")
    return tmp_path


def test_the_commit_branch_and_subject(repository: Path) -> None:
    found = find_revision(label="nightly")
    assert found.commit == git("rev-parse", "HEAD")
    assert (found.branch, found.label, found.dirty) == ("main", "nightly", False)
    assert found.subject == "First; $(touch pwned) `x`"
    (repository / "file").write_text("two")
    assert find_revision().dirty
    assert not (repository / "pwned").exists()


def test_a_subject_that_is_a_book_is_cut(repository: Path) -> None:
    """It is kept with each run, and a pull request brings it."""
    (repository / "message").write_text("x" * 3_000_000)
    git("commit", "-q", "--allow-empty", "-F", "message")
    found = find_revision()
    assert found.commit == git("rev-parse", "HEAD")
    assert len(found.subject) <= 500


def test_a_ref_by_name(repository: Path) -> None:
    git("tag", "v1")
    assert find_revision(ref="v1").commit == git("rev-parse", "HEAD")


@pytest.mark.parametrize("ref", ["nowhere", "--output=pwned", "-h"])
def test_a_ref_that_is_none(repository: Path, ref: str) -> None:
    with pytest.raises(UsageError, match="knows no commit"):
        find_revision(ref=ref)
    assert not (repository / "pwned").exists()


def test_outside_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert find_revision(label="x").commit == ""


def test_a_repository_cannot_make_git_run_its_programs(repository: Path) -> None:
    hook = repository / "hook.sh"
    hook.write_text("#!/bin/sh\ntouch pwned\n")
    hook.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "gpg.program", "core.editor", "diff.external"):
        git("config", key, str(hook))
    git("config", "log.showSignature", "true")
    (repository / ".git/hooks/post-index-change").symlink_to(hook)
    (repository / "file").write_text("three")
    assert find_revision().dirty
    assert not (repository / "pwned").exists()


BARE = """\
[core]
	repositoryformatversion = 1
	bare = true
[extensions]
	partialClone = origin
[remote "origin"]
	promisor = true
	url = %s
	uploadpack = touch %s/pwned; false
[protocol "ext"]
	allow = always
"""


@pytest.mark.parametrize("url", ["ext::sh -c touch%% %s/pwned", "%s"])
def test_a_folder_that_looks_like_a_repository_runs_no_program(
    repository: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    inside = repository / "bench"
    for name in ("objects", "refs/heads"):
        (inside / name).mkdir(parents=True)
    (inside / "HEAD").write_text("ref: refs/heads/main\n")
    (inside / "refs/heads/main").write_text("1" * 40 + "\n")
    (inside / "config").write_text(BARE % (url % repository, repository))
    monkeypatch.chdir(inside)
    assert find_revision(label="nightly").label == "nightly"
    assert not (repository / "pwned").exists()
