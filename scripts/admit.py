#!/usr/bin/env python3
"""Say whether what a workflow runs for may be measured on the project's own host.

A branch of the project may, and so may a pull request from one. A pull request from a fork may when
a maintainer has given it the label `measure-SHA`, where SHA is its last commit, in full: the label
says that this commit was read, and says nothing of the next one. It also may when a reviewer of the
environment that IOGATE_ENVIRONMENT names has approved this run with a comment that has this SHA and
no other: GitHub is asked, for a job of an environment that nobody guards has run unasked. Nothing
of the pull request is read but the event's document, which GitHub writes.

in:  GITHUB_EVENT_NAME GITHUB_EVENT_PATH GITHUB_REPOSITORY GITHUB_SHA
     IOGATE_ENVIRONMENT IOGATE_TOKEN GITHUB_API_URL GITHUB_RUN_ID      for approvals
out: sha, proposal and number, in GITHUB_OUTPUT

Exits 0 when it may, 1 when it may not, or cannot be told.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from types import FrameType
from typing import IO, Any
from urllib.parse import urlsplit

SHA = re.compile(r"[0-9a-f]{40}")
IN_A_COMMENT = re.compile(r"(?<![0-9a-zA-Z])[0-9a-f]{40}(?![0-9a-zA-Z])")
OURS = ("push", "workflow_dispatch", "schedule")
LABEL = "measure-"
ANSWER_BYTES = 1 << 20
TIMEOUT_S = 30


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
    ours = repository != "" and source == repository
    if not ours and LABEL + head not in labels and not approved(head, repository):
        raise DeniedError(
            f"pull request {number} comes from a fork, and nobody has allowed to measure {head}:"
            f" a maintainer who has read this commit gives it the label {LABEL}{head}"
            + or_approves()
        )
    return {"sha": head, "proposal": "true", "number": str(number)}


def approved(head: str, repository: str) -> bool:
    """Whether a reviewer has approved this run, and has said in a comment for which commit."""
    environment = os.environ.get("IOGATE_ENVIRONMENT", "")
    return environment != "" and any(
        review["state"] == "approved"
        and environment in [each["name"] for each in review["environments"]]
        and set(IN_A_COMMENT.findall(review["comment"])) == {head}
        for review in reviews(repository)
    )


def or_approves() -> str:
    """The other way, where there is one."""
    environment = os.environ.get("IOGATE_ENVIRONMENT", "")
    asked = f", or approves a run for the environment {environment} with this commit in the comment"
    return asked if environment else ""


class Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token would go with it."""

    def redirect_request(  # noqa: PLR0917 - as it is called
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> None:
        """Nothing to follow."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """TimeoutError after so long: the timeout of a socket is for each piece that comes."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"no whole answer within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def reviews(repository: str) -> list[dict[str, Any]]:
    """What reviewers of environments have said of this run. DeniedError without an answer."""
    url, run = os.environ["GITHUB_API_URL"], int(os.environ["GITHUB_RUN_ID"])
    if urlsplit(url).scheme not in {"https", "http"}:
        raise DeniedError("GITHUB_API_URL is no address")
    request = urllib.request.Request(  # noqa: S310 - its scheme was looked at
        f"{url.rstrip('/')}/repos/{repository}/actions/runs/{run}/approvals",
        headers={
            "Authorization": f"Bearer {os.environ['IOGATE_TOKEN']}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
            "User-Agent": "iogate",
        },
    )
    try:
        opener = urllib.request.build_opener(Stay)
        with at_most(TIMEOUT_S), opener.open(request, timeout=TIMEOUT_S) as answer:
            return list(json.loads(answer.read(ANSWER_BYTES)))
    except (OSError, HTTPException) as error:
        raise DeniedError(f"GitHub does not say who has approved this run: {error}") from None


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
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        print(f"::error title=not measured::the event cannot be read: {type(error).__name__}")
        return 1
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as out:
        out.writelines(f"{name}={value}\n" for name, value in answer.items())
    return 0


if __name__ == "__main__":
    sys.exit(main())
