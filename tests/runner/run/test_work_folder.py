"""What is taken from a machine elsewhere into the run folder here."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest

from iogate.errors import RunError
from iogate.files.run_folder import RunFolder
from iogate.run.work_folder import WorkFolder

CASE = "0123456789abcdef"


def settled(root: Path, *names: str) -> None:
    """A repetition of which the machine says that these files are in its folder."""
    sut = Mock()
    sut.read_many.side_effect = lambda paths: {paths[0]: Mock(names=names)}
    sut.get.side_effect = lambda _path, into: bool(Path(into).write_text("theirs"))
    (root / "raw").mkdir(parents=True)
    WorkFolder(sut, RunFolder(root), "/there").settle(CASE, 1)


@pytest.mark.parametrize("name", ["../../../out", "OUT", "..", ".", "", "a/b", "a\0b"])
def test_a_machine_names_no_file_outside_the_folder(name: str, tmp_path: Path) -> None:
    outside = tmp_path / "out"
    with pytest.raises(RunError, match="no name in a folder"):
        settled(tmp_path / "run", name.replace("OUT", str(outside)))
    assert not outside.exists()


def test_a_machine_names_no_files_without_end(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="left 10,001 files there, more than 10,000"):
        settled(tmp_path / "run", *map(str, range(10_001)))
    assert not list(tmp_path.glob("run/logs/*/*"))


def test_a_log_of_the_job_is_kept(tmp_path: Path) -> None:
    settled(tmp_path / "run", "own_lat.1.log")
    assert (tmp_path / f"run/logs/{CASE}-1/own_lat.1.log").read_text() == "theirs"
