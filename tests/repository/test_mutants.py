"""`make mutants`: a change that a test notices is told from one that none does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from mutants_report import Change, Equivalent, Outcome, RoomReport, known_equivalents

from repository.tree import ROOT

ROOM = "runner/iogate/history/baseline.py"
SURVIVES = Change("a.py", 3, "a < b", "a <= b")


def line_of(start: str) -> tuple[int, str]:
    """Number and text of the line of ROOM that begins so."""
    lines = (ROOT / ROOM).read_text(encoding="utf-8").splitlines()
    return next((n, line.strip()) for n, line in enumerate(lines, 1) if line.startswith(start))


def again(change: Change, part: str = "python") -> subprocess.CompletedProcess[str]:
    script = ROOT / "scripts" / f"mutants_{part}.py"
    command = [sys.executable, str(script), "--again", str(change)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("becomes", "status", "percent"),
    [("raise SystemExit", 0, "100 %"), ("{was}  # as before", 1, "0 %")],
)
def test_a_change_is_tried_in_a_copy(becomes: str, status: int, percent: str) -> None:
    before = (ROOT / ROOM).read_bytes()
    number, was = line_of("from __future__")
    done = again(Change(ROOM, number, was, becomes.format(was=was)))
    assert (done.returncode, done.stdout.splitlines()[0][-len(percent) :]) == (status, percent)
    assert (ROOT / ROOM).read_bytes() == before


def test_a_line_that_is_another_today_is_said_and_nothing_is_run() -> None:
    done = again(Change(ROOM, 1, "no such line", "pass"))
    assert done.returncode == 2
    assert f"{ROOM}:1 is not `no such line` today" in done.stderr


def test_a_change_of_the_engine_is_compiled_and_tried_in_a_copy() -> None:
    file = "native/src/util/units.c"
    before = (ROOT / file).read_bytes()
    lines = enumerate(before.decode().splitlines(), 1)
    number, was = next((n, line.strip()) for n, line in lines if "whole > 100" in line)
    done = again(Change(file, number, was, was.replace("100", "1")), "c")
    assert done.stdout.startswith("c units: 1 mutants: 1 noticed"), done.stderr
    assert done.returncode == 0
    done = again(Change(file, number, was, was.replace("> 100", ">= 101")), "c")
    assert done.stdout.startswith("c units: 0 mutants"), "it compiles to what was there"
    assert (ROOT / file).read_bytes() == before


def test_what_is_printed_is_read_again() -> None:
    assert Change.parse(f"  {SURVIVES}") == SURVIVES


def test_what_changes_nothing_is_not_counted() -> None:
    noticed: list[tuple[Change, Outcome]] = [(SURVIVES, "timed out")]
    noticed += [(SURVIVES, "noticed")] * 8
    report = RoomReport("c", "units", [*noticed, (SURVIVES, "survived"), (SURVIVES, "equivalent")])
    assert report.percent == 90
    assert report.enough
    assert report.lines() == [
        "c units: 11 mutants: 8 noticed, 1 timed out, 1 survived, 1 equivalent: 90 %",
        "  survived: a.py:3: `a < b` became `a <= b`",
    ]
    assert not RoomReport("c", "units", [*noticed[:-1], (SURVIVES, "survived")]).enough


def test_an_entry_of_the_list_covers_its_change_in_any_line() -> None:
    entry = Equivalent("*.py", "a [...] b", "a <= b", "they never are equal")
    assert entry.covers(SURVIVES)
    assert not entry.covers(Change("a.py", 3, "a < c", "a <= b"))
    assert not entry.covers(Change("a.c", 3, "a < b", "a <= b"))


def test_an_entry_without_a_reason_is_refused(tmp_path: Path) -> None:
    listed = tmp_path / "mutants.toml"
    listed.write_text('[[equivalent]]\nfile = "a"\nwas = "b"\nbecomes = "c"\nwhy = " "\n')
    with pytest.raises(ValueError, match="entry 1 needs file, was, becomes and why"):
        known_equivalents(listed)


@pytest.mark.parametrize("entry", known_equivalents(), ids=str)
def test_every_entry_of_the_list_is_of_a_line_that_is_there(entry: Equivalent) -> None:
    lines = (
        Change(str(path.relative_to(ROOT)), number, line.strip(), entry.becomes)
        for path in ROOT.glob(entry.file + "*/*.py" * entry.file.endswith("*"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    )
    assert any(entry.covers(line) for line in lines)
