"""What an engine wrote is the run folder's own from the moment that it is settled."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.errors import RefusedError
from iogate.files.run_folder import RunFolder
from iogate.sut.local import LocalSut
from support import samples
from support.devices import fill, needs_root, tmpfs
from support.run_folders import make_run_folder

STAYS = """\
echo '{"kept": 1}' > result
echo said
env -i PATH=$PATH setsid sh -c '
  touch ready
  while [ ! -e go ]; do sleep 0.02; done
  echo changed >&3
  echo changed
  rm ready' 3<>result &
while [ ! -e ready ]; do sleep 0.02; done
"""
"""An engine that leaves a process behind: it has the result and the log open, and nothing by
which iogate would know it again."""


def wait_until(there: bool, path: Path) -> None:
    for _ in range(1500):
        if path.exists() is there:
            return
        time.sleep(0.02)
    raise AssertionError(f"{path} is not {'there' if there else 'gone'}")


def test_what_an_engine_left_behind_writes_into_no_result(tmp_path: Path) -> None:
    folder = RunFolder(make_run_folder(tmp_path / "run"))
    raw, log = folder.raw_file("case", 1), folder.log_file("case", 1)
    written = folder.engine_folder("case", 1)
    script = STAYS.replace("ready", str(tmp_path / "ready")).replace("go ]", f"{tmp_path}/go ]")
    script = script.replace("result", f"{written}/{raw.name}")
    process = LocalSut().start(["sh", "-c", script], cwd="/", stdout=str(log), stderr=str(log))
    wait_until(True, tmp_path / "ready")
    while process.poll() is None:
        time.sleep(0.02)
    process.kill_group()
    folder.settle("case", 1)
    assert not written.exists()
    (tmp_path / "go").touch()
    wait_until(False, tmp_path / "ready")
    assert (raw.read_text(), log.read_text()) == ('{"kept": 1}\n', "said\n")


def test_a_log_that_says_nothing_is_dropped_and_a_link_is_no_result(tmp_path: Path) -> None:
    folder = RunFolder(make_run_folder(tmp_path / "run"))
    raw, log = folder.raw_file("case", 1), folder.log_file("case", 1)
    log.touch()
    (folder.engine_folder("case", 1) / raw.name).symlink_to("/etc/passwd")
    folder.settle("case", 1)
    assert not log.exists()
    assert not raw.exists()


def test_what_stays_of_an_engine_runs_as_nobody_else(tmp_path: Path) -> None:
    """An engine of root could leave a program of its own that gives root to whoever calls it."""
    folder = RunFolder(make_run_folder(tmp_path / "run"))
    written, elsewhere = folder.engine_folder("case", 1), tmp_path / "elsewhere"
    (written / "deep").mkdir()
    elsewhere.write_text("")
    for path in (written / "log", written / "deep/log", elsewhere):
        path.touch()
        path.chmod(0o6755)
    (written / "deep/link").symlink_to(elsewhere)
    (written / "other").symlink_to(tmp_path)
    folder.settle("case", 1)
    assert [(p.stat().st_mode & 0o7777) for p in (written / "log", written / "deep/log")] == [
        0o755,
        0o755,
    ]
    assert elsewhere.stat().st_mode & 0o7777 == 0o6755, "no link is followed"


def test_nobody_else_gets_to_what_an_engine_left_too_deep_to_be_looked_for(tmp_path: Path) -> None:
    """Deeper than a path can name, it kept its rights, and ended the run with an internal error."""
    folder = RunFolder(make_run_folder(tmp_path / "run"))
    written = folder.engine_folder("case", 1)
    hidden = written / "hidden"
    hidden.mkdir()
    (hidden / "log").touch()
    (hidden / "log").chmod(0o4111)
    hidden.chmod(0o2111)
    deepest = os.open(written, os.O_RDONLY)
    for _ in range(2500):
        os.mkdir("a", 0o755, dir_fd=deepest)
        inner = os.open("a", os.O_RDONLY, dir_fd=deepest)
        os.close(deepest)
        deepest = inner
    os.close(os.open("log", os.O_CREAT | os.O_WRONLY, 0o4755, dir_fd=deepest))
    os.close(deepest)
    folder.settle("case", 1)
    assert (hidden / "log").stat().st_mode & 0o7777 == 0o111
    assert hidden.stat().st_mode & 0o7777 == 0o711, "its owner can list it"
    modes, path = [], written
    for _ in range(100):
        path /= "a"
        modes.append(path.stat().st_mode & 0o7777)
    assert 0o700 in modes
    assert set(modes) == {0o700, 0o755}
    subprocess.run(["rm", "-rf", "--", written], check=True)  # pytest would not


def test_holes_of_what_an_engine_leaves_are_no_data(tmp_path: Path) -> None:
    """It makes a file of any size in no time, and a copy with every zero in it filled the disk."""
    folder = RunFolder(make_run_folder(tmp_path / "run"))
    raw, log = folder.raw_file("case", 1), folder.log_file("case", 1)
    written = folder.engine_folder("case", 1) / raw.name
    for path in (written, log):
        with path.open("wb") as out:
            out.write(b"begin")
            out.seek(1 << 32)
            out.write(b"middle")
            out.truncate(1 << 40)
    folder.settle("case", 1)
    for path in (raw, log):
        status = path.stat()
        assert status.st_size == 1 << 40
        assert status.st_blocks * 512 < 1 << 20
        with path.open("rb") as file:
            assert file.read(6) == b"begin\0"
            file.seek(1 << 32)
            assert file.read(7) == b"middle\0"
        path.unlink()


def test_a_folder_in_place_of_the_newest_run_is_told_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkout may bring one, with a run that nobody has measured in it."""
    monkeypatch.chdir(tmp_path)
    runs = tmp_path / "iogate-runs"
    (runs / "latest").mkdir(parents=True)
    (runs / "latest/run.json").write_text("{}")
    with pytest.raises(RefusedError, match="latest is a folder") as caught:
        RunFolder.create(samples.run(), None)
    assert "remove it" in caught.value.remedy
    assert list(runs.iterdir()) == [runs / "latest"]
    RunFolder.create(samples.run(), tmp_path / "elsewhere")
    shutil.rmtree(runs / "latest")
    made = [
        RunFolder.create(replace(samples.run(), id=name), None) for name in ("1" * 32, "2" * 32)
    ]
    assert (runs / "latest").resolve() == made[-1].root
    assert {path.name for path in runs.iterdir()} == {
        ".gitignore", "latest", *(each.root.name for each in made)
    }  # fmt: skip


@needs_root
@pytest.mark.parametrize("fault", ["the report", "the report " * 4000], ids=["short", "long"])
def test_a_verdict_that_got_worse_finds_room_or_is_no_pass(tmp_path: Path, fault: str) -> None:
    run = samples.run()
    verdict = replace(samples.verdict(), exit_code=0)
    with tmpfs(tmp_path / "small", "1m") as small:
        folder = RunFolder(small)
        folder.write_run(replace(run, verdict=verdict))
        fill(small)
        folder.write_run_again(replace(run, verdict=verdict.after(fault, 4, whole=True)))
        there = small / "verdict.json"
        assert not there.exists() or json.loads(there.read_text())["exit_code"] == 4
        assert there.exists() == (fault == "the report")
        assert json.loads((small / "run.json").read_text())["id"] == run.id


def test_a_verdict_that_got_worse_replaces_the_one_before(tmp_path: Path) -> None:
    run, verdict = samples.run(), samples.verdict()
    folder = RunFolder(tmp_path)
    folder.write_run(replace(run, verdict=verdict))
    folder.write_run_again(replace(run, verdict=verdict.after("the report", 4, whole=True)))
    told = [json.loads((tmp_path / name).read_text()) for name in ("verdict.json", "run.json")]
    assert [told[0]["fault"], told[1]["verdict"]["fault"]] == ["the report", "the report"]
