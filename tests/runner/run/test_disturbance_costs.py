"""What a disturbance costs here: real processes, and none of them left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from iogate.engine import open_engine
from iogate.engine.base import EngineJob, EngineResult, Progress, Stop
from iogate.engine.native import NativeEngine
from iogate.errors import RefusedError
from iogate.run import disturbance_costs as disturbing
from iogate.run.disturbance_costs import DISTURBERS, measure_costs
from iogate.sut.local import LocalSut


def left_over(folder: Path) -> list[str]:
    """Command lines of processes that work in a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").readlink().is_relative_to(folder):
                found.append((entry / "cmdline").read_text())
        except OSError:
            continue
    return found


def test_each_disturber_is_measured_and_ended(tmp_path: Path) -> None:
    sut = LocalSut()
    told: list[str] = []
    engine = open_engine("native", sut)
    costs = measure_costs(sut, engine, str(tmp_path), Stop(), told.append, pairs=1, seconds=0.5)
    assert [cost.name for cost in costs] == [each.name for each in DISTURBERS]
    assert all(cost.pairs == 1 and cost.iops is not None for cost in costs)
    assert [text.partition(":")[0] for text in told] == ["cpu", "io", "memory"]
    assert left_over(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_its_job_is_confined_as_any(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sut, seen = LocalSut(), list[EngineJob]()

    class Watched(NativeEngine):
        def run(
            self, job: EngineJob, *, on_progress: Callable[[Progress], None], stop: Stop
        ) -> EngineResult:
            seen.append(job)
            return super().run(job, on_progress=on_progress, stop=stop)

    monkeypatch.setattr(disturbing, "DISTURBERS", ())
    measure_costs(sut, Watched(sut), str(tmp_path), Stop(), seconds=0.1)
    (job,) = seen
    assert job.confinement is not None
    assert [each.place.path for each in job.confinement.allowed] == [job.folder]


def test_what_it_starts_is_a_stranger_to_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(state))  # with limits as they are anywhere
    monkeypatch.setattr(disturbing, "DISTURBERS", DISTURBERS[:1])
    sut, place = LocalSut(), tmp_path / "disk"
    place.mkdir()
    (cost,) = measure_costs(sut, open_engine("native", sut), str(place), Stop(), pairs=1)
    assert (cost.marked, cost.pairs) == (1, 1)
    assert "other processes used" in cost.reason


@pytest.mark.parametrize("name", ["file", "gone"])
def test_what_is_no_directory_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    sut = LocalSut()
    with pytest.raises(RefusedError, match="is not a directory"):
        measure_costs(sut, open_engine("native", sut), str(tmp_path / name), Stop())
    assert (tmp_path / "file").read_text() == ""
