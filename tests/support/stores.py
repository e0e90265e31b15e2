"""Where the contract suites find a fresh store of each kind in the registry."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from support.influx import SERVERS, InfluxServer


@cache
def shared_server(kind: str) -> InfluxServer:
    """The one server of its kind that all tests of this process share; started when it is
    first asked for."""
    folder = Path(tempfile.mkdtemp(prefix=f"iogate-test-{kind}-"))
    server = SERVERS[kind](folder)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    server.start()
    atexit.register(server.kill)
    return server


def _on_server(kind: str) -> Callable[[Path], str]:
    return lambda _folder: shared_server(kind).fresh()


URLS: dict[str, Callable[[Path], str]] = {
    "sqlite": lambda folder: f"sqlite://{folder}/history.db",
    "influxdb": _on_server("influxdb"),
    "influxdb1": _on_server("influxdb1"),
}
