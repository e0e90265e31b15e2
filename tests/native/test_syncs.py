"""How many syncs a job does, and when: fsync, fdatasync, end_fsync, with loops."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.engine_runs import run
from support.system_calls import calls_of

JOB = ["--name=j", "--filename=f", "--rw=write", "--bs=4k", "--ioengine=psync"]
_CALL = re.compile(r"(pwrite64|fsync|fdatasync)\(")


def _syncs(program: str | Path, folder: Path, options: str) -> int:
    ran = run(program, [*JOB, "--size=64k", "--output-format=json", *options.split()], folder)
    assert ran.status == 0, ran.err
    count = ran.document()["jobs"][0]["sync"]["total_ios"]
    assert isinstance(count, int)
    return count


def _calls(engine: Path, folder: Path, options: str) -> str:
    """W a write, F an fsync, D an fdatasync."""
    words = [*JOB, "--size=12k", "--output=out", "--create_fsync=0", *options.split()]
    said = calls_of(engine, "pwrite64,fsync,fdatasync", words, folder)
    letters = {"pwrite64": "W", "fsync": "F", "fdatasync": "D"}
    return "".join(letters[name] for name in _CALL.findall(said))


SAME = ["--fsync=1", "--fsync=4", "--fsync=3 --loops=3", "--fsync=5 --loops=2", "--fsync=16"]
SAME += ["--fsync=4 --end_fsync=1", "--fsync=4 --number_ios=8 --loops=2", "--fsync=4 --verify=md5"]


@pytest.mark.parametrize("options", SAME)
def test_syncs_are_as_many_as_fios(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    expected = _syncs(fio, tmp_path / "fio", options)
    assert _syncs(engine, tmp_path / "ours", options) == expected


@pytest.mark.parametrize("every", [1, 2, 4, 16])
@pytest.mark.parametrize("loops", [2, 3])
def test_what_is_safe_is_not_synced_again(
    engine: Path, fio: str, tmp_path: Path, every: int, loops: int
) -> None:
    """Between two loops fio syncs at the end of the one and at the beginning of the other."""
    options = f"--fsync={every} --loops={loops}"
    found = _syncs(engine, tmp_path / "ours", options)
    assert found == (16 * loops - 1) // every
    assert _syncs(fio, tmp_path / "fio", options) == found + loops - 1


@pytest.mark.parametrize("ioengine", ["libaio", "io_uring", "posixaio"])
def test_writes_in_flight_are_synced_once(engine: Path, tmp_path: Path, ioengine: str) -> None:
    options = f"--fsync=4 --ioengine={ioengine} --iodepth=4 --loops=2"
    assert _syncs(engine, tmp_path, options) == 7


def test_reads_in_between_need_no_sync(engine: Path, tmp_path: Path) -> None:
    job = [*JOB, "--rw=randrw", "--size=1m", "--fsync=3", "--output-format=json"]
    row = run(engine, job, tmp_path).document()["jobs"][0]
    writes = row["write"]["total_ios"]
    assert row["sync"]["total_ios"] in {writes // 3, (writes - 1) // 3}


def test_syncs_stand_between_the_writes(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(bytes(12 << 10))
    assert _calls(engine, tmp_path, "--fsync=1 --loops=2") == "WFWFWFWFWFW"
    assert _calls(engine, tmp_path, "--fdatasync=2") == "WWDW"


def test_the_end_of_all_loops_is_synced_once(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(bytes(12 << 10))
    assert _calls(engine, tmp_path, "--end_fsync=1 --loops=2") == "WWWWWWF"


def test_fsync_stands_for_fdatasync(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(bytes(12 << 10))
    assert _calls(engine, tmp_path, "--fsync=2 --fdatasync=1") == "WWFW"


RANGE = re.compile(r"sync_file_range\(\d+, (\d+), (\d+), ([A-Z_|]+)\)")


def _ranges(engine: Path, folder: Path, words: list[str]) -> list[tuple[str, ...]]:
    return RANGE.findall(calls_of(engine, "sync_file_range", [*words, "--output=out"], folder))


def test_ranges_that_were_synced_are_recorded_and_replayed(
    engine: Path, fio: str, tmp_path: Path
) -> None:
    job = [*JOB, "--size=32k", "--sync_file_range=wait_before,write:2", "--write_iolog=log"]
    flags = "SYNC_FILE_RANGE_WAIT_BEFORE|SYNC_FILE_RANGE_WRITE"
    expected = [(str(at << 10), "8192", flags) for at in (0, 8, 16)]
    assert _ranges(engine, tmp_path, job) == expected
    lines = [line.split(maxsplit=1)[1] for line in (tmp_path / "log").read_text().splitlines()[1:]]
    assert [line for line in lines if "range" in line] == [
        f"f sync_file_range {at << 10} 8192" for at in (0, 8, 16)
    ]
    again = ["--name=k", "--read_iolog=log", "--write_iolog=again"]
    assert _ranges(engine, tmp_path, [*again, job[-2]]) != []
    assert _ranges(engine, tmp_path, again) == [(*row[:2], flags[28:]) for row in expected]
    copy = [line.split(maxsplit=1)[1] for line in (tmp_path / "again").read_text().splitlines()[1:]]
    assert copy == lines
    (tmp_path / "log").unlink()
    assert run(fio, job, tmp_path).status == 0
    log = (tmp_path / "log").read_text()
    assert log.count("sync_file_range") == 3
    assert len(_ranges(engine, tmp_path, again)) == 3
    for engines in ("libaio", "io_uring"):
        words = [*again, f"--ioengine={engines}", "--iodepth=4", "--output-format=json"]
        row = run(engine, words, tmp_path).document()["jobs"][0]
        assert (row["write"]["total_ios"], row["sync"]["total_ios"]) == (8, 0)
