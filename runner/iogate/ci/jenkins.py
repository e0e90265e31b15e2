"""Jenkins, with multibranch pipelines for changes. Variables: the page ``/env-vars.html`` of a
Jenkins, and https://plugins.jenkins.io/git (2026-11).

Jenkins does not name the last commit of a change that it tests merged: let it test the change as it
is (strategy "The current pull request revision"). The plugins for pull requests of GitHub
(ghprb) and for Gerrit have variables of their own.
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
    number = get("CHANGE_ID") or get("ghprbPullId") or _of_gerrit(variables)
    proposal = bool(number)
    branch = get("BRANCH_NAME") or get("GIT_BRANCH", "").removeprefix("origin/")
    branch = "" if get("TAG_NAME") else branch
    return Origin(
        system="jenkins",
        event="change" if proposal else "build",
        repository=get("GIT_URL", ""),
        head_sha=get("GIT_COMMIT", ""),
        head_ref=(get("CHANGE_BRANCH") or get("ghprbSourceBranch", branch)) if proposal else branch,
        base_ref=(get("CHANGE_TARGET") or get("ghprbTargetBranch") or get("GERRIT_BRANCH", ""))
        if proposal
        else "",
        proposal=proposal,
        number=number_of(number),
        url=get("BUILD_URL", ""),
    )


def _of_gerrit(variables: Mapping[str, str]) -> str:
    """The number of a change that is not merged, where Gerrit's plugin started the job."""
    merged = variables.get("GERRIT_EVENT_TYPE") in ("change-merged", "ref-updated")
    return "" if merged else variables.get("GERRIT_CHANGE_NUMBER", "")
