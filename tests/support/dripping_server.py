"""A server of which something always comes in time, and never all."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HEADERS = b"HTTP/1.1 200 OK\r\nX-Influxdb-Version: 1.8.10\r\nX-Drip: "
BODY = HEADERS + b"none\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
ENDLESS = HEADERS + b"none\r\nContent-Type: application/json\r\n\r\n"
_PAUSE_S = 0.05
_MOST = 400  # pieces: who waits without end gets an end, which is another than what is expected


@contextmanager
def dripping(head: bytes, tls: ssl.SSLContext | None = None) -> Iterator[int]:
    """The port of one that sends ``head`` at once, and then a space now and then."""
    over = threading.Event()

    def drip(connection: socket.socket) -> None:
        with suppress(OSError), connection:
            speaking = tls.wrap_socket(connection, server_side=True) if tls else connection
            with speaking:
                speaking.recv(1 << 16)
                speaking.sendall(head)
                for _ in range(_MOST):
                    if over.wait(_PAUSE_S):
                        return
                    speaking.sendall(b" ")

    def serve() -> None:
        with suppress(OSError):
            while not over.is_set():
                threading.Thread(target=drip, args=(listener.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            over.set()
            listener.shutdown(socket.SHUT_RDWR)


def certificate(folder: Path) -> tuple[Path, Path]:
    """One of 127.0.0.1 that vouches for itself, and its key."""
    made, key = folder / "certificate.pem", folder / "key.pem"
    command = f"""openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2
        -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -out {made} -keyout {key}"""
    subprocess.run(command.split(), check=True, capture_output=True)
    return made, key


def tls_of(made: Path, key: Path) -> ssl.SSLContext:
    """What a server with this certificate speaks."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)
    return context
