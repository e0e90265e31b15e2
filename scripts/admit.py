#!/usr/bin/env python3
"""Say whether what a workflow runs for may be measured on the project's own host.

A branch of the project may, and so may a pull request from one. A pull request from a fork may when
a maintainer has given it the label `measure-SHA`, where SHA is its last commit, in full: the label
says that this commit was read, and says nothing of the next one. Nothing of the pull request is
read but the event's document, which GitHub writes.

in:  GITHUB_EVENT_NAME GITHUB_EVENT_PATH GITHUB_REPOSITORY GITHUB_SHA
out: sha, proposal and number, in GITHUB_OUTPUT

Exits 0 when it may, 1 when it may not, or cannot be told.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

SHA = re.compile(r"[0-9a-f]{40}")
OURS = ("push", "workflow_dispatch", "schedule")
LABEL = "measure-"


class DeniedError(Exception):
    """It may not be measured; the text says why, and what to do."""


def admitted(event: str, payload: dict[str, Any], repository: str, sha: str) -> dict[str, str]:
    """What is to be measured."""
    if event in OURS:
        return {"sha": checked(sha), "proposal": "false", "number": ""}
    if event != "pull_request_target":
        raise DeniedError(f"the event {event!r} is not one that is measured")
    request = payload["pull_request"]
    head, number = checked(request["head"]["sha"]), int(request["number"])
    home: Any = request["head"]["repo"]  # none: the fork is gone
    source = home["full_name"] if home else ""
    labels = [label["name"] for label in request.get("labels", ())]
    if source != repository and LABEL + head not in labels:
        raise DeniedError(
            f"pull request {number} comes from a fork, and nobody has allowed to measure {head}:"
            f" a maintainer who has read this commit gives it the label {LABEL}{head}"
        )
    return {"sha": head, "proposal": "true", "number": str(number)}


def checked(sha: Any) -> str:
    """The name of a commit, and nothing else."""
    if not isinstance(sha, str) or not SHA.fullmatch(sha):
        raise DeniedError(f"{sha!r} is not the name of a commit")
    return sha


def main() -> int:
    """Answer for this job."""
    get = os.environ.get
    try:
        payload = json.loads(Path(get("GITHUB_EVENT_PATH", "")).read_text(encoding="utf-8"))
        names = (get("GITHUB_REPOSITORY", ""), get("GITHUB_SHA", ""))
        answer = admitted(get("GITHUB_EVENT_NAME", ""), payload, *names)
    except DeniedError as error:
        print(f"::error title=not measured::{' '.join(str(error).split()).replace('%', '%25')}")
        return 1
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        print(f"::error title=not measured::the event cannot be read: {type(error).__name__}")
        return 1
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as out:
        out.writelines(f"{name}={value}\n" for name, value in answer.items())
    return 0


if __name__ == "__main__":
    sys.exit(main())
