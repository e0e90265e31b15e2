"""Connections of a spec that somebody trusts: our engine and real fio, with fio at the other end,
on this host alone."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from iogate.engine.launcher import find_layers
from iogate.sut.local import LocalSut

from .conftest import Iogate, wait_for

SPEC = """\
version: 1
name: wire
targets: {{ here: {{ directory: . }} }}
workloads:
  send:
    network: {{ {network} }}
    fio: {{ ioengine: net, protocol: tcp, rw: {rw}, size: 64k, bs: 4k, {options} }}
    repetitions: 1
"""
CLIENT = "hostname: 127.0.0.1, port: {port}"
pytestmark = pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")
each_engine = pytest.mark.parametrize("engine", ["native", "fio"])
needs_ports = pytest.mark.skipif(
    not (layers := find_layers(LocalSut())) or not layers.hold_ports,
    reason="this kernel's Landlock knows no ports",
)


def free_port() -> int:
    with closing(socket.socket()) as one:
        one.bind(("", 0))
        port: int = one.getsockname()[1]
        return port


def connecting(iogate: Iogate, port: int, declared: int | None = None) -> Path:
    network = f'connect: ["tcp://127.0.0.1:{declared or port}"]'
    return iogate.spec(SPEC.format(network=network, rw="write", options=CLIENT.format(port=port)))


def listens(port: int) -> bool:
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return any(
        line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A" for line in lines
    )


@contextmanager
def fio(*options: str) -> Iterator[subprocess.Popen[str]]:
    """fio, at the other end."""
    shared = (
        "--name=other",
        "--thread",
        "--ioengine=net",
        "--protocol=tcp",
        "--size=64k",
        "--bs=4k",
    )
    process = subprocess.Popen(
        ["fio", *shared, *options], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@each_engine
def test_a_trusted_spec_connects_where_it_says(iogate: Iogate, engine: str) -> None:
    port = free_port()
    spec = connecting(iogate, port)
    with fio("--rw=read", "--listen", f"--port={port}") as other:
        wait_for(lambda: listens(port))
        done = iogate("run", spec, "--engine", engine, "--trust")
        assert done.code == 0, done.text
        assert other.wait(timeout=60) == 0
    (found,) = iogate.run_document()["measurements"]
    assert found["jobs"][0]["directions"]["write"]["total_ios"] == 16
    assert f"tcp://127.0.0.1:{port}" in (iogate.latest / "report.html").read_text()


@each_engine
def test_a_trusted_spec_listens_where_it_says(iogate: Iogate, engine: str) -> None:
    port = free_port()
    spec = iogate.spec(
        SPEC.format(
            network=f'listen: ["tcp://*:{port}"]', rw="read", options=f"listen: 1, port: {port}"
        )
    )
    process = iogate.start("run", spec, "--engine", engine, "--trust")
    wait_for(lambda: listens(port) or process.poll() is not None)
    with fio("--rw=write", "--hostname=127.0.0.1", f"--port={port}") as other:
        done = iogate.end(process)
        assert done.code == 0, done.text
        assert other.wait(timeout=60) == 0


@each_engine
def test_nobody_connects_for_a_spec_that_nobody_trusts(iogate: Iogate, engine: str) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        server.settimeout(0.1)
        spec = connecting(iogate, server.getsockname()[1])
        done = iogate("run", spec, "--engine", engine)
        assert done.code == 3
        assert "opens connections: workloads.send.network" in done.err
        with pytest.raises(TimeoutError):
            server.accept()


@each_engine
def test_an_endpoint_that_is_not_declared_is_a_wrong_spec(iogate: Iogate, engine: str) -> None:
    done = iogate("run", connecting(iogate, 9001, 9000), "--engine", engine, "--trust")
    assert done.code == 2
    assert "reaches tcp://127.0.0.1:9001, which its workload does not declare" in done.err


@needs_ports
@each_engine
@pytest.mark.parametrize("confined", [True, False])
def test_the_kernel_alone_keeps_it_to_its_ports(
    iogate: Iogate, tmp_path: Path, confined: bool, engine: str
) -> None:
    """The runner's check is replaced; without the sandbox the connection comes."""
    (tmp_path / "replaced").mkdir()
    (tmp_path / "replaced/sitecustomize.py").write_text(
        "import iogate.spec.plan\niogate.spec.plan.check_network = lambda case, problems: None\n"
    )
    path = f"{tmp_path / 'replaced'}:{iogate.env['PYTHONPATH']}"
    more = [] if confined else ["--unconfined"]
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        server.settimeout(0.1)
        spec = connecting(iogate, server.getsockname()[1], free_port())
        done = iogate("run", spec, "--engine", engine, "--trust", *more, PYTHONPATH=path)
        assert done.code == 4 or not confined, done.text
        if confined:
            with pytest.raises(TimeoutError):
                server.accept()
        else:
            server.accept()[0].close()
