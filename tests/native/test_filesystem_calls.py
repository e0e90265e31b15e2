"""The ioengines whose I/O is a call of the filesystem: files made, looked at and deleted, space
given and taken."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.confining import confined, layers_of, place, plan_of
from support.devices import loop_device, needs_root
from support.engine_runs import run
from support.system_calls import calls_of

BASE = ["--name=j", "--directory=.", "--bs=4k", "--output-format=json"]


def _told(program: str | Path, folder: Path, options: str) -> dict[str, tuple[int, int, int]]:
    """Of each kind of I/O: bytes, I/Os and completion latencies."""
    ran = run(program, [*BASE, *options.split()], folder)
    assert ran.status == 0, ran.err
    job: dict[str, Any] = ran.document(notes=True)["jobs"][0]
    return {
        kind: (job[kind]["io_bytes"], job[kind]["total_ios"], job[kind]["clat_ns"]["N"])
        for kind in ("read", "write", "trim")
        if job[kind]["total_ios"]
    }


def _left(folder: Path) -> list[tuple[str, int, int]]:
    """Each file with its bytes and what it takes of the filesystem."""
    found = [(each, each.stat()) for each in sorted(folder.iterdir())]
    return [(each.name, st.st_size, st.st_blocks) for each, st in found]


SAME = [
    "--ioengine=filecreate --nrfiles=20 --filesize=4k",
    "--ioengine=filecreate --nrfiles=20 --filesize=4k --rw=write --create_on_open=1 --openfiles=1",
    "--ioengine=filecreate --filename=x:y:z --size=12k --rw=write",
    "--ioengine=filecreate --nrfiles=20 --size=80k --rw=randwrite --thread",
    "--ioengine=filestat --nrfiles=20 --filesize=4k",
    "--ioengine=filestat --nrfiles=20 --filesize=4k --stat_type=lstat --loops=3 --rw=randread",
    "--ioengine=filestat --nrfiles=20 --filesize=4k --stat_type=statx --rw=write",
    "--ioengine=filedelete --nrfiles=20 --filesize=4k --unlink=0",
    "--ioengine=filedelete --nrfiles=20 --filesize=4k --rw=write",
    "--ioengine=falloc --rw=randwrite --size=64k",
    "--ioengine=falloc --rw=read --size=64k --number_ios=5",
    "--ioengine=falloc --rw=randtrim --size=64k",
    "--ioengine=falloc --rw=trim --size=64k --bs=8k --number_ios=3",
    "--ioengine=filestat --nrfiles=3 --filesize=4k --io_size=24k",
    "--ioengine=ftruncate --rw=write --size=64k",
    "--ioengine=ftruncate --rw=write --size=64k --direct=1 --number_ios=4",
]


@pytest.mark.parametrize("options", SAME)
def test_calls_and_what_they_leave_are_fios(
    engine: Path, fio: str, tmp_path: Path, options: str
) -> None:
    theirs, ours = tmp_path / "fio", tmp_path / "ours"
    assert _told(engine, ours, options) == _told(fio, theirs, options)
    assert _left(ours) == _left(theirs)


@pytest.mark.parametrize(
    ("options", "call"),
    [
        ("--ioengine=filestat --filesize=4k --stat_type=statx", "statx"),
        ("--ioengine=filedelete --filesize=4k", "unlinkat"),
        ("--ioengine=dirstat --filesize=4k --stat_type=statx", "statx"),
        ("--ioengine=dirdelete --filesize=4k", "unlinkat"),
        ("--ioengine=falloc --size=4k --rw=trim", "fallocate"),
        ("--ioengine=ftruncate --size=4k --rw=write", "ftruncate"),
    ],
)
def test_the_call_is_the_one_that_is_named(
    engine: Path, tmp_path: Path, options: str, call: str
) -> None:
    # What lays the file out is not looked at.
    assert run(engine, [*BASE, *options.split(), "--create_only=1"], tmp_path).status == 0
    words = [*BASE, *options.split(), "--output=out", "--overwrite=1"]
    calls = [line for line in calls_of(engine, call, words, tmp_path).splitlines() if "j.0.0" in
             line or call.startswith("f")]  # fmt: skip
    assert len([line for line in calls if f"{call}(" in line]) >= 1


def test_an_io_is_a_file_whatever_the_block_size(engine: Path, tmp_path: Path) -> None:
    options = "--ioengine=filecreate --nrfiles=20 --filesize=64k --rw=write"
    assert _told(engine, tmp_path, options) == {"write": (20 << 16, 20, 20)}


def test_a_block_size_means_nothing(engine: Path, tmp_path: Path) -> None:
    """Neither one that is larger than a file, nor one that direct I/O would not take."""
    for options in ("--filesize=1k", "--filesize=1536 --direct=1"):
        told = _told(engine, tmp_path, f"--ioengine=filestat --nrfiles=2 {options} --rw=write")
        assert told["write"][1:] == (2, 2)


def test_files_are_made_anew_in_each_loop_where_they_are_unlinked(
    engine: Path, tmp_path: Path
) -> None:
    options = "--ioengine=filecreate --nrfiles=5 --filesize=4k --rw=write --loops=3"
    words = [*BASE, *options.split(), "--unlink_each_loop=1", "--output=out"]
    calls = calls_of(engine, "openat,unlinkat", words, tmp_path).splitlines()
    made = [line for line in calls if "j.0." in line and "O_CREAT" in line]
    deleted = [line for line in calls if "j.0." in line and "unlinkat(" in line]
    assert (len(made), len(deleted)) == (15, 10)


def test_directories_are_made_looked_at_and_deleted(engine: Path, tmp_path: Path) -> None:
    """Debian's fio has none of these; what they do is in fio's newer documentation."""
    options = "--nrfiles=20 --filesize=4k --rw=write"
    for ioengine, left in (("dircreate", 20), ("dirstat", 20), ("dirdelete", 0)):
        told = _told(engine, tmp_path, f"--ioengine={ioengine} {options}")
        assert told == {"write": (20 << 12, 20, 20)}
        assert len(list(tmp_path.iterdir())) == left
    for ioengine in ("dirstat", "dirdelete", "dircreate"):  # which need none to be there
        assert "write" in _told(engine, tmp_path, f"--ioengine={ioengine} {options} --unlink=1")
        assert list(tmp_path.iterdir()) == []


def test_directories_are_made_anew_in_each_loop(engine: Path, tmp_path: Path) -> None:
    options = "--ioengine=dircreate --nrfiles=5 --filesize=4k --rw=write --loops=3"
    words = [*BASE, *options.split(), "--unlink_each_loop=1", "--output=out"]
    calls = calls_of(engine, "mkdirat,unlinkat", words, tmp_path)
    assert (calls.count(" mkdirat("), calls.count(" unlinkat(")) == (15, 10)


def test_what_others_put_into_a_directory_is_kept(engine: Path, tmp_path: Path) -> None:
    kept = tmp_path / "j.0.0" / "kept"
    kept.parent.mkdir()
    kept.write_text("mine")
    for options in ("--ioengine=dirdelete", "--ioengine=dirstat --unlink=1"):
        run(engine, [*BASE, *options.split(), "--filesize=4k"], tmp_path)
        assert kept.read_text() == "mine"


def test_what_a_link_leads_to_is_kept(engine: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    (tmp_path / "soft").symlink_to(mine)
    (tmp_path / "hard").hardlink_to(mine)
    (tmp_path / "dead").symlink_to(tmp_path / "none")
    for name in ("soft", "hard", "dead"):
        words = [f"--filename={name}", "--ioengine=filedelete", "--filesize=1m", "--rw=write"]
        assert run(engine, [*BASE, *words], tmp_path).status == 0
        assert mine.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [mine]


@pytest.mark.parametrize("ioengine", ["dircreate", "dirstat", "dirdelete", "filedelete"])
def test_what_is_not_expected_is_not_touched(engine: Path, tmp_path: Path, ioengine: str) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    st = own.stat()
    place = f"{os.major(st.st_dev)}:{os.minor(st.st_dev)} {st.st_ino}"
    words = ["--name=j", f"--expect=directory {place} 0:0 0 0 {own}", f"--ioengine={ioengine}"]
    words += ["--filesize=4k", "--bs=4k", "--rw=write"]
    assert run(engine, [*words, f"--directory={own}"], tmp_path).status == 0
    ran = run(engine, [*words, f"--directory={other}"], tmp_path)
    assert (ran.status, "nothing of it was touched" in ran.err) == (3, True)
    assert list(other.iterdir()) == []


@pytest.mark.parametrize("ioengine", ["filecreate", "filedelete", "dircreate", "dirdelete"])
@pytest.mark.parametrize("expects", [False, True])
def test_a_directory_that_changes_places_is_not_followed(
    engine: Path, tmp_path: Path, ioengine: str, expects: bool
) -> None:
    """What was looked at stays what is changed, whatever its path leads to by then."""
    own, moved, other = tmp_path / "own", tmp_path / "moved", tmp_path / "other"
    own.mkdir()
    words = ["--name=j", f"--directory={own}", f"--ioengine={ioengine}", "--nrfiles=60"]
    words += ["--filesize=4k", "--rw=write"]
    deletes = ioengine.endswith("delete")
    if deletes:
        assert run(engine, [*words, "--create_only=1"], tmp_path).status == 0
        shutil.copytree(own, other)
    else:
        other.mkdir()
    st = own.stat()
    place = f"{os.major(st.st_dev)}:{os.minor(st.st_dev)} {st.st_ino}"
    words += [f"--expect=directory {place} 0:0 0 0 {own}"] if expects else []
    before = sorted(other.iterdir())
    with subprocess.Popen([engine, *words, "--rate_iops=20", "--output=out"], cwd=tmp_path) as job:
        while len(list(own.iterdir())) in (0, 60):
            assert job.poll() is None
        own.rename(moved)
        own.symlink_to(other)
        assert job.wait() == 0
    assert sorted(other.iterdir()) == before
    assert len(list(moved.iterdir())) == (0 if deletes else 60)


@pytest.mark.parametrize("ioengine", ["filecreate", "dircreate", "dirstat"])
def test_directories_of_made_names_are_made(engine: Path, tmp_path: Path, ioengine: str) -> None:
    words = ["--filename_format=a/$jobnum/$filenum", "--nrfiles=3", "--numjobs=2"]
    assert run(engine, [*BASE, *words, f"--ioengine={ioengine}", "--filesize=4k"], tmp_path).out
    assert sorted(str(each.relative_to(tmp_path)) for each in tmp_path.glob("a/*/*")) == [
        f"a/{clone}/{file}" for clone in (0, 1) for file in range(3)
    ]


@pytest.mark.parametrize("ioengine", ["filecreate", "dircreate", "dirdelete"])
def test_a_missing_directory_is_told_before(engine: Path, tmp_path: Path, ioengine: str) -> None:
    words = [f"--ioengine={ioengine}", "--filename=none/x", "--filesize=4k"]
    ran = run(engine, [*BASE, *words], tmp_path)
    assert (ran.status, "directory './none' does not exist" in ran.err) == (1, True)


@pytest.mark.parametrize("ioengine", ["falloc", "ftruncate"])
def test_space_that_is_given_can_be_synced(engine: Path, tmp_path: Path, ioengine: str) -> None:
    options = f"--ioengine={ioengine} --rw=write --size=64k --fsync=4"
    words = [*BASE, *options.split(), "--output=out"]
    assert calls_of(engine, "fsync", words, tmp_path).count(" fsync(") == 3


def test_nothing_is_made_through_a_link(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "none")
    words = ["--ioengine=filecreate", "--filename=link", "--filesize=4k", "--rw=write"]
    ran = run(engine, [*BASE, *words], tmp_path)
    assert (ran.status, "Too many levels of symbolic links" in ran.err) == (1, True)
    assert not (tmp_path / "none").exists()


def test_an_error_names_the_call_and_no_bytes(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "j.0.0").mkdir()
    (tmp_path / "j.0.0" / "kept").touch()
    ran = run(engine, [*BASE, "--ioengine=dirdelete", "--filesize=4k"], tmp_path)
    assert "j: dirdelete of './j.0.0' failed: Directory not empty" in ran.err


@pytest.mark.parametrize("ioengine", ["dircreate", "dirstat", "dirdelete"])
def test_what_is_no_directory_is_told(engine: Path, tmp_path: Path, ioengine: str) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("file", "link"):
        words = [f"--ioengine={ioengine}", f"--filename={name}", "--filesize=4k"]
        ran = run(engine, [*BASE, *words], tmp_path)
        assert (ran.status, f"'./{name}' is no directory" in ran.err) == (1, True)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_directory_is_made_once(engine: Path, tmp_path: Path) -> None:
    words = [*BASE, "--ioengine=dircreate", "--filesize=4k"]
    assert run(engine, words, tmp_path).status == 0
    ran = run(engine, words, tmp_path)
    assert (ran.status, "'./j.0.0' is there already" in ran.err) == (1, True)


def test_no_directory_is_made_where_that_is_forbidden(engine: Path, tmp_path: Path) -> None:
    words = [*BASE, "--ioengine=dirstat", "--filesize=4k"]
    for forbidden in ("--readonly", "--allow_file_create=0"):
        assert run(engine, [*words, forbidden], tmp_path).status == 1
        assert _left(tmp_path) == []


REFUSED = {
    "--ioengine=filedelete --filesize=4k --opendir=.": "leave opendir out",
    "--ioengine=filestat --filesize=4k --opendir=.": "leave opendir out",
    "--ioengine=filecreate --filesize=4k --allow_file_create=0": "forbids it",
    "--ioengine=dircreate --filesize=4k --allow_file_create=0": "forbids it",
    "--ioengine=dircreate --filesize=4k --loops=2": "has each directory once",
    "--ioengine=dirdelete --filesize=4k --rw=write --loops=2 --unlink_each_loop=1": "once: leave",
    "--ioengine=dirstat --filesize=4k --rw=write --verify=crc32c": "nothing to verify",
    "--ioengine=filedelete --filesize=4k --loops=2": "deletes each file once",
    "--ioengine=filedelete --filesize=4k --time_based --runtime=1": "deletes each file once",
    "--ioengine=filedelete --nrfiles=2 --filesize=4k --io_size=16k": "deletes files, each once",
    "--ioengine=filedelete --filesize=4k --filename=x --numjobs=2": "clones share their names",
    "--ioengine=dircreate --filesize=4k --filename_format=x.$filenum --numjobs=2": "$jobnum",
    "--ioengine=dirdelete --filesize=4k --nrfiles=2 --filename_format=x": "have $filenum",
    "--ioengine=filestat --filesize=4k --create_on_open=1": "leave create_on_open out",
    "--ioengine=filedelete --filesize=4k --create_on_open=1": "leave create_on_open out",
    "--ioengine=dirstat --filesize=4k --rw=write --unlink_each_loop=1 --loops=2": "in each loop",
    "--ioengine=filestat --filesize=8k --offset=4k": "has files as a whole: leave offset",
    "--ioengine=filecreate --filesize=8k --size=50%": "has files as a whole: leave offset",
    "--ioengine=filecreate --nrfiles=2 --filesize=4k-8k": "needs filesize, one for all files",
    "--ioengine=filestat": "needs filesize, one for all files",
    "--ioengine=filestat --filesize=4k --rw=trim": "has only reads and writes",
    "--ioengine=filestat --filesize=4k --filetype=block": "is for files",
    "--ioengine=filecreate --filesize=4k --rw=write --fsync=1": "leave fsync",
    "--ioengine=filecreate --filesize=4k --rw=write --end_fsync=1": "end_syncfs makes",
    "--ioengine=dircreate --filesize=4k --rw=write --fsync_on_close=1": "fsync_on_close",
    "--ioengine=ftruncate --size=4k --rw=read": "has only writes",
    "--ioengine=falloc --size=4k --rw=write --verify=crc32c": "there is nothing to verify",
    "--ioengine=filecreate --filesize=4k --verify=md5": "there is nothing to verify",
}


@pytest.mark.parametrize("ioengine", ["filecreate", "filedelete", "dircreate"])
def test_what_was_made_is_synced_with_its_filesystem(
    engine: Path, tmp_path: Path, ioengine: str
) -> None:
    words = [f"--ioengine={ioengine}", "--filesize=4k", "--rw=write", "--end_syncfs=1", "--thread"]
    calls = calls_of(engine, "syncfs", [*BASE, *words], tmp_path)
    assert calls.count(" = 0") == calls.count("syncfs(") == 1, calls


def test_a_file_that_was_trimmed_has_its_space_again(engine: Path, tmp_path: Path) -> None:
    """A hole costs nothing to punch: the second run would measure that."""
    words = ["--ioengine=falloc", "--rw=trim", "--size=64k", "--number_ios=4", "--filename=f"]
    for _ in range(2):
        assert run(engine, [*BASE, *words], tmp_path).status == 0
        assert (tmp_path / "f").stat().st_blocks == (64 - 4 * 4) * 2
    assert run(engine, [*BASE, *words, "--create_only=1"], tmp_path).status == 0
    assert (tmp_path / "f").stat().st_blocks == 64 * 2


@pytest.mark.parametrize("options", REFUSED)
def test_what_cannot_be_is_refused(engine: Path, tmp_path: Path, options: str) -> None:
    ran = run(engine, [*BASE, *options.split()], tmp_path)
    assert ran.status == 2
    assert REFUSED[options] in ran.err
    assert _left(tmp_path) == []


@pytest.mark.parametrize("ioengine", ["filecreate", "filedelete", "falloc"])
def test_readonly_keeps_files_as_they_are(engine: Path, tmp_path: Path, ioengine: str) -> None:
    (tmp_path / "mine").write_bytes(bytes(4096))
    words = [f"--ioengine={ioengine}", "--filename=mine", "--size=4k", "--rw=read", "--readonly"]
    ran = run(engine, [*BASE, *words], tmp_path)
    assert ran.status == 1
    assert "--readonly forbids it" in ran.err
    assert _left(tmp_path)[0][:2] == ("mine", 4096)


@needs_root
@pytest.mark.parametrize("ioengine", ["filecreate", "filestat", "filedelete"])
def test_the_name_of_a_device_is_not_touched(engine: Path, tmp_path: Path, ioengine: str) -> None:
    with loop_device(tmp_path) as device:
        words = [f"--ioengine={ioengine}", f"--filename={device}", "--filesize=4k"]
        ran = run(engine, [*BASE, *words], tmp_path)
        assert ran.status in (1, 2)
        assert f"ioengine={ioengine} asks for" in ran.err
        assert Path(device).is_block_device()


@needs_root
@pytest.mark.parametrize(
    "ioengine", ["filecreate", "filestat", "filedelete", "falloc", "dircreate", "dirdelete"]
)
def test_confined_they_reach_their_folder_alone(
    engine: Path, tmp_path: Path, ioengine: str
) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    for each in (own, other):
        each.mkdir()
    plan = plan_of(place(own), layers=layers_of(None))
    words = [str(engine), *BASE, f"--ioengine={ioengine}", "--nrfiles=3", "--filesize=4k"]
    words += ["--rw=write", f"--output={own}/out"]
    done = confined(engine, plan, *words, f"--directory={own}")
    assert done.returncode == 0, done.stderr
    made = _left(own)
    assert confined(engine, plan, *words, f"--directory={other}").returncode != 0
    assert _left(other) == []
    assert len(made) == (1 if ioengine.endswith("delete") else 4)
