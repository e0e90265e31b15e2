"""GitHub Actions, and what runs the same workflows (Gitea, Forgejo).

Variables: https://docs.github.com/en/actions/reference/workflows-and-actions/variables, of the
event: https://docs.github.com/en/webhooks/webhook-events-and-payloads (2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iogate.files import bounded
from iogate.model.origin import Origin

_PAYLOAD_BYTES = 32 << 20  # GitHub sends at most 25 MB
_HEADS = "refs/heads/"


def origin(variables: Mapping[str, str]) -> Origin | None:
    """See ``iogate.ci``."""
    if variables.get("GITHUB_ACTIONS") != "true":
        return None
    get = variables.get
    event = get("GITHUB_EVENT_NAME", "")
    repository = get("GITHUB_REPOSITORY", "")
    known = {
        "system": "github",
        "event": event,
        "repository": repository,
        "head_sha": get("GITHUB_SHA", ""),
        "head_ref": get("GITHUB_REF_NAME", "") if get("GITHUB_REF_TYPE") != "tag" else "",
        "url": _url(get("GITHUB_SERVER_URL", ""), repository, get("GITHUB_RUN_ID", "")),
    }
    payload = _payload(get("GITHUB_EVENT_PATH", ""))
    known["default_ref"] = _text(_part(payload, "repository"), "default_branch")
    return Origin(**{**known, **_of_event(event, payload, variables)})


def _url(server: str, repository: str, run: str) -> str:
    return f"{server}/{repository}/actions/runs/{run}" if server and repository and run else ""


def _of_event(
    event: str, payload: Mapping[str, Any], variables: Mapping[str, str]
) -> dict[str, Any]:
    """What is under test, where that is not what the variables name."""
    if event.startswith("pull_request"):
        request = _part(payload, "pull_request")
        head, base = _part(request, "head"), _part(request, "base")
        merged = variables.get("GITHUB_SHA", "")  # of pull_request_target: the base
        return {
            "head_sha": _text(head, "sha"),
            "merge_sha": merged if event == "pull_request" else "",
            "head_ref": _text(head, "ref") or variables.get("GITHUB_HEAD_REF", ""),
            "base_ref": _text(base, "ref") or variables.get("GITHUB_BASE_REF", ""),
            "proposal": True,
            "number": _number(request),
        }
    if event == "merge_group":
        group = _part(payload, "merge_group")
        return {
            "head_ref": _text(group, "head_ref").removeprefix(_HEADS),
            "base_ref": _text(group, "base_ref").removeprefix(_HEADS),
            "proposal": True,
        }
    if event == "workflow_run":
        return _of_workflow(_part(payload, "workflow_run"))
    return _of_discussion(event, payload)


def _of_discussion(event: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Of a job that somebody's words, or a check, about a pull request have started. Its variables
    name the main branch, and the payload of a comment no commit and no branch: what is checked
    out there may be the pull request, and is taken for it."""
    if event == "issue_comment" and "pull_request" in _part(payload, "issue"):
        number = _number(_part(payload, "issue"))
        return {"head_sha": "", "head_ref": "", "proposal": True, "number": number}
    if event in ("check_run", "check_suite"):
        check = _part(payload, event)
        suite = check if event == "check_suite" else _part(check, "check_suite")
        about = {**suite, **check, "event": "pull_request" if check.get("pull_requests") else ""}
        return _of_workflow(about) if about["event"] else {}
    return {}


def _of_workflow(run: Mapping[str, Any]) -> dict[str, Any]:
    """Of a job that was started by another one: what that one was about. GitHub does not name the
    pull request of a fork there."""
    requests = run.get("pull_requests")
    first = requests[0] if isinstance(requests, list) and requests else {}
    request = first if isinstance(first, dict) else {}
    return {
        "head_sha": _text(run, "head_sha"),
        "head_ref": _text(run, "head_branch"),
        "base_ref": _text(_part(request, "base"), "ref"),
        "proposal": _text(run, "event").startswith("pull_request"),
        "number": _number(request),
    }


def _payload(path: str) -> Mapping[str, Any]:
    """The event as GitHub sent it; empty where there is none to read."""
    try:
        document = bounded.read_json(path, _PAYLOAD_BYTES) if path else {}
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def _part(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = document.get(name)
    return part if isinstance(part, dict) else {}


def _text(document: Mapping[str, Any], name: str) -> str:
    text = document.get(name)
    return text if isinstance(text, str) else ""


def _number(request: Mapping[str, Any]) -> int:
    number = request.get("number")
    return number if isinstance(number, int) and number > 0 else 0
