"""GitLab CI. Variables: https://docs.gitlab.com/ci/variables/predefined_variables (2026-11)."""

from __future__ import annotations

from collections.abc import Mapping

from iogate.ci.numbers import number_of
from iogate.model.origin import Origin


def origin(variables: Mapping[str, str]) -> Origin | None:
    """See ``iogate.ci``. Where results of a merge are tested, the commit is the one before it."""
    if variables.get("GITLAB_CI") != "true":
        return None

    def get(*names: str) -> str:
        return next((variables[name] for name in names if variables.get(name)), "")

    tag = bool(get("CI_COMMIT_TAG"))
    number = number_of(get("CI_MERGE_REQUEST_IID", "CI_EXTERNAL_PULL_REQUEST_IID"))
    return Origin(
        system="gitlab",
        event=get("CI_PIPELINE_SOURCE"),
        repository=get("CI_PROJECT_PATH"),
        head_sha=get(
            "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA",
            "CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_SHA",
            "CI_COMMIT_SHA",
        ),
        merge_sha=get("CI_COMMIT_SHA") if number else "",
        default_ref=get("CI_DEFAULT_BRANCH"),
        head_ref=""
        if tag
        else get(
            "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
            "CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_NAME",
            "CI_COMMIT_REF_NAME",
        ),
        base_ref=get(
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
            "CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME",
        ),
        proposal=number > 0,
        number=number,
        url=get("CI_JOB_URL", "CI_PIPELINE_URL"),
    )
