"""``iogate report``: a folder that is whole, one that is damaged, and what is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.cli.entry import run_command
from support.run_folders import make_run_folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_run_folder(tmp_path / "run")


def report(root: Path) -> int:
    return run_command(["report", str(root), "--store", f"sqlite:///{root.parent / 'h.sqlite'}"])


def test_a_whole_folder_is_rendered_again(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(root) == 0
    assert capsys.readouterr().err == ""
    page = (root / "report.html").read_text("utf-8")
    assert "is damaged" not in page
    assert (root / "junit.xml").exists()


def test_a_damaged_folder_says_which_part_and_shows_the_rest(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "run.json").write_text("{", "utf-8")
    assert report(root) == 4
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith(f"iogate: {root}: run.json: it is not JSON")
    page = (root / "report.html").read_text("utf-8")
    assert "This run folder is damaged" in page
    assert "run.json: it is not JSON" in page
    assert "oltp/bs=4k" in page


def test_nothing_to_show_is_one_message(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("run.json", "plan.json"):
        (root / name).write_text("", "utf-8")
    assert report(root) == 4
    assert "cannot be shown: run.json" in capsys.readouterr().err


def test_another_folder_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert report(other) == 2
    assert "it holds no part of a run" in capsys.readouterr().err
