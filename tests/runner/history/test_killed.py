"""Runs whose process is gone: shown as interrupted, and closed by the next run."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from iogate.cli.history import command
from iogate.history.killed import close_killed
from iogate.host.locks.host_lock import host_lock
from iogate.model.run import Host, RunStatus
from iogate.store import open_store
from iogate.sut import open_sut
from support.killed import HERE, begun, measuring


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A history with a run of this host and one of another, both without an end."""
    path = str(tmp_path / "history.sqlite")
    with closing(open_store(path)) as store:
        store.add_runs([begun("dead", HERE), begun("away", Host("away", "f" * 16))])
    return path


def listed(path: str) -> dict[str, str]:
    lines = CliRunner().invoke(command, ["--store", path]).stdout.splitlines()[1:]
    return {line.split()[0]: line.split()[-1] for line in lines}


def test_a_run_is_running_as_long_as_its_process_holds_the_host(path: str) -> None:
    with measuring():
        assert listed(path) == {"dead": "running", "away": "running"}
        with closing(open_store(path)) as store:
            assert close_killed(store, open_sut(), HERE.machine_id) == []
    assert listed(path) == {"dead": "interrupted", "away": "running"}
    shown = CliRunner().invoke(command, ["show", "dead", "--store", path]).stdout
    assert "status    interrupted" in shown


def test_the_next_run_closes_it_with_what_it_measured(path: str) -> None:
    with measuring():
        pass
    with host_lock(open_sut(), "next"), closing(open_store(path)) as store:
        before = store.run("dead")
        assert close_killed(store, open_sut(), HERE.machine_id) == ["dead"]
        assert close_killed(store, open_sut(), HERE.machine_id) == []
        after = store.run("dead")
        assert store.run("away").status is RunStatus.RUNNING
    last = before.measurements[-1]
    assert after.status is RunStatus.INTERRUPTED
    assert after.finished_ns == last.started_ns + last.duration_ns
    assert after.measurements == before.measurements
