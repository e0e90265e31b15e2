"""Jenkins, with multibranch pipelines for changes. Variables: the page ``/env-vars.html`` of a
Jenkins, and https://plugins.jenkins.io/git (2026-11).

Jenkins does not name the last commit of a change that it tests merged: let it test the change as it
is (strategy "The current pull request revision").
"""

from __future__ import annotations

from collections.abc import Mapping

from iogate.ci.numbers import number_of
from iogate.model.origin import Origin


def origin(variables: Mapping[str, str]) -> Origin | None:
    """See ``iogate.ci``."""
    if not variables.get("JENKINS_URL") or not variables.get("BUILD_URL"):
        return None
    get = variables.get
    proposal = bool(get("CHANGE_ID"))
    branch = get("BRANCH_NAME") or get("GIT_BRANCH", "").removeprefix("origin/")
    branch = "" if get("TAG_NAME") else branch
    return Origin(
        system="jenkins",
        event="change" if proposal else "build",
        repository=get("GIT_URL", ""),
        head_sha=get("GIT_COMMIT", ""),
        head_ref=get("CHANGE_BRANCH", branch) if proposal else branch,
        base_ref=get("CHANGE_TARGET", ""),
        proposal=proposal,
        number=number_of(get("CHANGE_ID", "")),
        url=get("BUILD_URL", ""),
    )
