"""A server that keeps comments of pull requests as GitHub's does, on a port of its own."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "t0ken"


@dataclass
class Comments:
    """What the server holds, and how it behaves: ``status`` is its answer to writes."""

    url: str = ""
    kept: list[dict[str, Any]] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    me: str = "github-actions[bot]"
    may_ask_who: bool = False
    status: int = 200
    moved_to: str = ""
    heads: dict[int, str] = field(default_factory=dict)  # the last commit of each pull request

    def add(self, body: str, author: str) -> int:
        self.kept.append({"id": len(self.kept) + 1, "body": body, "user": {"login": author}})
        return len(self.kept)


class Handler(BaseHTTPRequestHandler):
    """Answers for the state of its class."""

    state: Comments

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if not self._taken():
            return
        if address.path == "/user":
            self._answer(200, {"login": self.state.me}) if self.state.may_ask_who else self._answer(
                403
            )
            return
        if "/pulls/" in address.path:
            sha = self.state.heads.get(int(address.path.rpartition("/")[2]))
            self._answer(200, {"head": {"sha": sha}}) if sha else self._answer(404)
            return
        page = int(parse_qs(address.query)["page"][0])
        self._answer(200, self.state.kept[(page - 1) * 100 : page * 100])

    def do_POST(self) -> None:
        if self._taken() and self._writable():
            self.state.add(self._body(), self.state.me)
            self._answer(201, self.state.kept[-1])

    def do_PATCH(self) -> None:
        if self._taken() and self._writable():
            comment = self.state.kept[int(self.path.rpartition("/")[2]) - 1]
            comment["body"] = self._body()
            self._answer(200, comment)

    def _taken(self) -> bool:
        self.state.seen.append(f"{self.command} {self.path}")
        if self.state.moved_to:
            self.send_response(302)
            self.send_header("Location", self.state.moved_to)
            self.end_headers()
        elif self.headers["Authorization"] != f"Bearer {TOKEN}":
            self._answer(401)
        else:
            return True
        return False

    def _writable(self) -> bool:
        if self.state.status >= 400:
            self._answer(self.state.status)
        return self.state.status < 400

    def _body(self) -> str:
        length = int(self.headers["Content-Length"])
        return str(json.loads(self.rfile.read(length))["body"])

    def _answer(self, status: int, value: object = None) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(value or {} if value != [] else []).encode())

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[Comments]:
    """The server, while the block runs."""
    state = Comments()

    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Own", (Handler,), {"state": state}))
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
