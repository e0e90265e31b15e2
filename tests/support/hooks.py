"""A server that keeps what is posted to it, on a port of its own."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Posted:
    """What the server got, and what it answers."""

    url: str = ""
    documents: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    status: int = 200
    moved_to: str = ""


@contextmanager
def hook_server() -> Iterator[Posted]:
    """Its state, while it listens."""
    state = Posted()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            assert self.headers["Content-Type"].startswith("application/json")
            state.paths.append(self.path)
            if state.status < 300:
                state.documents.append(json.loads(body))
            self.send_response(state.status)
            if state.moved_to:
                self.send_header("Location", state.moved_to)
            self.end_headers()

        def do_GET(self) -> None:
            state.paths.append(f"GET {self.path}")
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
