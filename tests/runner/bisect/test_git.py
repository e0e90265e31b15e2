"""git bisect in a clone: the right commits, and nothing of a hostile repository runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.bisect.ends import Side
from iogate.bisect.git import GitSearch
from iogate.errors import UsageError
from support.repositories import commit, git


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return tmp_path / "repository"


@pytest.fixture
def commits(repository: Path) -> list[str]:
    return [commit(repository, f"Step {n}", state=f"{n}\n") for n in range(10)]


def opened(repository: Path, good: str, bad: str) -> GitSearch:
    return GitSearch(repository, repository.parent / "checkout", good, bad)


def searched(search: GitSearch, sides: dict[str, Side]) -> int:
    steps = 0
    while (build := search.next()) is not None:
        search.check_out(build)
        search.mark(build, sides[build])
        steps += 1
    return steps


@pytest.mark.parametrize("culprit", [1, 5, 9])
def test_the_culprit_is_found(repository: Path, commits: list[str], culprit: int) -> None:
    search = opened(repository, commits[0], "main")
    assert (search.good, search.bad) == (commits[0], commits[9])
    sides = {c: Side.BAD if n >= culprit else Side.GOOD for n, c in enumerate(commits)}
    assert searched(search, sides) <= 4
    assert search.result() == (commits[culprit],)
    assert search.subject(commits[culprit]) == f"Step {culprit}"


def test_each_commit_is_in_the_checkout_and_the_repository_is_left_alone(
    repository: Path, commits: list[str]
) -> None:
    (repository / "state").write_text("being edited\n")
    search = opened(repository, commits[0], commits[9])
    for number in (4, 7, 2):
        search.check_out(commits[number])
        assert (search.checkout / "state").read_text() == f"{number}\n"
    (search.checkout / "state").write_text("a build changed it\n")
    search.check_out(commits[5])
    assert (search.checkout / "state").read_text() == "5\n"
    assert (repository / "state").read_text() == "being edited\n"
    assert git(repository, "rev-parse", "--abbrev-ref", "HEAD") == "main"
    assert "bisect" not in git(repository, "for-each-ref")


def test_commits_that_cannot_be_told_leave_a_range(repository: Path, commits: list[str]) -> None:
    search = opened(repository, commits[0], commits[9])
    sides = {c: Side.BAD if n >= 6 else Side.GOOD for n, c in enumerate(commits)}
    searched(search, sides | {commits[5]: Side.UNCLEAR, commits[6]: Side.UNCLEAR})
    assert set(search.result()) == {commits[5], commits[6], commits[7]}


def test_two_neighbours_need_no_step(repository: Path, commits: list[str]) -> None:
    search = opened(repository, commits[3], commits[4])
    assert search.next() is None
    assert search.result() == (commits[4],)


@pytest.mark.parametrize("ref", ["nowhere", "--upload-pack=touch x", "-x", ""])
def test_a_ref_that_is_none_is_refused(repository: Path, commits: list[str], ref: str) -> None:
    with pytest.raises(UsageError, match="knows no commit"):
        opened(repository, commits[0], ref)


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        (9, 0, "--good and --bad are swapped"),
        (4, 4, "are the same commit"),
    ],
)
def test_ends_in_the_wrong_order_are_refused(
    repository: Path, commits: list[str], good: int, bad: int, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        opened(repository, commits[good], commits[bad])
    assert not (repository.parent / "checkout").exists()


def test_ends_on_two_branches_are_refused(repository: Path, commits: list[str]) -> None:
    git(repository, "checkout", "-q", "-b", "other", commits[3])
    other = commit(repository, "Elsewhere", state="other\n")
    with pytest.raises(UsageError, match="does not come after the good"):
        opened(repository, other, commits[9])


def test_a_folder_without_a_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        opened(tmp_path / "empty", "a", "b")


def test_nothing_of_a_hostile_repository_runs(repository: Path, tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    attributes = "* filter=evil diff=evil\n"
    modules = '[submodule "x"]\n\tpath = x\n\turl = ext::touch /tmp\n'
    first = commit(repository, "one", state="1\n", __gitattributes=attributes)
    commit(repository, "two", state="2\n", __gitmodules=modules)
    last = commit(repository, "three", state="3\n")
    touch = f"touch {trap}"
    for name in ("post-checkout", "reference-transaction", "pre-commit", "post-merge"):
        hook = repository / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\n{touch}\n")
        hook.chmod(0o755)
    for key in ("core.fsmonitor", "filter.evil.smudge", "filter.evil.clean", "diff.evil.textconv",
                "core.pager", "core.sshCommand", "uploadpack.packObjectsHook",
                "core.alternateRefsCommand", "gpg.program"):  # fmt: skip
        git(repository, "config", key, touch)
    trap.unlink(missing_ok=True)
    search = opened(repository, first, last)
    build = search.next()
    assert build is not None
    search.check_out(build)
    assert (search.checkout / "state").read_text() == "2\n"
    search.mark(build, Side.BAD)
    assert search.result() == (build,)
    assert not trap.exists()


def test_the_environment_of_a_hook_does_not_lead_elsewhere(
    repository: Path, commits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_WORK_TREE", "/nowhere")
    assert opened(repository, commits[0], commits[9]).next() in commits


@pytest.mark.parametrize("name", ["--force", "main", "-", "HEAD~1"])
def test_only_a_commit_is_checked_out(repository: Path, commits: list[str], name: str) -> None:
    search = opened(repository, commits[0], commits[9])
    with pytest.raises(UsageError, match="is no commit"):
        search.check_out(name)
