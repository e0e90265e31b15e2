"""A history whose disk is full: what was measured is in the run's folder, and comes from there."""

from __future__ import annotations

import json
import os
from pathlib import Path

from support.devices import fill, needs_root, tmpfs

from .conftest import Iogate, engines_of, wait_for

SPEC = """\
version: 1
name: full
targets: { disk: { directory: auto } }
workloads:
  io:
    target: disk
    fio: { rw: randread, bs: 4k, size: 4m, ioengine: psync, time_based: 1, runtime: %s }
    repetitions: %d
    thresholds: { read.iops: "> 1" }
"""


def full_history(iogate: Iogate, small: Path) -> str:
    """A run whose history has no room from its beginning on; its id."""
    spec = iogate.spec(SPEC % ("2s", 2))
    process = iogate.start("run", spec)
    wait_for(lambda: engines_of(iogate.folder))
    fill(small)
    done = iogate.end(process)
    assert done.code == 4, done.text
    assert "was removed while it ran" not in done.text
    folder = iogate.latest
    assert f"iogate history import {folder} puts it there, once there is room" in done.err
    (small / "filler").unlink()
    assert json.loads((folder / "run.json").read_text())["verdict"]
    return str(iogate.run_document()["id"])


@needs_root
def test_a_run_that_its_history_had_no_room_for_is_taken_from_its_folder(iogate: Iogate) -> None:
    with tmpfs(Path(iogate.env["XDG_DATA_HOME"]), "8m") as small:
        run = full_history(iogate, small)
        done = iogate("run", iogate.spec(SPEC % ("1s", 1)))
        assert f"run {run[:12]} is whole in the history now" in done.text
        assert "was killed" not in done.text
        assert json.loads(iogate("history", "show", run, "--json").out)["verdict"]["fault"]


@needs_root
def test_a_run_folder_is_imported(iogate: Iogate) -> None:
    with tmpfs(Path(iogate.env["XDG_DATA_HOME"]), "8m") as small:
        run, folder = full_history(iogate, small), iogate.latest
        assert "1 completed" in iogate("history", "import", folder).err
        kept = json.loads(iogate("history", "show", run, "--json").out)
        assert kept["verdict"]["fault"]
        assert kept["measurements"] == iogate.run_document()["measurements"]
        assert "1 already here" in iogate("history", "import", folder).err
        done = iogate("history", "import", iogate.folder / "state")
        assert (done.code, "is not a run folder" in done.err) == (2, True), done.text


@needs_root
def test_a_history_that_is_full_from_the_start_is_told_once(iogate: Iogate) -> None:
    spec = iogate.spec(SPEC % ("1s", 1))
    with tmpfs(iogate.folder / "small", "8m") as small:
        store = small / "history.sqlite"
        assert iogate("run", spec, "--store", store).code == 0
        fill(small)
        assert iogate("run", spec, "--store", store).code == 3
        filler = small / "filler"
        os.truncate(filler, filler.stat().st_size - (40 << 10))  # a folder fits, and not all of it
        done = iogate("run", spec, "--store", store, "--output", small / "run")
        assert done.code == 4, done.text
        assert "No space left" in done.text
        assert "was removed while it ran" not in done.text
