#!/usr/bin/env python3
"""Post the comment of a run on its pull request, or replace the one that is there.

usage: post_comment.py COMMENT.md [NUMBER]

In a workflow that runs after another one (`workflow_run`), NUMBER is a file with the number of the
pull request, as that workflow kept it. It is believed only where the last commit of that pull
request is the one that the other workflow ran for.

Which comment is there is told by the marker in its first line, and by its author: a person may
write the marker too, and text of a person is never replaced. The token and where the pull request
is are read from the environment, as GitHub Actions sets it, and are not printed.

in: IOGATE_TOKEN GITHUB_REPOSITORY GITHUB_EVENT_PATH GITHUB_API_URL
    GITHUB_SERVER_URL GITHUB_RUN_ID      for the link to the workflow run

Exits 0 when the comment is there, or there is no pull request to have one; 1 when it could not be
posted.
"""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from types import FrameType
from typing import IO, Any
from urllib.parse import urlsplit

MARKER = re.compile(r"<!-- iogate-comment [0-9a-f]{16} -->")
LIMIT = 65_536  # characters that GitHub takes
PAGES = 30  # of 100 comments each
ANSWER_BYTES = 16 << 20
TIMEOUT_S = 30
ACTIONS = "github-actions[bot]"


class PostError(Exception):
    """The comment could not be posted; the text says why."""


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


class Api:
    """GitHub's REST interface, as far as comments need it."""

    def __init__(self, url: str, token: str) -> None:
        if urlsplit(url).scheme not in {"https", "http"}:
            raise PostError("GITHUB_API_URL is no address")
        self._url = url.rstrip("/")
        self._token = token
        self._opener = urllib.request.build_opener(Stay)

    def call(self, method: str, path: str, body: object = None) -> Any:
        """The answer as JSON. PostError with what the server said."""
        request = urllib.request.Request(  # noqa: S310 - its scheme was looked at
            self._url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self._token}",
                "Accept": "application/vnd.github+json",
                "X-GitHub-Api-Version": "2022-11-28",
                "Content-Type": "application/json",
                "User-Agent": "iogate",
            },
        )
        try:
            with at_most(TIMEOUT_S), self._opener.open(request, timeout=TIMEOUT_S) as answer:
                return json.loads(answer.read(ANSWER_BYTES))
        except urllib.error.HTTPError as error:
            raise PostError(f"{method} {path}: {error.code} {error.reason}") from None
        except (OSError, HTTPException, ValueError) as error:
            raise PostError(f"{method} {path}: {error}") from None

    def pages(self, path: str) -> Iterator[Any]:
        """The items of a list, page by page."""
        for page in range(1, PAGES + 1):
            comments = self.call("GET", f"{path}?per_page=100&page={page}")
            yield from comments
            if len(comments) < 100:
                return


def login(api: Api) -> str:
    """Whose token it is. The one that Actions makes may not ask."""
    try:
        return str(api.call("GET", "/user")["login"])
    except PostError:
        return ACTIONS


def former(api: Api, comments: str, marker: str) -> int | None:
    """The id of our comment with this marker; None where there is none."""
    author = ""
    for comment in api.pages(comments):
        if str(comment.get("body") or "").startswith(marker):
            author = author or login(api)
            if (comment.get("user") or {}).get("login") == author:
                return int(comment["id"])
    return None


def pull_request(api: Api, repository: str, named: str) -> int | None:
    """The number of the pull request that the workflow runs for; ``named`` is what the workflow
    before it says."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    if before := event.get("workflow_run"):
        return checked(api, repository, named.strip(), str(before["head_sha"]))
    number = (event.get("pull_request") or {}).get("number")
    return int(number) if number else None


def checked(api: Api, repository: str, number: str, sha: str) -> int:
    """The number, where that pull request is at the commit that was measured."""
    if not re.fullmatch(r"[1-9][0-9]{0,9}", number):
        raise PostError("what was kept names no pull request")
    head = api.call("GET", f"/repos/{repository}/pulls/{number}")["head"]["sha"]
    if head != sha:
        raise PostError(
            f"the last commit of pull request {number} is not the one that was measured"
        )
    return int(number)


def body_of(text: str) -> str:
    """The comment with a link to the workflow run, where the report is."""
    server, run = os.environ.get("GITHUB_SERVER_URL"), os.environ.get("GITHUB_RUN_ID", "")
    if server and run.isdigit():
        link = f"{server}/{os.environ['GITHUB_REPOSITORY']}/actions/runs/{run}"
        text += f"\n[The whole report and what was measured]({link}) are kept with the run.\n"
    if len(text) > LIMIT:
        raise PostError(f"the comment has {len(text)} characters, and GitHub takes {LIMIT}")
    return text


def post(text: str, named: str = "") -> str:
    """Post or replace; what was done, in a sentence."""
    marker = text.partition("\n")[0]
    if not MARKER.fullmatch(marker):
        raise PostError("the file has no marker in its first line")
    repository = os.environ["GITHUB_REPOSITORY"]
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
        raise PostError("GITHUB_REPOSITORY is no repository")
    api = Api(
        os.environ.get("GITHUB_API_URL", "https://api.github.com"), os.environ["IOGATE_TOKEN"]
    )
    number = pull_request(api, repository, named)
    if number is None:
        return "no comment: this is no run for a pull request"
    issues = f"/repos/{repository}/issues"
    body = {"body": body_of(text)}
    there = former(api, f"{issues}/{number}/comments", marker)
    if there is None:
        api.call("POST", f"{issues}/{number}/comments", body)
        return f"commented on pull request {number}"
    api.call("PATCH", f"{issues}/comments/{there}", body)
    return f"replaced the comment on pull request {number}"


def read(path: str) -> str:
    """The text of the comment: a regular file, no link, and no more than can be posted."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise PostError(f"{path} is no regular file")
        return file.read(4 * LIMIT + 1).decode("utf-8")


def main() -> int:
    """Post the file that is named."""
    try:
        print(post(*map(read, sys.argv[1:])))
    except (PostError, OSError, ValueError) as error:
        why = " ".join(f"the comment was not posted: {error}".split()).replace("%", "%25")
        print(f"::warning title=iogate::{why}")
        return 1
    except KeyError as error:
        print(f"::warning title=iogate::the comment was not posted: {error} is not set")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
