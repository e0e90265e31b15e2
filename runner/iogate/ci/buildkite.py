"""Buildkite. Variables: https://buildkite.com/docs/pipelines/environment-variables (2026-11)."""

from __future__ import annotations

from collections.abc import Mapping

from iogate.ci.numbers import number_of
from iogate.model.origin import Origin


def origin(variables: Mapping[str, str]) -> Origin | None:
    """See ``iogate.ci``. A build of a pull request of a fork calls its branch OWNER:BRANCH."""
    if variables.get("BUILDKITE") != "true":
        return None
    get = variables.get
    request = get("BUILDKITE_PULL_REQUEST", "false")
    return Origin(
        system="buildkite",
        event=get("BUILDKITE_SOURCE", ""),
        repository=get("BUILDKITE_REPO", ""),
        head_sha=get("BUILDKITE_COMMIT", ""),
        head_ref=get("BUILDKITE_BRANCH", "") if not get("BUILDKITE_TAG") else "",
        default_ref=get("BUILDKITE_PIPELINE_DEFAULT_BRANCH", ""),
        base_ref=get("BUILDKITE_PULL_REQUEST_BASE_BRANCH", ""),
        proposal=request not in ("", "false"),
        number=number_of(request),
        url=get("BUILDKITE_BUILD_URL", ""),
    )
