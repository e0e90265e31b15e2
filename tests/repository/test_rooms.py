"""The rooms of the engine's sources, and the check that arrows between them only go down."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from repository.tree import ROOT

SOURCE = ROOT / "native" / "src"


def check(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """The script, as lint calls it."""
    command = [sys.executable, ROOT / "scripts" / "check_rooms.py", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def rooms(tmp_path: Path) -> Path:
    """A copy of the sources, to be spoilt."""
    return shutil.copytree(SOURCE, tmp_path / "src")


def complaint(rooms: Path) -> str:
    """The only thing that is wrong."""
    done = check(rooms)
    assert done.returncode == 1
    (line,) = done.stdout.splitlines()
    return line


def add_line(path: Path, line: str) -> int:
    """At the end; its number."""
    text = path.read_text() + line + "\n"
    path.write_text(text)
    return text.count("\n")


def test_the_sources_keep_to_their_layers() -> None:
    done = check()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_include_that_goes_up_fails(rooms: Path) -> None:
    line = add_line(rooms / "engines" / "null.c", '#include "worker/loop_state.h"')
    assert complaint(rooms) == (
        f'engines/null.c:{line}: #include "worker/loop_state.h" goes up: worker is above engines'
    )


def test_an_include_between_rooms_of_one_layer_fails(rooms: Path) -> None:
    add_line(rooms / "logs" / "iolog.c", '#  include "jobfile/options.h"')
    assert "goes sideways: jobfile and logs are one layer" in complaint(rooms)


def test_an_include_without_its_room_fails(rooms: Path) -> None:
    add_line(rooms / "util" / "json.c", '#include "err.h"')
    assert "there is no such file; includes name the room, too" in complaint(rooms)


def test_a_file_in_no_room_fails(rooms: Path) -> None:
    (rooms / "lost.c").write_text("")
    assert complaint(rooms).startswith("lost.c: is in no room")


def test_a_room_in_no_layer_fails(rooms: Path) -> None:
    (rooms / "annexe").mkdir()
    (rooms / "annexe" / "annexe.c").write_text('#include "cli/cmdline.h"\n')
    assert complaint(rooms).startswith("annexe/annexe.c: its room is in no layer")


def test_a_layer_without_its_room_fails(rooms: Path) -> None:
    shutil.rmtree(rooms / "output")
    done = check(rooms)
    assert done.returncode == 1
    assert "output: is in a layer, but there is no such room" in done.stdout.splitlines()


def test_modules_of_a_room_that_need_each_other_fail(rooms: Path) -> None:
    add_line(rooms / "worker" / "account.c", '#include "worker/loop_steps.h"')
    line = complaint(rooms)
    assert line.endswith(": need each other")
    assert {"worker/account", "worker/loop_steps"} <= set(line.replace(":", "").split(" "))


def test_a_header_that_no_manual_names_fails(rooms: Path) -> None:
    (rooms / "stats" / "quantile.h").write_text("")
    assert complaint(rooms) == ("stats/quantile.h: the manual in stats/stats.h does not name it")


def test_a_room_without_a_manual_fails(rooms: Path) -> None:
    path = rooms / "stats" / "stats.h"
    path.write_text(path.read_text().replace("The room stats:", "Stats:"))
    assert complaint(rooms).startswith("stats/stats.h: has to begin with the room's manual")


def test_the_arrows_are_those_of_the_sources() -> None:
    lines = check("--arrows").stdout.splitlines()
    assert lines[0].startswith("cli: ")
    assert "pattern: engines job util" in lines
    assert lines[-1].split() == ["util:"]
