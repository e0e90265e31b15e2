"""opendir: the files below a directory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.differential import differences, outcome_of
from support.engine_runs import files, run


def _tree(folder: Path) -> None:
    below = folder / "d"
    (below / "e").mkdir(parents=True)
    for name, size in {"1": 64 << 10, "2": 64 << 10, "e/3": 16 << 10, "empty": 0}.items():
        (below / name).write_bytes(bytes(size))
    (below / "link").symlink_to("1")
    os.mkfifo(below / "pipe")


JOBS = {
    "read": "rw=read",
    "written": "rw=write",
    "at random": "rw=randrw|rwmixread=100",
    "as much as is said": "rw=read|size=20k",
    "more than is there": "rw=write|size=1600k",
    "with those that are named": "rw=read|size=40k|filename=x",
    "by clones": "rw=read|numjobs=2",
    "of another directory": "rw=read|directory=d",
    "one at a time": "rw=read|openfiles=1|file_service_type=random",
}


@pytest.mark.parametrize("options", JOBS.values(), ids=JOBS.keys())
def test_files_below_a_directory_are_fios(
    engine: Path, fio: str, tmp_path: Path, options: str
) -> None:
    text = "[j]\nopendir=d\n" + options.replace("|", "\n") + "\n"
    theirs = outcome_of(fio, text, tmp_path / "theirs", prepare=_tree)
    ours = outcome_of(engine, text, tmp_path / "ours", prepare=_tree)
    assert not list(differences(theirs, ours))


def test_files_below_a_directory_are_in_order(engine: Path, tmp_path: Path) -> None:
    _tree(tmp_path)
    text = "[j]\nopendir=d\nrw=read\nwrite_iolog=log\n"
    assert run(engine, ["-"], tmp_path, text).status == 0
    lines = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    order = [words[1] for words in lines if words[2:3] == ["read"]]
    assert order[:6] == ["d/1", "d/2", "d/e/3"] * 2


@pytest.mark.parametrize("made", ["directory", "file", ""])
def test_a_directory_without_files_is_told(engine: Path, tmp_path: Path, made: str) -> None:
    says = {"directory": "is no file that holds a block", "file": "Not a directory"}
    if made == "directory":
        (tmp_path / "d").mkdir()
    elif made:
        (tmp_path / "d").touch()
    ran = run(engine, ["-"], tmp_path, "[j]\nopendir=d\n")
    assert (ran.status, says.get(made, "No such file or directory") in ran.err) == (1, True)


@pytest.mark.parametrize("option", ["unlink=1", "unlink_each_loop=1"])
def test_files_that_were_found_are_not_deleted(engine: Path, tmp_path: Path, option: str) -> None:
    _tree(tmp_path)
    before = files(tmp_path)
    ran = run(engine, ["-"], tmp_path, f"[j]\nopendir=d\nrw=write\n{option}\n")
    assert (ran.status, "stdin:2:1: job 'j': files that the job found" in ran.err) == (2, True)
    assert files(tmp_path) == before
