"""A run whose run.json would be too large to be read again: nothing of it is lost."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.engine.result import parse_result
from iogate.files.run_folder import RunFolder
from iogate.history.killed import take_ended
from iogate.model.run import Run, RunStatus
from iogate.model.verdict import Outcome
from iogate.recovery.repair import rebuild
from iogate.recovery.salvage import read_run_folder
from iogate.store import open_store
from iogate.store.base import Store
from iogate.sut.local import LocalSut
from support import samples as s
from support.fio_outputs import document
from support.run_folders import make_run_folder

LEAST = 2
SERIES = {
    "interval_ms": 1000,
    "end_ms": [1000, 2000],
    "read": {"ios": [100, 120], "bytes": [409600, 491520]},
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(f"sqlite:///{tmp_path / 'history.sqlite'}")


def long_run(root: Path, *, before: int = 0) -> Run:
    """A run in a folder, whose first repetitions are those of an earlier run that goes on."""
    make_run_folder(root)
    made = []
    for number in range(1, LEAST + before + 1):
        raw = root / f"raw/{s.CASE_ID}-{number}.json"
        result = document()
        result["jobs"][0]["iogate"] = {"series": SERIES}
        raw.write_text(json.dumps(result))
        jobs = parse_result(result).jobs
        assert any(job.series for job in jobs)
        one = s.measurement(*jobs, repetition=number)
        if number > before:
            one = replace(one, raw_file=str(raw.relative_to(root)))
        else:
            raw.unlink()
        made.append(one)
    run = s.run(measurements=tuple(made), outcome=s.verdict(Outcome.PASS))
    return replace(run, folder=str(root))


def write(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where run.json may not be as large as it is with all of it."""
    folder, place = RunFolder(Path(run.folder)), Path(run.folder, "run.json")
    folder.write_run(run)
    whole = place.stat().st_size
    with monkeypatch.context() as patched:
        patched.setattr("iogate.files.bounded.DOCUMENT_BYTES", whole - 1)
        folder.write_run(run)
    assert place.stat().st_size < whole


def test_time_series_that_run_json_has_no_room_for_come_from_the_raw_results(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = long_run(tmp_path / "run")
    write(run, monkeypatch)
    assert rebuild(tmp_path / "run") == run
    found = read_run_folder(tmp_path / "run", store)
    assert found.run == run
    assert found.broken == ()


def test_a_history_that_had_no_room_takes_all_of_it_from_the_folder(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = long_run(tmp_path / "run", before=1)
    begun = run.measurements[:1]
    store.begin_run(replace(run, status=RunStatus.RUNNING, measurements=begun, verdict=None))
    write(run, monkeypatch)
    assert take_ended(store, LocalSut(), run.host.machine_id) == [run.id]
    assert store.run(run.id) == run


def test_those_of_an_earlier_run_come_from_the_history(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = long_run(tmp_path / "run", before=1)
    write(run, monkeypatch)
    (told,) = read_run_folder(tmp_path / "run", store).broken
    assert "the time series of 1 repetitions" in told
    with closing(store):
        store.begin_run(run)
        found = read_run_folder(tmp_path / "run", store)
    assert found.run == run
    assert found.broken == ()


def test_a_result_that_is_gone_is_told(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = long_run(tmp_path / "run")
    write(run, monkeypatch)
    (tmp_path / "run" / run.measurements[0].raw_file).write_text("{}")
    found = read_run_folder(tmp_path / "run", store)
    assert found.broken == (f"the time series of raw/{s.CASE_ID}-1.json cannot be read",)
    assert found.run.measurements[0].warnings
    assert found.run.measurements[1] == run.measurements[1]


def test_what_is_too_large_even_so_is_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = long_run(tmp_path / "run")
    with monkeypatch.context() as patched:
        patched.setattr("iogate.files.bounded.DOCUMENT_BYTES", 9)
        RunFolder(tmp_path / "run").write_run(run)
    assert rebuild(tmp_path / "run") == run
