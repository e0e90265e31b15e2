"""A ProxyCommand that holds back what goes through it: relay.py HOST PORT MILLISECONDS."""

from __future__ import annotations

import os
import queue
import socket
import sys
import threading
import time
from collections.abc import Callable


def passed_on(read: Callable[[], bytes], write: Callable[[bytes], object], delay_s: float) -> None:
    """Until the end: each part so much later than it came, and as many at once as there are."""
    parts: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()

    def take() -> None:
        data = b"-"
        while data:
            data = read()
            parts.put((time.monotonic() + delay_s, data))

    threading.Thread(target=take, daemon=True).start()
    while True:
        due, data = parts.get()
        time.sleep(max(due - time.monotonic(), 0.0))
        if not data:
            return
        write(data)


def main() -> None:
    """Both directions, until either ends."""
    host, port, milliseconds = sys.argv[1:]
    delay_s = float(milliseconds) / 1000
    line = socket.create_connection((host, int(port)))
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def out(data: bytes) -> None:
        while data:
            data = data[os.write(1, data) :]

    def up() -> None:
        passed_on(lambda: os.read(0, 65536), line.sendall, delay_s)
        line.shutdown(socket.SHUT_WR)

    threading.Thread(target=up, daemon=True).start()
    passed_on(lambda: line.recv(65536), out, delay_s)


if __name__ == "__main__":
    main()
