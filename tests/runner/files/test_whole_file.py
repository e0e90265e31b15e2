"""What cannot be written is told by the name that was asked for, with one exit code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from iogate.cli.entry import run_command
from iogate.errors import ExitCode
from support.devices import fill, needs_root, sh, tmpfs
from support.nightly import History

pytestmark = needs_root
COMMANDS = [
    ("init", "{}/new.yaml"),
    ("history", "export", "{}/x.jsonl"),
    ("history", "export", "{}/x.parquet"),
    ("openmetrics", "{}/x.prom"),
    ("report", "0000run", "--output", "{}/r"),
    ("report", "0000run", "--output", "{}"),
    ("site", "{}/s"),
    ("site", "{}"),
    ("compile", "nightly.yaml", "--output", "{}/c"),
]


@pytest.fixture
def read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A disk that nobody can write, beside a history of one run, and a spec."""
    monkeypatch.chdir(tmp_path)
    History(tmp_path).add(1000.0)
    with tmpfs(tmp_path / "disk", "1m") as disk:
        sh("mount", "-o", "remount,ro", str(disk))
        yield disk


@pytest.mark.parametrize("words", COMMANDS)
def test_a_disk_that_cannot_be_written(
    read_only: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = words[-1].format(read_only)
    store = () if words[0] in ("init", "compile") else ("--store", "history.sqlite")
    assert run_command([*words[:-1], asked, *store]) == ExitCode.REFUSED
    told = capsys.readouterr().err
    assert told.startswith(f"iogate: cannot write {asked}: Read-only file system\n  name a place")


def test_a_full_disk_keeps_the_old_export(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(tmp_path / "history.sqlite")
    History(tmp_path).add(1000.0)
    with tmpfs(tmp_path / "disk", "1m") as disk:
        (disk / "x.jsonl").write_text("old")
        fill(disk)
        assert (
            run_command(["history", "export", str(disk / "x.jsonl"), "--store", store])
            == ExitCode.REFUSED
        )
        assert (disk / "x.jsonl").read_text() == "old"
        assert {each.name for each in disk.iterdir()} == {"filler", "x.jsonl"}
    told = capsys.readouterr().err
    assert told == (
        f"iogate: cannot write {disk}/x.jsonl: No space left on device\n"
        "  make room there, or name another place\n"
    )


@pytest.mark.parametrize("room", [0, 1 << 16])
def test_a_site_on_a_full_disk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], room: int
) -> None:
    """Without room for its list, and for its first pages only."""
    store = str(tmp_path / "history.sqlite")
    History(tmp_path).add(1000.0)
    with tmpfs(tmp_path / "disk", "1m") as disk:
        (disk / "room").write_bytes(b"x" * room)
        (disk / "site").mkdir()
        fill(disk)
        (disk / "room").unlink()
        words = ["site", str(disk / "site"), "--store", store]
        assert run_command(words) == ExitCode.REFUSED
        assert not list(disk.rglob("*.partial"))
        told = capsys.readouterr().err
        assert told.startswith(f"iogate: cannot write {disk}/site/")
        assert "No space left on device\n  make room there, or name another place\n" in told
        (disk / "filler").unlink()
        assert run_command(words) == ExitCode.PASS
