"""A history that is served, and what a client gets from it."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from iogate.cli.live import LiveHistory
from iogate.cli.serving import listen, make_app, make_server
from iogate.model.run import Run

Answer = tuple[int, str, http.client.HTTPMessage]


@contextmanager
def serving(
    url: str, token: str = "", seen: Callable[[Run], Run] = lambda run: run
) -> Iterator[int]:
    """The port on which the history is served."""
    server = make_server(make_app(LiveHistory(url, seen=seen), token))
    with listen("127.0.0.1", 0) as opened:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
        thread.start()
        try:
            yield opened.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


def ask(port: int, path: str, method: str = "GET", **headers: str) -> Answer:
    """Status, text and headers of the answer to one request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers=named)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), answer.headers
    finally:
        connection.close()
