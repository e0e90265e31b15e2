from __future__ import annotations

from pathlib import Path

import pytest

from iogate.git.ancestry import find_ancestry, find_merge_base
from iogate.sut.local import LocalSut
from support.repositories import commit, git

SUT = LocalSut()


@pytest.fixture
def commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two commits of main, one of a branch, and main with the branch merged."""
    place = tmp_path / "repository"
    found = [commit(place, f"Main {n}", file=str(n)) for n in range(2)]
    git(place, "checkout", "-q", "-b", "topic")
    found.append(commit(place, "Topic", other="x"))
    git(place, "checkout", "-q", "main")
    git(place, "merge", "-q", "--no-ff", "-m", "Merge", "topic")
    found.append(git(place, "rev-parse", "HEAD"))
    monkeypatch.chdir(place)
    return found


def test_the_line_of_a_branch_leaves_out_what_was_merged(commits: list[str]) -> None:
    main = find_ancestry("main")
    assert main is not None
    assert main.commit == commits[3]
    assert main.commits == {commits[0], commits[1], commits[3]}


def test_only_a_remote_branch_is_known(commits: list[str]) -> None:
    git(Path.cwd(), "update-ref", "refs/remotes/origin/main", commits[1])
    git(Path.cwd(), "checkout", "-q", "--detach", commits[2])
    git(Path.cwd(), "branch", "-q", "-D", "main")
    found = find_merge_base(commits[2], None)
    assert found is not None
    assert found.commit == commits[1]
    remote = find_ancestry("main")
    assert remote is not None
    assert remote.commits == set(commits[:2])


def test_the_later_of_here_and_the_remote(commits: list[str]) -> None:
    git(Path.cwd(), "update-ref", "refs/remotes/origin/main", commits[3])
    git(Path.cwd(), "update-ref", "refs/heads/main", commits[0])
    newer = commit(Path.cwd(), "Newer", file="9")
    git(Path.cwd(), "update-ref", "refs/heads/main", commits[0])
    found = find_merge_base(newer, "main")
    assert found is not None
    assert found.commit == commits[0]
    far = find_merge_base(commits[2], "main")
    assert far is not None
    assert far.commit == commits[2]  # merged at the remote


@pytest.mark.parametrize("ref", ["none", "", "--all", "-h", "a b"])
def test_what_git_does_not_know(commits: list[str], ref: str) -> None:
    assert find_ancestry(ref) is None
    assert find_merge_base(commits[0], ref or "none") is None
    assert find_merge_base("", "main") is None
