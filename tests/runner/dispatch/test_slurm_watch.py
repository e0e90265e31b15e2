"""What nodes leave in the folder that all share, which any of them may write."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from iogate.dispatch.base import Share
from iogate.dispatch.slurm.programs import Job
from iogate.dispatch.slurm.watch import Task


def look(folder: Path) -> tuple[Task, list[str]]:
    """A task that has ended, as Slurm says."""
    task = Task(Share("n1", ("a",), folder / "run"), "7", folder / "log", folder / "code")
    told: list[str] = []
    task.look(Job("COMPLETED", "n1"), told.append)
    return task, told


def test_an_end_and_what_was_said(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("iogate: it is done\n")
    (tmp_path / "code").write_text("1\n")
    task, told = look(tmp_path)
    assert (task.ended and task.ended.code, told) == (1, ["n1: iogate: it is done"])


@pytest.mark.parametrize("name", ["log", "code"])
@pytest.mark.parametrize("kind", ["link", "pipe", "endless"])
def test_what_is_no_file_of_a_run_is_not_waited_for_or_shown(
    tmp_path: Path, name: str, kind: str
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("0\n")
    if kind == "pipe":
        os.mkfifo(tmp_path / name)
    else:
        (tmp_path / name).symlink_to("/dev/zero" if kind == "endless" else secret)
    task, told = look(tmp_path)
    assert (task.ended, told) == (None, [])
