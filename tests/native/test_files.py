"""Which files a job has, and what is done with them before and after its I/O."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.differential import differences, outcome_of
from support.engine_runs import files, run
from support.tracing import calls_of

SMALL = "[j]\nsize=64k\nioengine=psync\n"


def _sized(*sizes: tuple[str, int]) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        for name, size in sizes:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(b"x" * size)

    return prepare


def _lines(*options: str) -> str:
    return SMALL + "\n".join(options) + "\n"


JOBS = {
    "names": _lines("rw=write", "filename_format=$jobname-$jobnum-$filenum", "nrfiles=2"),
    "names of folders": _lines("rw=write", "filename_format=a/b/$jobname/$filenum", "nrfiles=2"),
    "names of a job with a slash": _lines("rw=write", "nrfiles=2").replace("[j]", "[a/j]"),
    "names of clones": _lines("rw=write", "filename_format=$jobnum", "numjobs=2"),
    "names without a variable": _lines("rw=write", "filename_format=x$foo.$filenumber$$jobnum$"),
    "names of clients": _lines("rw=write", "filename_format=x$clientuid"),
    "names that are given": _lines("rw=write", "filename_format=x", "filename=y"),
    "no names": _lines("rw=write", "filename_format="),
    "names in a folder": _lines("rw=read", "filename_format=/s/$filenum", "directory=d"),
    "colons": _lines("rw=write", "filename_format=a:b"),
    "folders of clones": _lines("rw=write", "directory=d:e", "numjobs=3"),
    "the folder of a name": _lines("rw=write", "directory=d:e", "numjobs=2", "filename=f"),
    "names that are none": _lines("rw=write", "filename=:x::y:"),
    "folders that are none": _lines("rw=write", "directory=d::e:", "numjobs=3"),
    "a name of a dash": _lines("rw=write", "directory=d", "filename=-"),
    "unique": _lines("rw=write", "unique_filename=0"),
    "none may be made": _lines("rw=read", "allow_file_create=0"),
    "none may be made, to write": _lines("rw=write", "allow_file_create=0"),
    "made": _lines("rw=read", "allow_file_create=1"),
    "made when opened": _lines("rw=write", "create_on_open=1"),
    "made when opened, in a folder": _lines(
        "rw=write", "create_on_open=1", "filename_format=a/$filenum"
    ),
    "made and done": _lines("rw=read", "create_only=1", "time_based", "runtime=100"),
    "made and done, to write": _lines("rw=write", "create_only=1", "numjobs=2"),
    "not synced": _lines("rw=read", "create_fsync=0", "create_serialize=0"),
    "read before": _lines("rw=randread", "pre_read=1"),
    "synced when closed": _lines("rw=write", "fsync_on_close=1"),
    "barriers": _lines("rw=write", "write_barrier=4"),
    "mounted": _lines("rw=write", "allow_mounted_write=1"),
    "the kernel is told 0": _lines("rw=read", "fadvise_hint=0"),
    "the kernel is told 1": _lines("rw=read", "fadvise_hint=1"),
    "the kernel is told random": _lines("rw=read", "fadvise_hint=random"),
    "the kernel is told sequential": _lines("rw=read", "fadvise_hint=sequential"),
    "the kernel is told 2": _lines("rw=read", "fadvise_hint=2"),
}


@pytest.mark.parametrize("text", JOBS.values(), ids=JOBS.keys())
def test_files_are_fios(engine: Path, fio: str, tmp_path: Path, text: str) -> None:
    prepare = _sized(("d/kept", 1), ("e/kept", 1))
    theirs = outcome_of(fio, text, tmp_path / "theirs", prepare=prepare)
    ours = outcome_of(engine, text, tmp_path / "ours", prepare=prepare)
    if "allow_file_create=0" in text:
        assert not theirs.has_worked
        assert (ours.ran.status, ours.left) == (1, theirs.left)
        return
    assert not list(differences(theirs, ours))


@pytest.mark.parametrize("there", [0, 32 << 10])
def test_a_file_that_may_not_be_extended_is_refused(
    engine: Path, tmp_path: Path, there: int
) -> None:
    _sized(("j.0.0", there))(tmp_path)
    ran = run(engine, ["-"], tmp_path, _lines("allow_file_create=0"))
    assert f"has {there} bytes, the job needs 65536, and allow_file_create=0 forbids" in ran.err
    assert files(tmp_path) == {"j.0.0": there}


def test_a_file_that_is_large_enough_needs_no_making(engine: Path, tmp_path: Path) -> None:
    _sized(("j.0.0", 64 << 10))(tmp_path)
    assert run(engine, ["-"], tmp_path, _lines("allow_file_create=0")).status == 0


def test_a_file_made_when_it_is_opened_is_empty(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, ["-"], tmp_path, _lines("create_on_open=1", "rw=read"))
    assert "the file ends before" in ran.out + ran.err
    assert (ran.status, files(tmp_path)) == (1, {"j.0.0": 0})


def test_a_mapped_file_made_when_it_is_opened(engine: Path, tmp_path: Path) -> None:
    text = _lines("create_on_open=1", "rw=write", "ioengine=mmap")
    assert run(engine, ["-"], tmp_path, text).status == 0
    assert files(tmp_path) == {"j.0.0": 64 << 10}


@pytest.mark.parametrize(
    ("kind", "status"), [("none", 0), ("file", 0), ("block", 1), ("char", 1), ("fifo", 2)]
)
def test_files_are_of_the_kind_that_is_said(
    engine: Path, tmp_path: Path, kind: str, status: int
) -> None:
    ran = run(engine, ["-"], tmp_path, _lines(f"filetype={kind}"))
    assert ran.status == status
    assert (files(tmp_path) == {}) == bool(status)


def test_no_folder_is_made_in_dev(engine: Path, tmp_path: Path) -> None:
    text = _lines("rw=write", "filename_format=/dev/no/such/$filenum")
    ran = run(engine, ["-"], tmp_path, text)
    assert (ran.status, "there is no device" in ran.err) == (3, True)
    assert not Path("/dev/no").exists()


def test_a_scheduler_is_never_switched(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, ["-"], tmp_path, _lines("ioscheduler=no-such"))
    if ran.status == 0:
        pytest.skip("what the files lie on has no schedulers to choose from")
    assert ran.status == 3
    assert "schedulers are never switched" in ran.err
    assert files(tmp_path) == {}


def test_what_is_read_before_is_not_dropped(engine: Path, tmp_path: Path) -> None:
    calls = calls_of(engine, "pread64,fadvise64", _lines("pre_read=1"), tmp_path)
    assert sum("pread64" in call and "65536, 0) = 65536" in call for call in calls) == 1
    assert sum("DONTNEED" in call for call in calls) == 0
    assert sum("DONTNEED" in call for call in calls_of(engine, "fadvise64", SMALL, tmp_path)) == 1


@pytest.mark.parametrize(
    ("hint", "advice"),
    [("1", "SEQUENTIAL"), ("random", "RANDOM"), ("noreuse", "NOREUSE"), ("0", "")],
)
def test_the_kernel_is_told_what_is_asked_for(
    engine: Path, tmp_path: Path, hint: str, advice: str
) -> None:
    calls = calls_of(engine, "fadvise64", _lines(f"fadvise_hint={hint}"), tmp_path)
    told = [call.rpartition("FADV_")[2].split(")")[0] for call in calls]
    assert [word for word in told if word != "DONTNEED"] == ([advice] if advice else [])


@pytest.mark.parametrize(
    ("option", "call", "count"),
    [
        ("rw=write\nfsync_on_close=1", "fsync", 2),
        ("rw=read\nfsync_on_close=1", "fsync", 0),
        ("rw=write\nend_syncfs=1", "syncfs", 1),
        ("rw=read\ncreate_fsync=0", "fdatasync", 0),
        ("rw=read\ncreate_fsync=1", "fdatasync", 2),
    ],
)
def test_files_are_synced_when_it_is_asked_for(
    engine: Path, tmp_path: Path, option: str, call: str, count: int
) -> None:
    calls = calls_of(engine, call, _lines(option, "nrfiles=2"), tmp_path)
    assert len(calls) == count


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("filename=-", "'-' is stdin or stdout"),
        ("filename=x:-", "'-' is stdin or stdout"),
        ("filename=::", "there is no name between the colons"),
        ("directory=:", "there is no name between the colons"),
        ("read_iolog=:", "there is no name between the colons"),
    ],
)
def test_what_names_no_file_is_told(engine: Path, tmp_path: Path, option: str, says: str) -> None:
    for rw in ("read", "write"):
        ran = run(engine, ["-", "--output-format=json"], tmp_path, _lines(option, f"rw={rw}"))
        assert (ran.status, ran.out) == (2, "")
        assert f"stdin:4:1: job 'j': {says}" in ran.err
        assert not files(tmp_path)
