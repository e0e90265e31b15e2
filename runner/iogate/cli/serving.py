"""Pages of a history over HTTP, for reading alone: the list of runs, the report of each."""

from __future__ import annotations

import base64
import hmac
import ipaddress
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

from iogate.errors import IogateError, UsageError
from iogate.model.run import RunStatus
from iogate.pipeline import baseline_of
from iogate.store import open_store
from iogate_reports import render_report
from iogate_reports.runs import render_runs

LISTED = 200
REFRESH_S = 5
"""How often a page of a run in progress asks for itself again."""
_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """A page, and whether it will be another soon."""

    status: HTTPStatus
    text: str
    changing: bool = False


@dataclass(frozen=True, slots=True)
class Pages:
    """What there is to see in a history. It is opened for each page: what others write
    meanwhile is there the next time."""

    url: str | None

    def at(self, path: str) -> Answer:
        """The page of a path; of one that fails, the message."""
        try:
            if path in {"/", "/index.html"}:
                return self._runs()
            head, _, name = path.removeprefix("/").partition("/")
            if head == "runs" and name:
                return self._run(unquote(name))
        except UsageError as error:
            return _message(HTTPStatus.NOT_FOUND, error.what)
        except IogateError as error:
            return _message(HTTPStatus.SERVICE_UNAVAILABLE, error.what)
        return _message(HTTPStatus.NOT_FOUND, "there is no such page")

    def _runs(self) -> Answer:
        with closing(open_store(self.url)) as store:
            runs = store.runs(limit=LISTED)
        busy = any(run.status is RunStatus.RUNNING for run in runs)
        return Answer(HTTPStatus.OK, render_runs(runs), busy)

    def _run(self, name: str) -> Answer:
        with closing(open_store(self.url)) as store:
            run = store.run(name)
            baseline = tuple(baseline_of(run, store))
        text = render_report(run, baseline)
        return Answer(HTTPStatus.OK, text, run.status is RunStatus.RUNNING)


def make_server(host: str, port: int, pages: Pages, token: str) -> ThreadingHTTPServer:
    """A server that listens; ``token`` is empty where none is asked for, which only an address
    of this machine may do. OSError when the address cannot be had."""
    handler: Callable[..., Handler] = partial(Handler, pages=pages, token=token)
    server = ThreadingHTTPServer((host, port), handler)
    server.daemon_threads = True
    return server


class Handler(BaseHTTPRequestHandler):
    """GET and HEAD; everything else is refused by the base."""

    server_version = "iogate"
    sys_version = ""
    timeout = 30

    def __init__(self, *args: object, pages: Pages, token: str) -> None:
        self._pages = pages
        self._token = token
        super().__init__(*args)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer with the page."""
        self._send(self._answer(), body=True)

    def do_HEAD(self) -> None:
        """Answer as GET does, without the page."""
        self._send(self._answer(), body=False)

    def log_message(self, *_: object) -> None:
        """Nothing: the paths that people open are theirs."""

    def _answer(self) -> Answer:
        if self._token:
            if not _knows(self._token, self.headers.get("Authorization", "")):
                return _message(
                    HTTPStatus.UNAUTHORIZED, "the token is the password; any name will do"
                )
        elif not is_loopback(urlsplit(f"//{self.headers.get('Host', '')}").hostname or ""):
            # A page elsewhere may have had its name lead here, to read what only we may.
            return _message(
                HTTPStatus.FORBIDDEN, "this is only served to this machine, by its name"
            )
        return self._pages.at(urlsplit(self.path).path)

    def _send(self, answer: Answer, *, body: bool) -> None:
        data = answer.text.encode("utf-8", "replace")
        with suppress(ConnectionError, TimeoutError):  # who asked has gone
            self.send_response(answer.status)
            for name, value in _HEADERS.items():
                self.send_header(name, value)
            if answer.status is HTTPStatus.UNAUTHORIZED:
                self.send_header("WWW-Authenticate", 'Basic realm="iogate", charset="UTF-8"')
            if answer.changing:
                self.send_header("Refresh", str(REFRESH_S))
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if body:
                self.wfile.write(data)


def is_loopback(host: str) -> bool:
    """Whether an address or name can only mean this machine."""
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def _knows(token: str, given: str) -> bool:
    kind, _, value = given.partition(" ")
    if kind.lower() == "basic":
        try:
            value = base64.b64decode(value, validate=True).decode().partition(":")[2]
        except ValueError:
            return False
    return hmac.compare_digest(value.encode("utf-8", "replace"), token.encode("utf-8", "replace"))


def _message(status: HTTPStatus, text: str) -> Answer:
    from markupsafe import escape

    title = f"{status.value} {status.phrase}"
    return Answer(
        status,
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f"<h1>{title}</h1><p>{escape(text)}</p></html>",
    )
