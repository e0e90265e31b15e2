"""Pages of a history over HTTP, for reading alone: the trends, the runs, the report of each."""

from __future__ import annotations

import base64
import hmac
import ipaddress
import logging
import re
import socket
from contextlib import suppress
from http import HTTPStatus

import uvicorn
from markupsafe import escape
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from iogate.cli.connections import MOST, Connection
from iogate.cli.fault import trace_fault
from iogate.cli.live import LiveHistory
from iogate.errors import IogateError, UsageError

_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def make_app(history: LiveHistory, token: str) -> ASGIApp:
    """The application; ``token`` is empty where none is asked for, which only an address of
    this machine may do."""

    def page(request: Request) -> Response:
        return _page(history, request)

    return Starlette(
        routes=[Route("/{path:path}", page, methods=["GET"])],
        middleware=[Middleware(_Guard, token=token), Middleware(GZipMiddleware, compresslevel=4)],
        exception_handlers={
            HTTPStatus.METHOD_NOT_ALLOWED: _not_allowed,
            HTTPStatus.INTERNAL_SERVER_ERROR: _failed,
        },
    )


def make_server(app: ASGIApp) -> uvicorn.Server:
    """What serves the application on a socket that listens: ``run(sockets=[…])``."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=Connection,
            access_log=False,  # the paths that people open are theirs
            log_config=None,
            log_level=logging.CRITICAL,
            lifespan="off",
            ws="none",
            proxy_headers=False,
            server_header=False,
            limit_concurrency=MOST,
            timeout_graceful_shutdown=1,
        )
    )


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens. OSError when the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=128)


def _page(history: LiveHistory, request: Request) -> Response:
    """The page of a path; of one that fails, the message."""
    try:
        page = history.page(request.path_params["path"])
    except UsageError as error:
        return _message(HTTPStatus.NOT_FOUND, error.what)
    except IogateError as error:
        told = f"{error.what}; {error.remedy}" if error.remedy else error.what
        return _message(HTTPStatus.SERVICE_UNAVAILABLE, told)
    if page is None:
        return _message(HTTPStatus.NOT_FOUND, "there is no such page")
    headers = {"ETag": f'"{page.tag}"'}
    if page.tag in request.headers.get("If-None-Match", ""):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return HTMLResponse(page.text.encode("utf-8", "replace"), headers=headers)


class _Guard:
    """Lets those pass who know the token, or where there is none come from this machine."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.lower().encode(), text.encode()) for name, text in _HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", ()), *added]}
            await send(message)

        refusal = self._refusal(Request(scope))
        await (refusal or self._app)(scope, receive, with_headers)

    def _refusal(self, request: Request) -> Response | None:
        if self._token:
            if _knows(self._token, request.headers.get("Authorization", "")):
                return None
            answer = _message(
                HTTPStatus.UNAUTHORIZED, "the token is the password; any name will do"
            )
            answer.headers["WWW-Authenticate"] = 'Basic realm="iogate", charset="UTF-8"'
            return answer
        if _names_this_machine(request.headers.get("Host", "")):
            return None
        # A page elsewhere may have had its name lead here, to read what only we may.
        return _message(HTTPStatus.FORBIDDEN, "this is only served to this machine, by its name")


_HOST = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<name>[A-Za-z0-9.-]+))(?::[0-9]{1,5})?")


def _names_this_machine(header: str) -> bool:
    found = _HOST.fullmatch(header)
    return found is not None and is_loopback((found["six"] or found["name"]).lower())


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


def _not_allowed(_: Request, __: Exception) -> Response:
    return _message(HTTPStatus.METHOD_NOT_ALLOWED, "nothing can be changed through this server")


def _failed(request: Request, error: Exception) -> Response:
    trace_fault(repr(request.url.path), error)
    return _message(
        HTTPStatus.INTERNAL_SERVER_ERROR, f"this page could not be made ({type(error).__name__})"
    )


def _message(status: HTTPStatus, text: str) -> Response:
    title = f"{status.value} {status.phrase}"
    return HTMLResponse(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f"<h1>{title}</h1><p>{escape(text)}</p></html>",
        status,
    )
