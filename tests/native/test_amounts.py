"""How much a job does: at the end of a file, until there is no space, and parts of what is there;
and sync_file_range, of as much as was written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.devices import loop_device, mounted, needs_root
from support.differential import differences, outcome_of
from support.engine_runs import files, run
from support.tracing import calls_of

FILE = 100 << 10
ENGINES = ("sync", "psync", "vsync", "pvsync2", "libaio", "io_uring", "splice", "posixaio")


def _there(folder: Path) -> None:
    (folder / "j.0.0").write_bytes(bytes(FILE))


JOBS = {
    "append": "rw=write|size=64k|file_append=1",
    "append at random": "rw=randwrite|size=64k|file_append=1|offset=4k",
    "append and read": "rw=read|size=64k|file_append=1",
    "append to several": "rw=write|size=64k|file_append=1|nrfiles=2",
    "append none": "rw=write|file_append=1",
    "no append": "rw=write|size=64k|file_append=0",
    "append what may not be made": "rw=write|size=64k|file_append=1|allow_file_create=0",
    "a part": "rw=read|size=50%",
    "all": "rw=read|size=100%",
    "a third": "rw=read|size=33%|offset=50%",
    "a part of size": "rw=read|size=64k|io_size=50%",
    "a part of a part": "rw=read|size=50%|io_size=50%",
    "a part of all": "rw=read|io_size=50%",
    "a part of filesize": "rw=write|size=50%|filesize=128k",
    "a part of filesize from an offset": "rw=write|size=50%|filesize=128k|offset=32k",
    "a part of filesize that ends with it": "rw=read|size=75%|filesize=96k|offset=50%",
    "more than all": "rw=read|size=64k|io_size=200%",
    "a part of each": "rw=read|size=50%|nrfiles=2|filename=j.0.0:j.0.0",
    "zones": "rw=read|size=2z|zonemode=strided|zonesize=16k|filesize=64k",
    "zones of I/O": "rw=read|size=64k|io_size=2z|zonemode=strided|zonesize=16k",
    "random without a map": "rw=randwrite|bs=16k|size=100000|norandommap=1",
    "several without a map": "rw=randwrite|size=256k|nrfiles=3|norandommap=1",
    "preferred blocks": "rw=randread|bs=16k|size=100000|random_distribution=zipf:1.1",
    "random with a map": "rw=randwrite|bs=16k|size=100000",
    "loops without a map": "rw=randwrite|bs=16k|size=100000|norandommap=1|loops=3",
    "loops of parts of blocks": "rw=write|bs=16k|size=250k|io_size=100000|loops=2",
    "loops of less than a block": "rw=write|bs=16k|size=256k|io_size=4k|loops=9",
    "loops of a part": "rw=write|bs=6k|size=256k|filesize=2m|loops=3",
    "loops of a number": "rw=write|bs=16k|size=64k|number_ios=3|loops=3",
    "as much as size": "rw=write|bs=6k|size=250k|io_size=250k",
    "two passes and a rest": "rw=write|bs=6k|size=250k|io_size=495k",
    "two passes and a block": "rw=write|bs=6k|size=250k|io_size=500k",
    "a rest of a pass": "rw=randwrite|bs=16k|size=100000|io_size=90000",
    "a backlog that is not read": "rw=write|size=96k|verify=md5|verify_backlog=3|do_verify=0",
    "a range synced": "rw=write|size=64k|sync_file_range=write:4",
    "a range synced and waited for": "rw=write|size=64k|sync_file_range=wait_before,write:2",
    "a range synced whole": "rw=write|size=64k|sync_file_range=wait_before,write,wait_after:1",
    "a range synced each time": "rw=write|size=64k|sync_file_range=write",
    "a range synced never": "rw=write|size=64k|sync_file_range=write:0",
    "a range and all": "rw=write|size=64k|sync_file_range=write:2|fsync=4",
    "a range of nothing": "rw=write|size=64k|sync_file_range=",
    "a range that is none": "rw=write|size=64k|sync_file_range=all:2",
    "a range without a kind": "rw=write|size=64k|sync_file_range=4",
}


@pytest.mark.parametrize("options", JOBS.values(), ids=JOBS.keys())
def test_amounts_are_fios(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    text = "[j]\n" + options.replace("|", "\n") + "\n"
    theirs = outcome_of(fio, text, tmp_path / "theirs", prepare=_there)
    ours = outcome_of(engine, text, tmp_path / "ours", prepare=_there)
    if "none" in text or not theirs.has_worked:
        assert (ours.has_worked, ours.ran.status) == (False, 2)
    else:
        assert not list(differences(theirs, ours))


def test_each_loop_moves_as_much(engine: Path, fio: str, tmp_path: Path) -> None:
    text = "[j]\nrw=write\nbs=16k\nsize=64k\nio_size=96k\nloops=2\n"
    assert outcome_of(engine, text, tmp_path / "ours").moved["write"] == (12, 192 << 10)
    assert outcome_of(fio, text, tmp_path / "theirs").moved["write"][0] < 12


MADE = {
    "all of it": "rw=write|size=1m;rw=read|stonewall",
    "a part of it": "rw=write|size=1m;rw=read|stonewall|size=50%",
    "from an offset": "rw=write|size=1m;rw=read|stonewall|offset=512k",
    "of two clones": "rw=write|size=1m|numjobs=2|offset_increment=1m;rw=read|stonewall",
    "at the same time": "rw=read|size=1m;rw=randwrite",
    "of two jobs": "rw=write|size=1m;rw=write|size=2m;rw=read|stonewall",
    "what comes later": "rw=read;rw=write|size=1m",
    "what is written without being laid out": "rw=write|size=1m|fallocate=none;rw=read|stonewall",
    "what is filled": "rw=write|fill_device=1|size=0;rw=read|stonewall",
}


@pytest.mark.parametrize("jobs", MADE.values(), ids=MADE.keys())
def test_a_size_may_be_that_of_what_earlier_jobs_make(
    engine: Path, fio: str, tmp_path: Path, jobs: str
) -> None:
    sections = [
        f"[job{number}]\nfilename=data\n" + options.replace("|", "\n")
        for number, options in enumerate(jobs.split(";"))
    ]
    text = "\n".join(sections) + "\n"
    ours = outcome_of(engine, text, tmp_path / "ours")
    if "fallocate" in jobs:
        assert (ours.has_worked, ours.moved["read"]) == (True, (256, 1 << 20))
        return
    if jobs.startswith(("rw=read;", "rw=write|fill")):
        assert (ours.has_worked, ours.left) == (False, {}), "refused before any file is made"
        return
    assert not list(differences(outcome_of(fio, text, tmp_path / "theirs"), ours))


def test_what_is_appended_is_behind_what_was_there(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * 1000)
    text = "[j]\nfilename=f\nrw=write\nsize=8k\nfile_append=1\nloops=2\nzero_buffers\n"
    assert run(engine, ["-"], tmp_path, text).status == 0
    assert (tmp_path / "f").read_bytes() == b"x" * 1000 + bytes(8192)


@pytest.mark.parametrize("ioengine", ENGINES)
def test_ranges_are_synced_between_writes(engine: Path, tmp_path: Path, ioengine: str) -> None:
    options = f"rw=write\nsize=64k\nnrfiles=2\nsync_file_range=write:4\nioengine={ioengine}\n"
    calls = calls_of(engine, "sync_file_range", f"[j]\n{options}", tmp_path)
    ranges = [call.partition(", ")[2] for call in calls]
    at = [(start, 8192) for start in (0, 8192, 16384)]
    expected = [f"{start}, {size}, SYNC_FILE_RANGE_WRITE) = 0" for start, size in at]
    assert ranges == [line for line in expected for _ in range(2)]


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A filesystem of a few MiB."""
    with loop_device(tmp_path, 8) as device, mounted(device, tmp_path / "mounted") as folder:
        yield folder


FILLS = (
    "rw=write|bs=64k",
    "rw=write|nrfiles=3",
    "rw=write|bs=64k|size=100m",
    "rw=write|bs=64k|time_based|runtime=60",
    "rw=write|bs=64k|fallocate=none|fsync=8",
    "rw=read|bs=64k",
    "rw=read|bs=64k|size=100m",
    "rw=rw|bs=64k|size=1m|rwmixread=100",
)


@needs_root
@pytest.mark.parametrize("options", FILLS)
def test_a_full_filesystem_is_no_error(
    engine: Path, fio: str, tmp_path: Path, small: Path, options: str
) -> None:
    """As many bytes as fio's; the I/O that found no space is in its counts, not in ours."""
    done = []
    for program in (fio, engine):
        for path in small.glob("j*"):
            path.unlink()
        text = f"[j]\nfill_device=1\ndirectory={small}\n" + options.replace("|", "\n")
        outcome = outcome_of(program, text, tmp_path / "work")
        assert outcome.has_worked, outcome.ran.err
        left = {name: size for name, size in files(small).items() if name.startswith("j")}
        done.append(([size for _, size in outcome.moved.values()], left))
    assert done[0] == done[1]


@needs_root
@pytest.mark.parametrize(("ioengine", "depth"), [("psync", 1), ("libaio", 8), ("posixaio", 4)])
def test_what_filled_it_is_verified(
    engine: Path, tmp_path: Path, small: Path, ioengine: str, depth: int
) -> None:
    options = f"rw=write\nbs=64k\nverify=crc32c\nioengine={ioengine}\niodepth={depth}\n"
    text = f"[j]\nfill_fs=1\ndirectory={small}\n{options}"
    job = run(engine, ["-", "--output-format=json"], tmp_path, text).document()["jobs"][0]
    assert job["read"]["io_bytes"] == job["write"]["io_bytes"] > 5 << 20


@pytest.mark.parametrize(
    "options", ["rw=randwrite", "rw=read\nnrfiles=2", "rw=write\nsize=1m\nioengine=mmap"]
)
def test_what_cannot_be_filled_is_told(engine: Path, tmp_path: Path, options: str) -> None:
    ran = run(engine, ["-"], tmp_path, f"[j]\nfill_device=1\n{options}\n")
    assert (ran.status, "stdin:2:1: job 'j': " in ran.err) == (2, True)
    assert files(tmp_path) == {}
