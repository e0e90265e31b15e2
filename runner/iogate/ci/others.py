"""Systems that name what they test in plain variables, one row each: Azure Pipelines, Bitbucket,
CircleCI, Cirrus, Drone, Prow, Travis and Woodpecker, by their documentation (2026-11).

What a pull request measured there has to be known for such, or it would become a level of main.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from iogate.ci.numbers import number_of
from iogate.model.origin import Origin

_HEADS = "refs/heads/"
_NONE = ("", "false")  # a pull request that is none


@dataclass(frozen=True, slots=True)
class _System:
    """Names of variables. ``mark`` is set, to ``value`` where that is said, in each of its jobs,
    and ``request`` in those of a pull request: its number, or an address that ends with it."""

    name: str
    mark: str
    value: str
    request: tuple[str, ...]
    commit: tuple[str, ...]
    source: tuple[str, ...]
    branch: str
    target: str
    repository: str


_SYSTEMS = (
    _System(
        "azure", "TF_BUILD", "",
        ("SYSTEM_PULLREQUEST_PULLREQUESTNUMBER", "SYSTEM_PULLREQUEST_PULLREQUESTID"),
        ("SYSTEM_PULLREQUEST_SOURCECOMMITID", "BUILD_SOURCEVERSION"),
        ("SYSTEM_PULLREQUEST_SOURCEBRANCH",), "BUILD_SOURCEBRANCH",
        "SYSTEM_PULLREQUEST_TARGETBRANCH", "BUILD_REPOSITORY_NAME",
    ),
    _System(
        "bitbucket", "BITBUCKET_BUILD_NUMBER", "", ("BITBUCKET_PR_ID",), ("BITBUCKET_COMMIT",),
        ("BITBUCKET_BRANCH",), "BITBUCKET_BRANCH", "BITBUCKET_PR_DESTINATION_BRANCH",
        "BITBUCKET_REPO_FULL_NAME",
    ),
    _System(
        "circleci", "CIRCLECI", "true", ("CIRCLE_PULL_REQUEST", "CIRCLE_PR_NUMBER"),
        ("CIRCLE_SHA1",), ("CIRCLE_BRANCH",), "CIRCLE_BRANCH", "", "CIRCLE_PROJECT_REPONAME",
    ),
    _System(
        "cirrus", "CIRRUS_CI", "true", ("CIRRUS_PR",), ("CIRRUS_CHANGE_IN_REPO",),
        ("CIRRUS_BRANCH",), "CIRRUS_BRANCH", "CIRRUS_BASE_BRANCH", "CIRRUS_REPO_FULL_NAME",
    ),
    _System(
        "woodpecker", "CI", "woodpecker", ("CI_COMMIT_PULL_REQUEST",), ("CI_COMMIT_SHA",),
        ("CI_COMMIT_SOURCE_BRANCH",), "CI_COMMIT_BRANCH", "CI_COMMIT_TARGET_BRANCH", "CI_REPO",
    ),
    _System(
        "drone", "DRONE", "true", ("DRONE_PULL_REQUEST",), ("DRONE_COMMIT_SHA",),
        ("DRONE_SOURCE_BRANCH",), "DRONE_BRANCH", "DRONE_TARGET_BRANCH", "DRONE_REPO",
    ),
    _System(
        "prow", "PROW_JOB_ID", "", ("PULL_NUMBER",), ("PULL_PULL_SHA", "PULL_BASE_SHA"),
        ("PULL_HEAD_REF",), "PULL_BASE_REF", "PULL_BASE_REF", "REPO_NAME",
    ),
    _System(
        "travis", "TRAVIS", "true", ("TRAVIS_PULL_REQUEST",),
        ("TRAVIS_PULL_REQUEST_SHA", "TRAVIS_COMMIT"), ("TRAVIS_PULL_REQUEST_BRANCH",),
        "TRAVIS_BRANCH", "TRAVIS_BRANCH", "TRAVIS_REPO_SLUG",
    ),
)  # fmt: skip


def origin(variables: Mapping[str, str]) -> Origin | None:
    """See ``iogate.ci``."""
    found = next((each for each in _SYSTEMS if _is_of(each, variables)), None)
    return _origin(found, variables) if found else None


def _is_of(system: _System, variables: Mapping[str, str]) -> bool:
    said = variables.get(system.mark, "")
    return said.lower() == system.value if system.value else bool(said)


def _origin(system: _System, variables: Mapping[str, str]) -> Origin:
    def get(*names: str) -> str:
        return next((text for n in names if (text := variables.get(n, "")) not in _NONE), "")

    request = get(*system.request)
    proposal = bool(request)
    branch = get(*system.source) if proposal else get(system.branch)
    return Origin(
        system=system.name,
        event="pull request" if proposal else "build",
        repository=get(system.repository),
        head_sha=get(*system.commit),
        head_ref=branch.removeprefix(_HEADS) if not branch.startswith("refs/tags/") else "",
        base_ref=get(system.target).removeprefix(_HEADS) if proposal else "",
        proposal=proposal,
        number=number_of(request.rpartition("/")[2]),
    )
