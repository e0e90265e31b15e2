"""TCP ports that a plan names, and all others, tried from the inside."""

from __future__ import annotations

import json
import socket
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from support.confining import confined, layers_of, place, plan_of
from support.devices import needs_root, sh

NOBODY = 65534
PYTHON = "/usr/bin/python3"
_LAYERS = ("landlock", "capabilities")
_TRY = """
import errno, socket, sys
what, port = sys.argv[1], int(sys.argv[2])
try:
    with socket.socket() as s:
        s.connect(("127.0.0.1", port)) if what == "connect" else s.bind(("0.0.0.0", port))
    print("done")
except OSError as error:
    print(errno.errorcode[error.errno])
"""

pytestmark = [
    needs_root,
    pytest.mark.skipif(not Path(PYTHON).exists(), reason=f"{PYTHON} is what is confined here"),
]


@pytest.fixture(autouse=True)
def _ports_are_held(engine: Path) -> None:
    if json.loads(confined_probe(engine))["landlock"] < 4:
        pytest.skip("this kernel's Landlock knows no ports: they are open, which the report says")


def confined_probe(engine: Path) -> str:
    return sh(str(engine), "--confine-probe")


@pytest.fixture
def public() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="iogate-confine-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


@pytest.fixture
def listeners() -> Iterator[tuple[int, int]]:
    """Two ports of this host that take connections."""
    made = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    with closing(made[0]) as one, closing(made[1]) as other:
        yield one.getsockname()[1], other.getsockname()[1]


def free_ports() -> tuple[int, int]:
    with closing(socket.socket()) as one, closing(socket.socket()) as other:
        one.bind(("", 0))
        other.bind(("", 0))
        return one.getsockname()[1], other.getsockname()[1]


def told(engine: Path, folder: Path, line: str, does: tuple[str, int], user: int | None) -> str:
    plan = plan_of(place(folder), layers=_LAYERS) + f"{line}\n"
    done = confined(engine, plan, PYTHON, "-I", "-c", _TRY, *map(str, does), user=user)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("user", [None, NOBODY], ids=["root", "nobody"])
def test_a_connection_goes_to_the_ports_of_the_plan_alone(
    engine: Path, public: Path, listeners: tuple[int, int], user: int | None
) -> None:
    one, other = listeners
    assert told(engine, public, f"connect tcp {one}", ("connect", one), user) == "done"
    assert told(engine, public, f"connect tcp {one}", ("connect", other), user) == "EACCES"
    assert told(engine, public, f"bind tcp {one}", ("connect", one), user) == "EACCES"
    assert told(engine, public, "", ("connect", one), user) == "EACCES"


@pytest.mark.parametrize("user", [None, NOBODY], ids=["root", "nobody"])
def test_connections_are_taken_on_the_ports_of_the_plan_alone(
    engine: Path, public: Path, user: int | None
) -> None:
    one, other = free_ports()
    assert told(engine, public, f"bind tcp {one}", ("bind", one), user) == "done"
    assert told(engine, public, f"bind tcp {one}", ("bind", other), user) == "EACCES"
    assert told(engine, public, f"connect tcp {one}", ("bind", one), user) == "EACCES"


def test_a_network_of_its_own_has_no_way_to_them(
    engine: Path, public: Path, listeners: tuple[int, int]
) -> None:
    plan = plan_of(place(public), layers=layers_of(None)) + f"connect tcp {listeners[0]}\n"
    done = confined(engine, plan, PYTHON, "-I", "-c", _TRY, "connect", str(listeners[0]))
    assert done.stdout.strip() in ("ENETUNREACH", "ECONNREFUSED", "EACCES")
