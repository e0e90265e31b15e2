"""Endpoints that a workload declares, and jobs that reach them."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.errors import SpecError
from iogate.model.plan import Plan
from iogate.model.spec import Endpoint
from iogate.spec.load import load_spec_text
from iogate.spec.plan import make_plan
from iogate.spec.trust import needs_trust

CLIENT = "ioengine: net, protocol: tcp, hostname: 192.0.2.7, port: 9000"
SERVER = "ioengine: net, protocol: tcp, listen: 1, port: 9001"
BOTH = 'connect: ["tcp://192.0.2.7:9000"], listen: ["tcp://*:9001"]'


def plan(fio: str, network: str = BOTH, target: str = "directory: .", more: str = "") -> Plan:
    said = f"    network: {{ {network} }}\n" if network else ""
    text = (
        f"version: 1\nname: n\ntargets: {{ t: {{ {target} }} }}\nworkloads:\n  w:\n{said}"
        f"    fio: {{ size: 1m, rw: write, {fio} }}\n{more}"
    )
    return make_plan(load_spec_text(text, Path("spec.yaml")))


@pytest.mark.parametrize("fio", [CLIENT, SERVER])
def test_a_job_reaches_what_is_declared(fio: str) -> None:
    made = plan(fio)
    assert made.cases[0].network == (Endpoint("192.0.2.7", 9000), Endpoint("", 9001))
    assert needs_trust(made) == ("workloads.w.network",)


def test_an_address_has_one_spelling() -> None:
    network = 'connect: ["tcp://[2001:DB8:0::7]:9000"]'
    job = "ioengine: net, protocol: tcpv6, hostname: 2001:db8::7, port: 9000"
    assert str(plan(job, network).cases[0].network[0]) == "tcp://[2001:db8::7]:9000"


def test_endpoints_make_another_case() -> None:
    one = plan(CLIENT).cases[0].id
    assert one != plan(CLIENT, 'connect: ["tcp://192.0.2.7:9000"]').cases[0].id
    assert one == plan(CLIENT).cases[0].id


def test_clones_of_a_job_take_the_next_ports() -> None:
    network = 'connect: ["tcp://192.0.2.7:9000", "tcp://192.0.2.7:9001"]'
    assert plan(f"{CLIENT}, numjobs: 2", network).cases
    with pytest.raises(SpecError, match=r"reaches tcp://192\.0\.2\.7:9002"):
        plan(f"{CLIENT}, numjobs: 3", network)


@pytest.mark.parametrize(
    ("fio", "says"),
    [
        (CLIENT.replace("9000", "9001"), r"reaches tcp://192\.0\.2\.7:9001"),
        (CLIENT.replace(".7", ".8"), r"reaches tcp://192\.0\.2\.8:9000"),
        (SERVER.replace("9001", "9000"), r"reaches tcp://\*:9000"),
        (CLIENT.replace("192.0.2.7", "example.org"), "has no address as its hostname"),
        (CLIENT.replace("tcp", "udp"), "by another protocol"),
        (CLIENT.replace("tcp", "unix"), "by another protocol"),
        (CLIENT.replace("protocol: tcp, ", ""), "by another protocol"),
        (SERVER.replace("tcp", "udp"), "by which protocol it listens"),
        (f"{SERVER}, hostname: 192.0.2.7", "listens, and has a hostname"),
        (SERVER.replace("listen: 1", "listen: 0"), "has listen, which is 1 or not there"),
        (CLIENT.replace(", port: 9000", ""), "has no port"),
        (CLIENT.replace("9000", '"\u0669\u0660\u0660\u0660"'), "has no port"),
        (f"{CLIENT}, filename: a", "to fio it is an endpoint"),
        ("ioengine: psync", "none of its jobs uses one"),
        (CLIENT.replace("net", "netsplice"), "leads out of the target"),
        (f"{CLIENT}, interface: eth0", "interface cannot be set here"),
    ],
)
def test_all_else_is_a_wrong_spec(fio: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        plan(fio)


def test_a_job_beside_it_has_no_endpoint() -> None:
    jobs = f"    jobs: {{ a: {{ {CLIENT} }}, b: {{ port: 9000 }} }}\n"
    with pytest.raises(SpecError, match="has port, and does not use the network"):
        plan("ioengine: psync", more=jobs)


@pytest.mark.parametrize(
    "more",
    ["ioengine: [net, psync]", "hostname: [192.0.2.7, 192.0.2.8]", "port: [9000, 22]"],
)
def test_no_axis_leads_elsewhere(more: str) -> None:
    with pytest.raises(SpecError, match=r"leads out|cannot be set here"):
        plan(CLIENT, more=f"    strategy: {{ matrix: {{ {more} }} }}\n")


def test_without_endpoints_nothing_is_reached() -> None:
    with pytest.raises(SpecError, match="a workload's network: allows it"):
        plan(CLIENT, network="")


def test_a_device_is_no_target_of_it() -> None:
    with pytest.raises(SpecError, match="has a file as its target"):
        plan(CLIENT, target="file: ./x")


@pytest.mark.parametrize(
    ("network", "says"),
    [
        ('connect: ["udp://192.0.2.7:9000"]', "only TCP can be held"),
        ('connect: ["192.0.2.7:9000"]', "is not an endpoint"),
        ('connect: ["tcp://192.0.2.7"]', "is not an endpoint"),
        ('connect: ["tcp://192.0.2.7:0"]', "is not an endpoint"),
        ('connect: ["tcp://192.0.2.7:65536"]', "is not an endpoint"),
        ('connect: ["tcp://192.0.2.7:9000/x"]', "is not an endpoint"),
        ('connect: ["tcp://*:9000"]', "is not an address"),
        ('connect: ["tcp://localhost:9000"]', "is not an address"),
        ('connect: ["tcp://[192.0.2.7]:9000"]', "is not an address"),
        ('listen: ["tcp://127.0.0.1:9000"]', "on all addresses"),
    ],
)
def test_what_is_no_endpoint_is_told(network: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        plan(CLIENT, network)
