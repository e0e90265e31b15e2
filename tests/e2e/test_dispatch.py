"""A spec on several hosts by ssh, into one history and one verdict."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.devices import needs_root, sh
from support.elsewhere import DISK
from support.ssh_host import SshHost, ssh_hosts

from .conftest import Done, Iogate, wait_for

pytestmark = needs_root
SPEC = f"""\
version: 1
name: fleet
targets:
  file: {{ file: {DISK}/file }}
workloads:
  reads:
    target: file
    strategy: {{ matrix: {{ bs: [4k, 8k, 16k] }} }}
    fio: {{ rw: randread, size: 4m, ioengine: psync }}
    repetitions: 2
    thresholds: {{ read.iops: [">= 1", "vs baseline > -99%"] }}
"""
LONG = SPEC.replace("ioengine: psync", "ioengine: psync, time_based: 1, runtime: 600").replace(
    "[4k, 8k, 16k]", "[4k, 8k]"
)


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[list[SshHost]]:
    folder = tmp_path / "hosts"
    folder.mkdir()
    with ssh_hosts(folder, 2) as there:
        yield there


def to(hosts: list[SshHost]) -> str:
    return "--to=ssh:" + ",".join(host.address for host in hosts)


def words(hosts: list[SshHost], spec: Path, *more: str) -> tuple[str, ...]:
    return ("dispatch", str(spec), to(hosts), *more)


def asked(iogate: Iogate, hosts: list[SshHost], spec: Path, *more: str) -> Done:
    return iogate(*words(hosts, spec, *more), IOGATE_SSH=os.environ["IOGATE_SSH"])


def document(done: Done) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.out)
    return found


def engines(hosts: list[SshHost]) -> list[int]:
    """How many engines run on each."""
    return [len(host.engines()) for host in hosts]


def test_every_host_measures_every_case_and_all_are_in_one_history(
    iogate: Iogate, hosts: list[SshHost]
) -> None:
    done = asked(iogate, hosts, iogate.spec(SPEC), "--json")
    assert done.code == 0, done.text
    parts = document(done)["parts"]
    assert [part["host"] for part in parts] == [host.address for host in hosts]
    assert all(len(part["cases"]) == 3 and part["outcome"] == "warn" for part in parts)
    assert len({part["machine_id"] for part in parts}) == 2
    listed = iogate("history", "list")
    assert all(part["run"][:12] in listed.out for part in parts)
    assert all((Path(part["folder"]) / "report.html").exists() for part in parts)
    for host in hosts:
        assert f"{host.address}: [1/6]" in done.err


def test_what_cannot_be_kept_here_is_told_with_all_the_rest(
    iogate: Iogate, hosts: list[SshHost]
) -> None:
    """On a disk that takes one folder more."""
    full = iogate.folder / "full"
    full.mkdir()
    sh("mount", "-t", "tmpfs", "-o", "nr_inodes=2", "tmpfs", str(full))
    try:
        done = asked(iogate, hosts[:1], iogate.spec(SPEC), f"--output={full}/runs")
    finally:
        sh("umount", str(full))
    assert done.code == 3, done.text  # before anything was measured
    assert f"1 of 1 run on 1 host: {hosts[0].address}: " in done.out
    assert "No space left on device" in done.text
    assert f"iogate: cannot write {full}/runs/dispatch.json" in done.err
    wait_for(lambda: not any(engines(hosts)))


def test_cases_are_dealt_out_the_same_way_every_time(iogate: Iogate, hosts: list[SshHost]) -> None:
    spec = iogate.spec(SPEC)
    planned = asked(iogate, hosts, spec, "--share", "--dry-run")
    done = asked(iogate, hosts, spec, "--share", "--json")
    again = asked(iogate, hosts, spec, "--share", "--json")
    assert (planned.code, done.code, again.code) == (0, 0, 0), done.text + again.text
    cases = [part["cases"] for part in document(done)["parts"]]
    assert [len(each) for each in cases] == [2, 1]
    assert [part["cases"] for part in document(again)["parts"]] == cases
    lines = planned.out.splitlines()
    assert f"{hosts[0].address}  reads/bs=4k, reads/bs=16k" in lines
    assert f"{hosts[1].address}  reads/bs=8k" in lines


def test_the_exit_code_is_that_of_the_worst_host(iogate: Iogate, hosts: list[SshHost]) -> None:
    spec = iogate.spec(SPEC.replace(">= 1", ">= 1G"))
    hosts[1].disguise()
    done = asked(iogate, hosts, spec)
    assert done.code == 3, done.text
    assert "2 hosts" in done.out
    assert f"{hosts[1].address}: cannot work on {hosts[1].address}: its key is not" in done.out
    assert f"{hosts[0].address}: fail: " in done.out
    done = asked(iogate, hosts[:1], spec)
    assert done.code == 1, done.text


def test_the_cases_of_a_host_that_is_lost_are_measured_on_another(
    iogate: Iogate, hosts: list[SshHost]
) -> None:
    env = {"IOGATE_SSH": os.environ["IOGATE_SSH"]}
    slow = LONG.replace("runtime: 600", "runtime: 4").replace("repetitions: 2", "repetitions: 1")
    running = iogate.start(*words(hosts, iogate.spec(slow), "--share", "--json"), **env)
    wait_for(lambda: all(engines(hosts)))
    hosts[1].end_agents()
    done = iogate.end(running)
    assert done.code == 0, done.text
    first, lost, moved = document(done)["parts"]
    assert (first["exit_code"], lost["exit_code"], moved["exit_code"]) == (0, 0, 0)
    assert lost["left"] == lost["cases"] == moved["cases"]
    assert (moved["host"], moved["came_from"]) == (hosts[0].address, hosts[1].address)
    assert "is lost" in lost["sentence"]
    run = json.loads((Path(moved["folder"]) / "run.json").read_text())
    limits = [each["threshold"]["limit"]["text"] for each in run["verdict"]["thresholds"]]
    assert limits == [">= 1"]
    assert "absolute limits only" in run["verdict"]["cautions"][0]


def test_without_another_host_a_lost_one_fails_the_whole(
    iogate: Iogate, hosts: list[SshHost]
) -> None:
    env = {"IOGATE_SSH": os.environ["IOGATE_SSH"]}
    running = iogate.start(*words(hosts[:1], iogate.spec(LONG), "--share"), **env)
    wait_for(lambda: engines(hosts)[0])
    hosts[0].end_agents()
    done = iogate.end(running)
    assert done.code == 4, done.text
    assert f"the line to {hosts[0].address} is lost" in done.out
    wait_for(lambda: not any(engines(hosts)))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_running(
    iogate: Iogate, hosts: list[SshHost], number: signal.Signals
) -> None:
    env = {"IOGATE_SSH": os.environ["IOGATE_SSH"]}
    running = iogate.start(*words(hosts, iogate.spec(LONG)), **env)
    wait_for(lambda: all(engines(hosts)))
    running.send_signal(number)
    done = iogate.end(running)
    wait_for(lambda: not any(engines(hosts)))
    if number is signal.SIGINT:
        assert done.code == 4, done.text
        assert "stopped before the end" in done.out


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("ssh:-oProxyCommand=touch bad", "names no machine"),
        ("ssh:a,,b", "names no machine"),
        ("ssh:", "names no machine"),
        ("ssh:a,a", "more than once"),
        ("rsh:a", "leads nowhere"),
        ("ssh:" + ",".join(f"h{n}" for n in range(101)), "101 hosts"),
    ],
)
def test_what_is_no_host_reaches_no_command_line(iogate: Iogate, where: str, told: str) -> None:
    done = iogate("dispatch", iogate.spec(SPEC), f"--to={where}", IOGATE_SSH="touch reached")
    assert done.code == 2
    assert told in done.err
    assert not (iogate.folder / "reached").exists()
    assert not (iogate.folder / "bad").exists()


def test_another_machine_is_named_by_to(iogate: Iogate) -> None:
    done = iogate("--machine=ssh:lab", "dispatch", iogate.spec(SPEC), "--to=ssh:lab")
    assert done.code == 2
    assert "without --machine" in done.err
