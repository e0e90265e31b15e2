"""What each CI system says of a job, from its own variables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from iogate.ci import find_origin, is_pull_request
from iogate.model.origin import Origin

HEAD, MERGE = "a" * 40, "b" * 40
GITHUB = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_REPOSITORY": "org/fs",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_RUN_ID": "77",
    "GITHUB_SHA": MERGE,
}
PAGE = "https://github.com/org/fs/actions/runs/77"
PULL = {
    "number": 12,
    "head": {"sha": HEAD, "ref": "quicker", "repo": {"full_name": "somebody/fs"}},
    "base": {"ref": "main", "sha": "c" * 40},
}


def github(folder: Path, event: str, payload: dict[str, Any], **more: str) -> Origin:
    path = folder / "event.json"
    path.write_text(json.dumps({"repository": {"default_branch": "main"}, **payload}))
    variables = {"GITHUB_EVENT_NAME": event, "GITHUB_EVENT_PATH": str(path)}
    origin = find_origin({**GITHUB, **variables, **more})
    assert origin is not None
    assert (origin.system, origin.repository, origin.url) == ("github", "org/fs", PAGE)
    assert origin.event == event
    return origin


@pytest.mark.parametrize("event", ["pull_request", "pull_request_target"])
def test_a_pull_request_is_its_own_commit_and_not_the_merge(tmp_path: Path, event: str) -> None:
    origin = github(
        tmp_path,
        event,
        {"pull_request": PULL},
        GITHUB_HEAD_REF="quicker",
        GITHUB_REF_NAME="12/merge",
    )
    assert (origin.head_sha, origin.head_ref, origin.base_ref) == (HEAD, "quicker", "main")
    assert (origin.proposal, origin.number, origin.mainlines) == (True, 12, ("main",))
    assert origin.merge_sha == (MERGE if event == "pull_request" else "")


def test_a_push_is_compared_with_its_branch_and_then_the_main_one(tmp_path: Path) -> None:
    origin = github(tmp_path, "push", {}, GITHUB_REF_NAME="topic", GITHUB_REF_TYPE="branch")
    assert (origin.head_sha, origin.proposal) == (MERGE, False)
    assert origin.mainlines == ("topic", "main")
    main = github(tmp_path, "schedule", {}, GITHUB_REF_NAME="main", GITHUB_REF_TYPE="branch")
    assert main.mainlines == ("main",)
    tag = github(tmp_path, "push", {}, GITHUB_REF_NAME="v1", GITHUB_REF_TYPE="tag")
    assert tag.mainlines == ()


def test_a_merge_queue_proposes(tmp_path: Path) -> None:
    group = {"head_ref": "refs/heads/gh-readonly-queue/main/pr-12", "base_ref": "refs/heads/main"}
    origin = github(tmp_path, "merge_group", {"merge_group": group})
    assert (origin.head_ref, origin.mainlines) == ("gh-readonly-queue/main/pr-12", ("main",))
    assert (origin.proposal, origin.head_sha) == (True, MERGE)


def test_a_workflow_after_another_is_about_what_that_was(tmp_path: Path) -> None:
    run: dict[str, Any] = {"event": "pull_request", "head_sha": HEAD, "head_branch": "main"}
    of_fork = github(tmp_path, "workflow_run", {"workflow_run": {**run, "pull_requests": []}})
    assert (of_fork.proposal, of_fork.head_sha, of_fork.mainlines) == (True, HEAD, ())
    known = github(tmp_path, "workflow_run", {"workflow_run": {**run, "pull_requests": [PULL]}})
    assert (known.number, known.mainlines) == (12, ("main",))


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("issue_comment", {"issue": {"number": 12, "pull_request": {"url": "x"}}}),
        ("pull_request_review", {"pull_request": PULL}),
        ("pull_request_review_comment", {"pull_request": PULL}),
        ("check_suite", {"check_suite": {"head_sha": HEAD, "pull_requests": [PULL]}}),
        ("check_run", {"check_run": {"head_sha": HEAD, "pull_requests": [PULL]}}),
    ],
)
def test_what_words_about_a_pull_request_start_is_no_level_of_main(
    tmp_path: Path, event: str, payload: dict[str, Any]
) -> None:
    """The variables of such a job name main; what it checks out is the pull request."""
    variables = {"GITHUB_REF_NAME": "main", "GITHUB_REF_TYPE": "branch"}
    origin = github(tmp_path, event, payload, **variables)
    assert (origin.proposal, origin.number) == (True, 12)
    assert origin.head_ref != "main"
    said = {**GITHUB, "GITHUB_EVENT_NAME": event, "GITHUB_EVENT_PATH": str(tmp_path / "event.json")}
    assert is_pull_request(said)


def test_words_about_an_issue_are_about_no_pull_request(tmp_path: Path) -> None:
    main = {"GITHUB_REF_NAME": "main", "GITHUB_REF_TYPE": "branch"}
    for event, payload in (("issue_comment", {"issue": {"number": 3}}), ("check_run", {})):
        assert github(tmp_path, event, payload, **main).mainlines == ("main",)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"pull_request": 3}', '{"pull_request": {"number": "x", "head": []}}']
)
def test_a_payload_of_another_form_is_no_fault(tmp_path: Path, text: str) -> None:
    path = tmp_path / "event.json"
    path.write_text(text)
    variables = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(path)}
    more = {"GITHUB_HEAD_REF": "quicker", "GITHUB_BASE_REF": "main"}
    origin = find_origin({**GITHUB, **variables, **more})
    assert origin is not None
    assert (origin.proposal, origin.number, origin.head_sha) == (True, 0, "")
    assert (origin.head_ref, origin.base_ref) == ("quicker", "main")
    assert find_origin({**GITHUB, **more, "GITHUB_EVENT_PATH": str(tmp_path / "none")})


OTHERS = {
    "gitlab merge request": (
        {
            "GITLAB_CI": "true",
            "CI_PIPELINE_SOURCE": "merge_request_event",
            "CI_PROJECT_PATH": "org/fs",
            "CI_COMMIT_SHA": MERGE,
            "CI_COMMIT_REF_NAME": "quicker",
            "CI_DEFAULT_BRANCH": "main",
            "CI_MERGE_REQUEST_IID": "12",
            "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": HEAD,
            "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "quicker",
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
            "CI_JOB_URL": "https://gitlab.example/jobs/1",
        },
        ("merge_request_event", HEAD, "quicker", True, 12, ("main",)),
    ),
    "gitlab push": (
        {
            "GITLAB_CI": "true",
            "CI_PIPELINE_SOURCE": "push",
            "CI_COMMIT_SHA": HEAD,
            "CI_COMMIT_REF_NAME": "topic",
            "CI_DEFAULT_BRANCH": "main",
        },
        ("push", HEAD, "topic", False, 0, ("topic", "main")),
    ),
    "gitlab tag": (
        {
            "GITLAB_CI": "true",
            "CI_COMMIT_SHA": HEAD,
            "CI_COMMIT_REF_NAME": "v1",
            "CI_COMMIT_TAG": "v1",
        },
        ("", HEAD, "", False, 0, ()),
    ),
    "buildkite pull request": (
        {
            "BUILDKITE": "true",
            "BUILDKITE_SOURCE": "webhook",
            "BUILDKITE_COMMIT": HEAD,
            "BUILDKITE_BRANCH": "somebody:main",
            "BUILDKITE_PULL_REQUEST": "12",
            "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main",
        },
        ("webhook", HEAD, "somebody:main", True, 12, ("main",)),
    ),
    "buildkite build": (
        {
            "BUILDKITE": "true",
            "BUILDKITE_SOURCE": "schedule",
            "BUILDKITE_COMMIT": HEAD,
            "BUILDKITE_BRANCH": "main",
            "BUILDKITE_PULL_REQUEST": "false",
            "BUILDKITE_PIPELINE_DEFAULT_BRANCH": "main",
        },
        ("schedule", HEAD, "main", False, 0, ("main",)),
    ),
    "jenkins change": (
        {
            "JENKINS_URL": "https://ci.example/",
            "BUILD_URL": "https://ci.example/job/1/",
            "GIT_COMMIT": HEAD,
            "BRANCH_NAME": "PR-12",
            "CHANGE_ID": "12",
            "CHANGE_BRANCH": "quicker",
            "CHANGE_TARGET": "main",
        },
        ("change", HEAD, "quicker", True, 12, ("main",)),
    ),
    "jenkins ghprb": (
        {
            "JENKINS_URL": "https://ci.example/",
            "BUILD_URL": "https://ci.example/job/1/",
            "GIT_COMMIT": HEAD,
            "GIT_BRANCH": "origin/main",
            "ghprbPullId": "12",
            "ghprbSourceBranch": "quicker",
            "ghprbTargetBranch": "main",
        },
        ("change", HEAD, "quicker", True, 12, ("main",)),
    ),
    "jenkins gerrit": (
        {
            "JENKINS_URL": "https://ci.example/",
            "BUILD_URL": "https://ci.example/job/1/",
            "GIT_COMMIT": HEAD,
            "GERRIT_CHANGE_NUMBER": "12",
            "GERRIT_EVENT_TYPE": "patchset-created",
            "GERRIT_BRANCH": "main",
        },
        ("change", HEAD, "", True, 12, ("main",)),
    ),
    "azure pull request": (
        {
            "TF_BUILD": "True",
            "BUILD_SOURCEVERSION": MERGE,
            "BUILD_SOURCEBRANCH": "refs/pull/12/merge",
            "SYSTEM_PULLREQUEST_PULLREQUESTID": "12",
            "SYSTEM_PULLREQUEST_SOURCECOMMITID": HEAD,
            "SYSTEM_PULLREQUEST_SOURCEBRANCH": "refs/heads/quicker",
            "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main",
        },
        ("pull request", HEAD, "quicker", True, 12, ("main",)),
    ),
    "azure build": (
        {"TF_BUILD": "True", "BUILD_SOURCEVERSION": HEAD, "BUILD_SOURCEBRANCH": "refs/heads/main"},
        ("build", HEAD, "main", False, 0, ("main",)),
    ),
    "bitbucket pull request": (
        {
            "BITBUCKET_BUILD_NUMBER": "3",
            "BITBUCKET_COMMIT": HEAD,
            "BITBUCKET_BRANCH": "quicker",
            "BITBUCKET_PR_ID": "12",
            "BITBUCKET_PR_DESTINATION_BRANCH": "main",
        },
        ("pull request", HEAD, "quicker", True, 12, ("main",)),
    ),
    "circleci pull request": (
        {
            "CIRCLECI": "true",
            "CIRCLE_SHA1": HEAD,
            "CIRCLE_BRANCH": "quicker",
            "CIRCLE_PULL_REQUEST": "https://github.com/org/fs/pull/12",
        },
        ("pull request", HEAD, "quicker", True, 12, ()),
    ),
    "cirrus pull request": (
        {
            "CIRRUS_CI": "true",
            "CIRRUS_PR": "12",
            "CIRRUS_CHANGE_IN_REPO": HEAD,
            "CIRRUS_BRANCH": "pull/12",
            "CIRRUS_BASE_BRANCH": "main",
        },
        ("pull request", HEAD, "pull/12", True, 12, ("main",)),
    ),
    "drone pull request": (
        {
            "DRONE": "true",
            "DRONE_PULL_REQUEST": "12",
            "DRONE_COMMIT_SHA": HEAD,
            "DRONE_BRANCH": "main",
            "DRONE_SOURCE_BRANCH": "quicker",
            "DRONE_TARGET_BRANCH": "main",
        },
        ("pull request", HEAD, "quicker", True, 12, ("main",)),
    ),
    "prow pull request": (
        {
            "PROW_JOB_ID": "x",
            "PULL_NUMBER": "12",
            "PULL_PULL_SHA": HEAD,
            "PULL_BASE_REF": "main",
            "PULL_HEAD_REF": "quicker",
        },
        ("pull request", HEAD, "quicker", True, 12, ("main",)),
    ),
    "travis pull request": (
        {
            "TRAVIS": "true",
            "TRAVIS_PULL_REQUEST": "12",
            "TRAVIS_PULL_REQUEST_SHA": HEAD,
            "TRAVIS_PULL_REQUEST_BRANCH": "quicker",
            "TRAVIS_BRANCH": "main",
        },
        ("pull request", HEAD, "quicker", True, 12, ("main",)),
    ),
    "travis build": (
        {
            "TRAVIS": "true",
            "TRAVIS_PULL_REQUEST": "false",
            "TRAVIS_COMMIT": HEAD,
            "TRAVIS_BRANCH": "main",
        },
        ("build", HEAD, "main", False, 0, ("main",)),
    ),
    "woodpecker pull request": (
        {
            "CI": "woodpecker",
            "CI_COMMIT_SHA": HEAD,
            "CI_COMMIT_BRANCH": "main",
            "CI_COMMIT_PULL_REQUEST": "12",
            "CI_COMMIT_SOURCE_BRANCH": "quicker",
            "CI_COMMIT_TARGET_BRANCH": "main",
        },
        ("pull request", HEAD, "quicker", True, 12, ("main",)),
    ),
    "jenkins build": (
        {
            "JENKINS_URL": "https://ci.example/",
            "BUILD_URL": "https://ci.example/job/1/",
            "GIT_COMMIT": HEAD,
            "GIT_BRANCH": "origin/main",
        },
        ("build", HEAD, "main", False, 0, ("main",)),
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_systems(name: str) -> None:
    variables, expected = OTHERS[name]
    origin = find_origin(variables)
    assert origin is not None
    assert origin.system == name.partition(" ")[0]
    found = (origin.event, origin.head_sha, origin.head_ref, origin.proposal, origin.number)
    assert (*found, origin.mainlines) == expected
    assert is_pull_request(variables) is origin.proposal


@pytest.mark.parametrize("variables", [{}, {"CI": "true"}, {"GITHUB_ACTIONS": "false"}])
def test_outside_of_a_ci_system_there_is_none(variables: dict[str, str]) -> None:
    assert find_origin(variables) is None


@pytest.mark.parametrize("said", ["HEAD", "origin/$(id)", "--help", "main", "abc123", "g" * 40])
def test_what_is_no_hash_names_no_commit(said: str) -> None:
    """It is Buildkite's word for the newest, and anything where somebody started a build by
    hand."""
    variables = {"BUILDKITE": "true", "BUILDKITE_COMMIT": said, "BUILDKITE_BRANCH": "main"}
    found = find_origin(variables)
    assert found is not None
    assert (found.head_sha, found.head_ref) == ("", "main")
