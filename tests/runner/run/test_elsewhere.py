"""A whole run on a machine that is not here: whatever is taken from "here" in its place fails."""

from __future__ import annotations

import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import pytest

from iogate.engine.base import Stop
from iogate.host.facts import this_host
from iogate.host.locks.measuring import is_measuring
from iogate.model.run import RunStatus
from iogate.model.verdict import Outcome
from iogate.run.checks import check_run
from iogate.run.comparison import execute_comparison, make_canary
from iogate.run.finishing import Finished
from iogate.run.pipeline import execute
from iogate.run.request import Request, make_request_plan
from iogate.store import open_store
from iogate.sut.base import Sut
from iogate.sut.local import LocalSut
from iogate.sut.state_folder import HOST_LOCK
from support.devices import needs_root
from support.elsewhere import DISK, ElsewhereSut, elsewhere

pytestmark = needs_root
SPEC = f"""\
version: 1
name: there
targets:
  folder: {{ directory: auto }}
  file: {{ file: {DISK}/file }}
workloads:
  folder:
    target: folder
    fio: {{ rw: randrw, bs: 4k, size: 4m, ioengine: psync, write_lat_log: own }}
    repetitions: 2
    thresholds: {{ read.iops: ">= 1" }}
  file:
    target: file
    fio: {{ rw: randwrite, bs: 4k, size: 4m, ioengine: libaio, iodepth: 4 }}
    repetitions: 1
    thresholds: {{ write.iops: "vs baseline > -50%" }}
"""
MOST_CALLS = 25
HERE = ("/proc", "/sys", "/dev", "/run", DISK)
OWN = ("/dev/null", "/proc/self/fd/")
"""What the controller needs to read its own files and to start git."""
MOUNTS = "/proc/self/mountinfo"
"""The history is a file of the controller's, and refuses one on a network filesystem: it alone
may read this. What is mounted where it is measured is the other machine's to tell."""
_looks: list[str] | None = None


def _history_asks() -> bool:
    frames = (frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_stack(None))
    return "iogate.store.sqlite.network" in frames


def _hook(event: str, words: tuple[Any, ...]) -> None:
    if _looks is None or event not in ("open", "os.listdir", "os.scandir", "subprocess.Popen"):
        return
    path = str(words[0])
    if path == MOUNTS and _history_asks():
        return
    if (path.startswith(HERE) and not path.startswith(OWN)) or (
        event == "subprocess.Popen" and path != "git"
    ):
        _looks.append(f"{event} {path}")


sys.addaudithook(_hook)


@contextmanager
def nothing_here() -> Iterator[None]:
    """Fails when the controller looks at, or starts anything on, its own machine."""
    global _looks  # noqa: PLW0603 - a hook cannot be taken away
    looks: list[str] = []
    _looks = looks
    try:
        yield
    finally:
        _looks = None
    assert looks == []


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sut]:
    """Beside it the controller has places of its own, which nobody may use."""
    state = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    monkeypatch.setenv("IOGATE_SCRATCH", str(tmp_path / "none"))
    monkeypatch.setenv("IOGATE_HOST_ID", "here")
    with elsewhere(tmp_path) as machine:
        yield machine
    assert not state.exists()


def request_of(machine: Sut, folder: Path) -> Request:
    spec = folder / "spec.yaml"
    spec.write_text(SPEC)
    store = str(folder / "history.sqlite")
    return Request(spec=spec, sut=machine, store=store, output=folder / "run")


def assert_nothing_is_left(machine: Sut) -> None:
    assert set(machine.list_dir(DISK)) <= {"file", "home"}
    assert machine.list_dir(f"{DISK}/home/.local/state/iogate/scratch") == ()
    pids = [name for name in machine.list_dir("/proc") if name.isdigit()]
    assert pids == [str(machine.about().pid)]


def assert_whole(finished: Finished, machine: Sut) -> None:
    run, folder = finished.run, finished.folder
    assert (finished.errors, run.failures, run.status) == ((), (), RunStatus.COMPLETE)
    assert run.host == this_host(machine)
    assert run.host.machine_id != this_host(LocalSut()).machine_id
    assert not run.environment.get("confinement.none")
    for measurement in run.measurements:
        assert (folder.root / measurement.raw_file).is_file()
    assert_nothing_is_left(machine)


def test_a_run_elsewhere_is_measured_judged_and_kept_here(machine: Sut, tmp_path: Path) -> None:
    request, observer, held = request_of(machine, tmp_path), Mock(), []

    def look(*_: object) -> None:
        held.append(machine.read_text(HOST_LOCK) or "")

    observer.repetition_started.side_effect = look
    plan = make_request_plan(request)
    with nothing_here():
        check_run(request, plan)
        finished = execute(request, plan, observer, Stop())
    assert_whole(finished, machine)
    assert len(held) == 3
    assert all(text.startswith('{"schema": "lock/1"') for text in held)
    assert not is_measuring(LocalSut(), finished.run.id)
    assert finished.run.verdict
    outcomes = [each.outcome for each in finished.run.verdict.thresholds]
    assert outcomes == [Outcome.PASS, Outcome.MISSING_BASELINE]
    log = next((tmp_path / "run/logs").glob("*/own_lat.1.log"))
    assert log.stat().st_size
    with closing(open_store(request.store)) as store:
        assert store.run(finished.run.id).host == finished.run.host


def test_a_repetition_elsewhere_costs_few_round_trips(
    machine: Sut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is asked while the engine runs is not counted: that depends on how long it takes."""
    monkeypatch.setattr("iogate.host.validity.watch.LEAST_PAUSE_S", 3600.0)
    request, observer = replace(request_of(machine, tmp_path), cases=("folder*",)), Mock()
    calls, began, counts = cast("ElsewhereSut", machine).calls, [0], []
    observer.repetition_started.side_effect = lambda *_: began.append(len(calls))

    def count(*_: object) -> None:
        counts.append(Counter(calls[began[-1] :]))

    observer.repetition_ended.side_effect = count
    execute(request, make_request_plan(request), observer, Stop())
    _first, second = counts
    assert second["look"]
    del second["look"]
    assert second.total() <= MOST_CALLS, second


def test_a_comparison_elsewhere(machine: Sut, tmp_path: Path) -> None:
    request = request_of(machine, tmp_path)
    sides = make_canary(request, seed=1, blocks=2)
    with nothing_here():
        finished = execute_comparison(request, sides, Mock(), Stop())
    assert_whole(finished, machine)
    assert len(finished.run.measurements) == 2 * 2 * len(finished.run.plan.cases)


def test_a_repetition_that_must_be_stopped_elsewhere_leaves_nothing_there(
    machine: Sut, tmp_path: Path
) -> None:
    request = replace(request_of(machine, tmp_path), timeout_s=0.5, cases=("file*",))
    text = SPEC.replace("iodepth: 4", "iodepth: 4, time_based: 1, runtime: 600")
    request.spec.write_text(text)
    with nothing_here():
        finished = execute(request, make_request_plan(request), Mock(), Stop())
    (failure,) = finished.run.failures
    assert "did not end within" in failure.reason
    assert finished.run.status is RunStatus.FAILED
    assert list((tmp_path / "run/raw").iterdir())
    assert_nothing_is_left(machine)
