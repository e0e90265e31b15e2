"""Runs that share a host (``runner.exclusive: false``), and those that do not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .conftest import Iogate, wait_for

SPEC = """\
version: 1
name: shared
runner: {{ exclusive: {exclusive} }}
targets:
  here: {target}
workloads:
  read:
    fio: {{ rw: randread, bs: 4k, size: 1m, ioengine: psync, time_based: true, runtime: {runtime} }}
    repetitions: 1
"""
LONG = "60s"


def spec(iogate: Iogate, name: str, **words: str) -> Path:
    usual = {"exclusive": "false", "target": "{ directory: auto }", "runtime": "1s"}
    return iogate.spec(SPEC.format(**usual | words), name)


def started(iogate: Iogate, path: Path) -> subprocess.Popen[str]:
    """A run that has come to measure."""
    process = iogate.start("run", path)
    wait_for(lambda: bool(list(iogate.folder.glob("iogate-runs/*/jobs/*.fio"))))
    return process


def test_two_runs_that_share_a_host_measure_at_once(iogate: Iogate) -> None:
    first = started(iogate, spec(iogate, "first.yaml", runtime=LONG))
    try:
        second = iogate("run", spec(iogate, "second.yaml"))
        assert first.poll() is None
        assert second.code == 0, second.text
        assert "other runs may measure on this host meanwhile" in second.text
        document = iogate.run_document()
        assert document["environment"]["host.shared"] is True
        assert "other runs may have measured" in (iogate.latest / "report.html").read_text()
        shown = iogate("history", "list")
        assert "running" in shown.out  # the second has not taken the first for killed
        alone = iogate("run", spec(iogate, "alone.yaml", exclusive="true"))
        assert alone.code == 3, alone.text
        assert f"process {first.pid}" in alone.text
    finally:
        first.kill()
        first.communicate()
    alone = iogate("run", spec(iogate, "alone.yaml", exclusive="true"))
    assert alone.code == 0, alone.text
    assert "host.shared" not in iogate.run_document()["environment"]


def test_a_run_that_shares_waits_for_one_that_does_not(iogate: Iogate) -> None:
    first = started(iogate, spec(iogate, "first.yaml", runtime=LONG, exclusive="true"))
    try:
        done = iogate("run", spec(iogate, "second.yaml"))
        assert done.code == 3, done.text
        assert f"process {first.pid}" in done.text
    finally:
        first.kill()
        first.communicate()


def test_runs_that_share_a_host_do_not_share_a_file(iogate: Iogate) -> None:
    target = f"{{ file: {iogate.folder}/own/image }}"
    (iogate.folder / "own").mkdir()
    first = started(iogate, spec(iogate, "first.yaml", runtime=LONG, target=target))
    try:
        done = iogate("run", spec(iogate, "second.yaml", target=target))
        assert done.code == 3, done.text
        assert f"{iogate.folder}/own is locked by another process" in done.text
    finally:
        first.kill()
        first.communicate()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("environment: { sysctl: { vm.swappiness: 1 } }\n", "sysctl.vm.swappiness"),
        ("environment: { drop_caches: before-case }\n", "drop_caches"),
    ],
)
def test_who_shares_a_host_changes_nothing_of_it(iogate: Iogate, more: str, said: str) -> None:
    path = spec(iogate, "spec.yaml")
    path.write_text(path.read_text() + more)
    done = iogate("run", "--trust", path)
    assert done.code == 2, done.text
    assert said in done.text
    assert "runner.exclusive: false" in done.text
    path.write_text(path.read_text().replace("exclusive: false", "exclusive: true"))
    assert iogate("validate", path).code == 0
