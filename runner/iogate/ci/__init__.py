"""What CI systems say of the job that asked for a run. The registry of them is this table.

Variables of the environment and the files that they name are read, and no server is asked. Branch
names and the like are whatever the author of a pull request called them.

To add a system: a row in ``others``, where plain variables say it all; else a file in this folder
with a function from the environment to an `Origin`, or None where the job is not one of that
system, and one line in ``SYSTEMS``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace

from iogate.ci import buildkite, github, gitlab, jenkins, others
from iogate.model.commit import is_commit
from iogate.model.origin import Origin

Variables = Mapping[str, str]

SYSTEMS: tuple[Callable[[Variables], Origin | None], ...] = (
    github.origin,
    gitlab.origin,
    buildkite.origin,
    jenkins.origin,
    others.origin,
)


def find_origin(variables: Variables | None = None) -> Origin | None:
    """Of the job that this process is part of; None outside of a CI system."""
    given = os.environ if variables is None else variables
    origins = (system(given) for system in SYSTEMS)
    found = next((origin for origin in origins if origin is not None), None)
    return _with_commits(found) if found else None


def _with_commits(origin: Origin) -> Origin:
    """Where it names no commit by its hash, it has not said which: Buildkite's may be HEAD, and
    whoever starts a build by hand writes what he likes."""
    head, merge = (sha if is_commit(sha) else "" for sha in (origin.head_sha, origin.merge_sha))
    return replace(origin, head_sha=head, merge_sha=merge)


def is_pull_request(environment: Mapping[str, str]) -> bool:
    """Whether a CI system says that it runs for a pull request, also where it says nothing else."""
    if (origin := find_origin(environment)) and origin.proposal:
        return True
    said = {
        "GITHUB_EVENT_NAME": ("pull_request", "pull_request_target", "merge_group"),
        "CI_PIPELINE_SOURCE": ("merge_request_event", "external_pull_request_event"),
    }
    if any(environment.get(name) in values for name, values in said.items()):
        return True
    numbers = ("CHANGE_ID", "BITBUCKET_PR_ID", "SYSTEM_PULLREQUEST_PULLREQUESTID")
    buildkite = environment.get("BUILDKITE_PULL_REQUEST", "false")
    return any(environment.get(name) for name in numbers) or buildkite != "false"
