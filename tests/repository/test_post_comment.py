"""The comment on a pull request: one, replaced and never another's, without harm to the gate."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from repository.tree import ROOT
from support.comments import TOKEN, Comments, serving

MARKER = "<!-- iogate-comment 0123456789abcdef -->"
OTHER = "<!-- iogate-comment fedcba9876543210 -->"
BOT = "github-actions[bot]"


@pytest.fixture
def comments() -> Iterator[Comments]:
    with serving() as found:
        yield found


def post(
    tmp_path: Path,
    comments: Comments,
    text: str = "pass",
    *,
    marker: str = MARKER,
    **env: str,
) -> subprocess.CompletedProcess[str]:
    (tmp_path / "comment.md").write_text(f"{marker}\n{text}\n")
    event = tmp_path / "event.json"
    if not event.exists():
        event.write_text(json.dumps({"pull_request": {"number": 7}}))
    environment = {
        "PATH": "/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
        "IOGATE_TOKEN": TOKEN,
        "GITHUB_REPOSITORY": "some/disk",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_API_URL": comments.url,
        "GITHUB_SERVER_URL": "https://git.example",
        "GITHUB_RUN_ID": "4711",
        **env,
    }
    script = ROOT / "scripts" / "post_comment.py"
    done = subprocess.run(
        [sys.executable, script, tmp_path / "comment.md", *tmp_path.glob("pull-request")],
        capture_output=True, text=True, check=False, env=environment, timeout=60,
    )  # fmt: skip
    assert TOKEN not in done.stdout + done.stderr
    return done


def test_the_second_run_replaces_the_comment_of_the_first(
    tmp_path: Path, comments: Comments
) -> None:
    first = post(tmp_path, comments, "fail")
    second = post(tmp_path, comments, "pass")
    assert (first.returncode, second.returncode) == (0, 0), first.stdout + second.stdout
    (kept,) = comments.kept
    assert kept["body"].startswith(f"{MARKER}\npass\n")
    assert "https://git.example/some/disk/actions/runs/4711" in kept["body"]
    assert "POST /repos/some/disk/issues/7/comments" in comments.seen
    assert comments.seen[-1] == "PATCH /repos/some/disk/issues/comments/1"


def test_another_spec_has_a_comment_of_its_own(tmp_path: Path, comments: Comments) -> None:
    post(tmp_path, comments)
    post(tmp_path, comments, marker=OTHER)
    assert [one["body"][: len(MARKER)] for one in comments.kept] == [MARKER, OTHER]


def test_it_is_found_behind_many_others(tmp_path: Path, comments: Comments) -> None:
    for number in range(150):
        comments.add(f"remark {number}", "somebody")
    mine = comments.add(f"{MARKER}\nold", BOT)
    for number in range(60):
        comments.add(f"remark {number}", "somebody")
    assert post(tmp_path, comments).returncode == 0
    assert len(comments.kept) == 211
    assert comments.kept[mine - 1]["body"].startswith(f"{MARKER}\npass")


@pytest.mark.parametrize("body", [f"{MARKER}\nmine", f"they said:\n{MARKER}"])
def test_what_a_person_wrote_stays(tmp_path: Path, comments: Comments, body: str) -> None:
    comments.add(body, "somebody")
    assert post(tmp_path, comments).returncode == 0
    assert comments.kept[0]["body"] == body
    assert len(comments.kept) == 2


def test_a_token_of_an_account_replaces_its_own(tmp_path: Path, comments: Comments) -> None:
    comments.me, comments.may_ask_who = "lab-robot", True
    comments.add(f"{MARKER}\nof another", BOT)
    comments.add(f"{MARKER}\nold", "lab-robot")
    assert post(tmp_path, comments).returncode == 0
    assert [one["body"].splitlines()[1] for one in comments.kept] == ["of another", "pass"]


def test_without_a_pull_request_nothing_is_asked(tmp_path: Path, comments: Comments) -> None:
    (tmp_path / "event.json").write_text('{"inputs": {}}')
    done = post(tmp_path, comments)
    assert done.returncode == 0
    assert "no run for a pull request" in done.stdout
    assert comments.seen == []


@pytest.mark.parametrize("status", [403, 404, 422, 500])
def test_a_refusal_is_a_warning_in_one_line(
    tmp_path: Path, comments: Comments, status: int
) -> None:
    comments.status = status
    done = post(tmp_path, comments)
    assert done.returncode == 1
    (line,) = done.stdout.splitlines()
    assert line.startswith("::warning title=iogate::the comment was not posted: POST ")
    assert str(status) in line


def test_the_token_follows_no_redirect(tmp_path: Path, comments: Comments) -> None:
    with serving() as elsewhere:
        comments.moved_to = elsewhere.url
        assert post(tmp_path, comments).returncode == 1
        assert elsewhere.seen == []


@pytest.mark.parametrize(
    "env",
    [
        {"GITHUB_API_URL": "http://127.0.0.1:1"},
        {"GITHUB_API_URL": "file:///etc/passwd"},
        {"GITHUB_REPOSITORY": "../../x?y"},
        {"GITHUB_EVENT_PATH": "/nowhere"},
        {"IOGATE_TOKEN": "a\nb"},
    ],
    ids=lambda env: next(iter(env)),
)
def test_what_is_wrong_is_said(tmp_path: Path, comments: Comments, env: dict[str, str]) -> None:
    done = post(tmp_path, comments, **env)
    assert done.returncode == 1
    assert done.stdout.startswith("::warning title=iogate::the comment was not posted: ")
    assert done.stderr == ""
    assert comments.kept == []


def test_a_file_without_a_marker_is_not_posted(tmp_path: Path, comments: Comments) -> None:
    assert post(tmp_path, comments, marker="## pass").returncode == 1
    assert comments.seen == []


def test_a_text_too_long_is_not_posted(tmp_path: Path, comments: Comments) -> None:
    assert post(tmp_path, comments, "x" * 66_000).returncode == 1
    assert comments.kept == []


@pytest.mark.parametrize(
    ("number", "head", "posted"),
    [
        ("7\n", "a" * 40, True),
        ("7\n", "b" * 40, False),
        ("8\n", "a" * 40, False),
        ("7/../8", "a" * 40, False),
        ("0", "a" * 40, False),
        ("", "a" * 40, False),
    ],
)
def test_a_workflow_after_another_comments_only_on_the_commit_that_was_measured(
    tmp_path: Path, comments: Comments, number: str, head: str, posted: bool
) -> None:
    """GitHub does not name the pull request of a fork there: what was kept does."""
    comments.heads[7] = head
    (tmp_path / "event.json").write_text(json.dumps({"workflow_run": {"head_sha": "a" * 40}}))
    (tmp_path / "pull-request").write_text(number)
    done = post(tmp_path, comments)
    assert done.returncode == (0 if posted else 1), done.stdout
    assert len(comments.kept) == posted
    (tmp_path / "pull-request").unlink()
    without = post(tmp_path, comments)
    assert without.returncode == 1
    assert "names no pull request" in without.stdout
