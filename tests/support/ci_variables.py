"""The variables of CI systems, which say nothing of what a test runs."""

from __future__ import annotations

import os

_BEGINNINGS = (
    "GITHUB_",
    "GITLAB_",
    "CI_",
    "BUILDKITE",
    "JENKINS_",
    "CHANGE_",
    "BITBUCKET_",
    "CIRC",
    "CIRRUS_",
    "DRONE",
    "TRAVIS",
    "GERRIT_",
    "ghprb",
    "PULL_",
    "SYSTEM_PULLREQUEST_",
)
_NAMES = (
    "BUILD_URL",
    "BRANCH_NAME",
    "TAG_NAME",
    "GIT_BRANCH",
    "GIT_COMMIT",
    "GIT_URL",
    "TF_BUILD",
    "PROW_JOB_ID",
)


def leave_ci() -> None:
    """As outside of a CI system, from now on."""
    for name in list(os.environ):
        if name.startswith(_BEGINNINGS) or name in _NAMES:
            del os.environ[name]
