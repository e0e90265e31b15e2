"""The revisions of an alert as builds: by their hashes alone, whatever a history calls them."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from iogate.bisect.confirm import Build, check_out_both
from iogate.errors import UsageError
from iogate.model.trend import Turn
from support.repositories import commit, git


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    commit(tmp_path / "repository", "One", state="1\n")
    commit(tmp_path / "repository", "Two", state="2\n")
    return tmp_path / "repository"


def alert(good: str, bad: str) -> Mock:
    ends = {"last_good": Mock(commit=good), "first_bad": Mock(commit=bad)}
    return Mock(id="abcd1234", turn=Turn.REGRESSION, **ends)


def builds(repository: Path, good: str, bad: str) -> tuple[Build, Build]:
    folder = repository.parent / "builds"
    folder.mkdir()
    return check_out_both(alert(good, bad), repository, folder, ["sh", "-c", "echo $IOGATE_BUILD"])


def test_a_build_is_told_the_whole_hash(repository: Path) -> None:
    good, bad = (git(repository, "rev-parse", each) for each in ("HEAD^", "HEAD"))
    both = builds(repository, good[:12], bad)
    for build, meant, state in zip(both, (good, bad), ("1\n", "2\n"), strict=True):
        done = subprocess.run(
            ["sh", "-c", build.arm().prepare], check=True, capture_output=True, text=True
        )
        assert done.stdout.strip() == meant
        assert (build.clone / "state").read_text() == state


@pytest.mark.parametrize("name", ["x$(touch${IFS}pwned)", "x;touch${IFS}pwned", "main", "HEAD"])
def test_a_name_is_no_commit(repository: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A branch may have any of these names, and CI variables hold what somebody wrote."""
    monkeypatch.chdir(repository)
    if name not in ("main", "HEAD"):
        git(repository, "branch", name)
    with pytest.raises(UsageError, match="do not name the commits that they measured"):
        builds(repository, git(repository, "rev-parse", "HEAD^"), name)


def test_whatever_a_build_is_of_stays_a_word(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ends = (git(repository, "rev-parse", each) for each in ("HEAD^", "HEAD"))
    good, _bad = builds(repository, *ends)
    replace(good, commit="$(touch pwned)`touch pwned`;touch pwned").make()
    assert not list(tmp_path.rglob("pwned"))
