"""A server that answers all that is asked with the same, whatever that is."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@contextmanager
def answering(
    pieces: Iterable[bytes], *, status: int = 200, headers: tuple[tuple[str, str], ...] = ()
) -> Iterator[int]:
    """The port of one that sends these pieces as far as anybody reads them."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            for name, text in headers:
                self.send_header(name, text)
            self.end_headers()
            with suppress(OSError):
                for piece in pieces:
                    self.wfile.write(piece)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
