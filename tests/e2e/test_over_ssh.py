"""iogate here, the engine on a host by ssh: what people do with ``--machine``."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from iogate.sut import open_sut
from support.devices import needs_root
from support.elsewhere import DISK
from support.ssh_host import SshHost, ssh_host

from .conftest import ROOT, Iogate, wait_for

pytestmark = needs_root
CUT_LINE = ROOT / "tests/support/cut_line.py"
SPEC = f"""\
version: 1
name: there
targets:
  file: {{ file: {DISK}/file }}
  folder: {{ directory: {DISK} }}
workloads:
  quick:
    target: file
    fio: {{ rw: randread, bs: 4k, size: 4m, ioengine: libaio, iodepth: 4 }}
    repetitions: 2
    thresholds: {{ read.iops: ">= 1" }}
  long:
    target: file
    fio: {{ rw: randread, bs: 4k, size: 4m, ioengine: psync, time_based: 1, runtime: 600 }}
    repetitions: 1
    thresholds: {{ read.iops: ">= 1" }}
"""
PROGRAM = """\
  program:
    target: folder
    prepare: [[sh, -c, 'hostname > "$0"', "{target}/name"]]
    command: [sh, -c, 'echo n=7; cat "$0" >&2; sleep 0.1', "{target}/name"]
    metrics: { n: { pattern: 'n=(.)', unit: count, better: high } }
    repetitions: 2
    thresholds: { command.n: "> 6", runtime: "< 60s" }
"""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[SshHost]:
    folder = tmp_path / "host"
    folder.mkdir()
    with ssh_host(folder) as there:
        yield there


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "there.yaml"
    path.write_text(SPEC)
    return path


def test_a_run_is_measured_there_and_judged_and_kept_here(
    iogate: Iogate, host: SshHost, spec: Path
) -> None:
    done = iogate("--machine", host.machine, "run", spec, "--case", "quick", **host.variables)
    assert done.code == 0, done.text
    run = iogate.run_document()
    assert run["host"]["name"].startswith("elsewhere-")
    assert len(run["measurements"]) == 2
    listed = iogate("--machine", host.machine, "history", "list", **host.variables)
    assert run["id"][:12] in listed.out
    assert not Path(DISK).exists()


def test_a_program_is_timed_there_and_what_it_prints_is_read_here(
    iogate: Iogate, host: SshHost, spec: Path
) -> None:
    spec.write_text(SPEC + PROGRAM)
    words = ("run", spec, "--case", "program", "--trust")
    done = iogate("--machine", host.machine, *words, **host.variables)
    assert done.code == 0, done.text
    run = iogate.run_document()
    jobs = [m["jobs"][0] for m in run["measurements"]]
    assert [list(job["values"].values()) for job in jobs] == [[7.0], [7.0]]
    assert all(job["runtime_ns"] > 0.1e9 for job in jobs)
    for measured in run["measurements"]:
        log = iogate.latest / measured["raw_file"].replace(".json", ".log")
        assert run["host"]["name"] in log.read_text()


def test_a_full_disk_there_is_told(iogate: Iogate, host: SshHost, spec: Path) -> None:
    """The target's, and that of the folder which the engine is taken to."""
    full = f"{DISK}/full"
    with closing(open_sut(host.machine)) as there:
        there.make_dir(full)
        there.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", full])
    words = ("--machine", host.machine, "run", spec, "--case", "quick")
    spec.write_text(SPEC.replace(f"{DISK}/file", f"{full}/file"))
    done = iogate(*words, **host.variables)
    assert done.code == 3
    assert f"the files of this run take 4.0 MiB on {full}" in done.err
    (bashrc,) = host.folder.glob("*-disk/home/.bashrc")
    bashrc.write_text(f"{bashrc.read_text()}export XDG_STATE_HOME={full}\n")
    done = iogate(*words, **host.variables)
    assert done.code == 4
    assert f"{host.machine} does not take the engine: cannot write {full}" in done.err
    assert "No space left on device\n  make room there" in done.err


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ("export IOGATE_ENGINE=/usr/bin/env", "/usr/bin/env is no iogate-engine: it says that"),
        (
            "mount -t tmpfs -o noexec tmpfs /run/lock; export XDG_STATE_HOME=/run/lock",
            "where its filesystem is mounted noexec, set XDG_STATE_HOME there",
        ),
    ],
)
def test_an_engine_that_cannot_be_used_there_is_told(
    iogate: Iogate, host: SshHost, spec: Path, there: str, told: str
) -> None:
    (bashrc,) = host.folder.glob("*-disk/home/.bashrc")
    bashrc.write_text(f"{bashrc.read_text()}{there}\n")
    words = ("--machine", host.machine, "run", spec, "--case", "quick")
    done = iogate(*words, **host.variables)
    assert done.code == 4, done.text
    assert told in done.err
    assert not (iogate.folder / "iogate-runs").exists()


def test_a_line_that_is_cut_in_a_repetition_is_opened_again(
    iogate: Iogate, host: SshHost, spec: Path
) -> None:
    spec.write_text(SPEC.replace("runtime: 600", "runtime: 4"))
    words = ("run", spec, "--case", "long")
    running = iogate.start("--machine", host.machine, *words, **host.variables)
    engine = wait_for(host.engines)[0]
    os.kill(host.client(), signal.SIGKILL)
    time.sleep(1)
    assert engine in host.engines()
    done = iogate.end(running)
    assert done.code == 0, done.text
    (measured,) = iogate.run_document()["measurements"]
    assert measured["repetition"] == 1
    assert measured["duration_ns"] > 3.9e9


@pytest.mark.parametrize(
    ("after", "code"),
    [("100", 3), ("400 30 2000 9000 27 1000 4000", 0)],
)
def test_wherever_the_line_is_cut_nothing_is_done_twice(
    iogate: Iogate, host: SshHost, spec: Path, after: str, code: int
) -> None:
    """Before the agent has said its first word, and then again and again."""
    count = iogate.folder / "count"
    tell = """'echo x >> "$0"; echo n=$(wc -l < "$0")'"""
    program = re.sub(r"'echo n=7.*?'", lambda _: tell, PROGRAM).replace("> 6", "> 0")
    spec.write_text(SPEC + program)
    _, *words = shlex.split(host.variables["IOGATE_SSH"])
    cut = {"CUT_AFTER": after, "CUT_NOTE": str(count)}
    cut["IOGATE_SSH"] = shlex.join([sys.executable, str(CUT_LINE), *words])
    asked = ("run", spec, "--case", "program", "--trust")
    done = iogate("--machine", host.machine, *asked, **cut)
    assert done.code == code, done.text
    if code:
        assert "cannot reach" in done.err
        return
    assert len(count.read_text()) > 4, count.read_text()
    measured = iogate.run_document()["measurements"]
    assert [m["repetition"] for m in measured] == [1, 2]
    assert [[*m["jobs"][0]["values"].values()] for m in measured] == [
        [2.0],
        [2.0],
    ]  # one line is of prepare


def test_a_machine_that_is_lost_loses_nothing_that_was_measured(
    iogate: Iogate, host: SshHost, spec: Path
) -> None:
    running = iogate.start("--machine", host.machine, "run", spec, **host.variables)
    wait_for(host.engines)
    assert running.stderr
    assert "quick, repetition 1" in running.stderr.readline()
    host.end_agents()
    done = iogate.end(running)
    assert done.code == 4, done.text
    assert f"the line to {host.machine.removeprefix('ssh:')} is lost" in done.text
    assert len(iogate.run_document()["measurements"]) >= 1
    wait_for(lambda: not host.engines())
    again = iogate("--machine", host.machine, "run", spec, "--case", "quick", **host.variables)
    assert again.code == 0, again.text


def test_of_two_controllers_one_measures(iogate: Iogate, host: SshHost, spec: Path) -> None:
    """The other is told whose run it is, or waits for it."""
    spec.write_text(SPEC.replace("runtime: 600", "runtime: 8"))
    words = ("--machine", host.machine, "run", spec)
    first = iogate.start(*words, "--case", "long", **host.variables)
    wait_for(host.engines)
    second = iogate(*words, "--case", "quick", **host.variables)
    assert second.code == 3, second.text
    whose = rf"process \d+ of root, run [0-9a-f]+ from {socket.gethostname()} \(.*--case long\)"
    assert re.search(f"another run is measuring on this host: {whose}", second.err), second.err
    third = iogate(*words, "--case", "quick", "--wait", "60s", **host.variables)
    assert third.code == 0, third.text
    assert re.search(f"waiting for the host: {whose}", third.err), third.err
    assert iogate.end(first).code == 0


def test_what_changes_the_host_itself_is_not_done_over_a_line(
    iogate: Iogate, host: SshHost
) -> None:
    for word in ("install", "uninstall"):
        done = iogate("--machine", host.machine, "host", word)
        assert done.code == 2
        assert f"not on {host.machine}" in done.err


def test_a_host_is_examined_from_here(iogate: Iogate, host: SshHost) -> None:
    done = iogate("--machine", host.machine, "doctor", "--json", **host.variables)
    assert done.code in (0, 3), done.text  # 3: this machine is busy
    assert '"id": "target"' in done.out
    assert "Accepted" in host.log()
