"""Real InfluxDB servers on private ports: 1.6 of the distribution, 2.7 from the tool cache.

Each lives in a folder of its own and ends with this process.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
import uuid
from pathlib import Path
from typing import ClassVar
from urllib.error import URLError

import pytest

from iogate.store.influx.address import parse_address
from iogate.store.influx.v1 import FORM as FORM1
from iogate.store.influx.v1 import Server1
from iogate.store.influx.v2 import FORM as FORM2
from iogate.store.influx.v2 import Server2
from iogate.store.server import Server

INFLUX2_VERSION = "2.7.12"
TOKEN = "token-of-the-tests"
ORGANIZATION = "team"
SKIP = "IOGATE_SKIP_INFLUX2"
_CONFIGURATION = """
reporting-disabled = true
bind-address = "127.0.0.1:{other_port}"
[meta]
dir = "{folder}/meta"
[data]
dir = "{folder}/data"
wal-dir = "{folder}/wal"
query-log-enabled = false
[monitor]
store-enabled = false
[http]
bind-address = "127.0.0.1:{port}"
log-enabled = false
{more}
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    return port


class InfluxServer:
    """One server. ``start`` after ``kill`` or ``stop`` goes on with the same data."""

    kind: ClassVar[str]
    ready: ClassVar[str]

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def start(self) -> None:
        command = ["setpriv", "--pdeathsig", "KILL", *self._command()]  # which may skip the test
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + 120
        while not self._answers():
            assert self._process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.05)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """It accepts connections and answers nothing, until it is thawed."""
        os.kill(self.running.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.running.pid, signal.SIGCONT)

    def fresh(self) -> str:
        """The URL of a new, empty history."""
        raise NotImplementedError

    @staticmethod
    def client(url: str) -> Server:
        """Its own client, for questions that a store does not answer."""
        raise NotImplementedError

    def call(self, path: str, body: str | None = None, **headers: str) -> bytes:
        data = None if body is None else body.encode()
        request = urllib.request.Request(f"{self.scheme}://127.0.0.1:{self.port}{path}", data)
        for name, value in headers.items():
            request.add_header(name, value)
        with urllib.request.urlopen(request, timeout=30) as answer:
            content: bytes = answer.read()
        return content

    scheme = "http"

    def _command(self) -> list[str]:
        raise NotImplementedError

    def _answers(self) -> bool:
        try:
            self.call(self.ready)
        except (URLError, OSError):
            return False
        return True

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(60)
            self._process = None


class Influx1(InfluxServer):
    """``apt-get install influxdb``."""

    kind = "influxdb1"
    ready = "/ping"

    def __init__(self, folder: Path, more: str = "") -> None:
        super().__init__(folder)
        self._more = more

    def fresh(self) -> str:
        name = f"history_{uuid.uuid4().hex[:12]}"
        self.call(f"/query?q=CREATE+DATABASE+{name}", "")
        return f"influxdb1://127.0.0.1:{self.port}/{name}"

    @staticmethod
    def client(url: str) -> Server:
        return Server1(parse_address(url, FORM1))

    def _command(self) -> list[str]:
        configuration = self.folder / "influxdb.conf"
        configuration.write_text(
            _CONFIGURATION.format(
                folder=self.folder, port=self.port, other_port=free_port(), more=self._more
            )
        )
        return [_influx1(), "run", "-config", str(configuration)]


class Influx2(InfluxServer):
    """Built by scripts/test into the cache of tools."""

    kind = "influxdb"
    ready = "/health"

    def start(self) -> None:
        super().start()
        if not (self.folder / "is-set-up").exists():
            answer = {
                "username": "tester",
                "password": "password-of-the-tests",
                "org": ORGANIZATION,
                "bucket": "first",
                "token": TOKEN,
            }
            self.call("/api/v2/setup", json.dumps(answer))
            (self.folder / "is-set-up").touch()

    def fresh(self, *, retention_s: int = 0) -> str:
        name = f"history_{uuid.uuid4().hex[:12]}"
        login = {"Authorization": f"Token {TOKEN}"}
        found = json.loads(self.call(f"/api/v2/orgs?org={ORGANIZATION}", **login))
        rules = [{"type": "expire", "everySeconds": retention_s}] if retention_s else []
        body = {"orgID": found["orgs"][0]["id"], "name": name, "retentionRules": rules}
        self.call("/api/v2/buckets", json.dumps(body), **login)
        return self.url(name)

    def url(self, bucket: str, *, token: str = TOKEN) -> str:
        return f"influxdb://:{token}@127.0.0.1:{self.port}/{ORGANIZATION}/{bucket}"

    @staticmethod
    def client(url: str) -> Server:
        return Server2(parse_address(url, FORM2))

    def _command(self) -> list[str]:
        return [
            _influx2(),
            f"--http-bind-address=127.0.0.1:{self.port}",
            f"--bolt-path={self.folder}/bolt",
            f"--sqlite-path={self.folder}/sqlite",
            f"--engine-path={self.folder}/engine",
            "--reporting-disabled",
            "--ui-disabled",
            "--log-level=warn",
        ]


SERVERS: dict[str, type[InfluxServer]] = {"influxdb": Influx2, "influxdb1": Influx1}


def _influx1() -> str:
    found = shutil.which("influxd")
    if found is None:
        pytest.fail("no InfluxDB 1.6 here: scripts/test installs it (apt-get install influxdb)")
    return found


def _influx2() -> str:
    """Loud where it is missing: a suite that leaves it out quietly proves nothing."""
    if os.environ.get(SKIP) == "1":
        pytest.skip(f"InfluxDB {INFLUX2_VERSION} is left out: {SKIP}=1")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    found = cache / f"iogate-tools/influxd-v{INFLUX2_VERSION}/influxd"
    if not found.exists():
        pytest.fail(
            f"InfluxDB {INFLUX2_VERSION} is not in {found}: scripts/test builds it there. To go"
            f" on without it, set {SKIP}=1"
        )
    return str(found)
