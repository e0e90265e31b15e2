"""Compressed logs: fio reads what the engine wrote, the engine what fio wrote."""

from __future__ import annotations

import contextlib
import resource
import struct
import subprocess
import zlib
from pathlib import Path

import pytest

from support.engine_runs import run

JOB = "rw=randrw size=1m ioengine=libaio iodepth=4 write_lat_log=x write_bw_log=x"
PACKED = "log_store_compressed=1"
OPTIONS = {
    "each I/O": "",
    "offsets": "log_offset=1",
    "priorities": "log_prio=1 prioclass=2 prio=3",
    "small chunks": "log_compression=1k size=8m",
    "both columns": "log_offset=1 log_prio=1 log_compression=2k",
    "averages": "log_avg_msec=10 time_based runtime=100ms",
    "longest": "log_avg_msec=10 log_max_value=1 time_based runtime=100ms",
}


def job(*options: str) -> str:
    return "[j]\n" + "\n".join(" ".join([JOB, *options]).split()) + "\n"


def entry(time: int, value: int, offset: int | None = None) -> bytes:
    """A row as the files have it."""
    flag = 0 if offset is None else 1 << 31
    tail = b"" if offset is None else struct.pack("<Q", offset)
    return struct.pack("<QQIIQ", time, value, flag, 0, 4096) + tail


def inflated(program: str | Path, path: Path) -> str:
    ran = run(program, [f"--inflate-log={path.name}"], path.parent)
    assert ran.status == 0, ran.err
    return ran.out


def wrote(program: str | Path, folder: Path) -> int:
    """The status of a job. On a busy machine fio 3.33 now and then does not end one whose logs it
    compresses: then it is asked again."""
    for _ in range(3):
        with contextlib.suppress(subprocess.TimeoutExpired):
            return run(program, ["job.fio"], folder, timeout_s=30).status
        for log in folder.glob("*.fz"):
            log.unlink()
    raise AssertionError(f"{program} does not end")


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("writer", ["fio", "engine"])
def test_each_reads_what_the_other_wrote(
    engine: Path, fio: str, tmp_path: Path, writer: str, options: str
) -> None:
    (tmp_path / "job.fio").write_text(job(PACKED, options))
    assert wrote(fio if writer == "fio" else engine, tmp_path) == 0
    logs = sorted(tmp_path.glob("*.fz"))

    assert [log.name for log in logs] == [
        f"x_{kind}.1.log.fz" for kind in ("bw", "clat", "lat", "slat")
    ]
    assert list(tmp_path.glob("*.log")) == []
    for log in logs:
        if log.stat().st_size:
            assert inflated(engine, log) == inflated(fio, log) != ""


@pytest.mark.parametrize("options", ["", "log_offset=1", "log_prio=1 prioclass=2 prio=3"])
def test_columns_are_those_of_a_log_that_is_text(
    engine: Path, tmp_path: Path, options: str
) -> None:
    for folder, more in (("text", ""), ("packed", PACKED)):
        ran = run(engine, ["-"], tmp_path / folder, job("randseed=1", options, more))
        assert ran.status == 0, ran.err
    text = (tmp_path / "text" / "x_lat.1.log").read_text().splitlines()
    packed = inflated(engine, tmp_path / "packed" / "x_lat.1.log.fz").splitlines()

    def what(lines: list[str]) -> list[list[str]]:
        """All but time and value."""
        return sorted(line.split(", ")[2:] for line in lines)

    assert what(packed) == what(text)


def test_jobs_that_share_a_log_add_to_it(engine: Path, fio: str, tmp_path: Path) -> None:
    """fio 3.33 waits for ever at the end of such jobs."""
    assert run(engine, ["-"], tmp_path, job(PACKED, "per_job_logs=0 numjobs=3")).status == 0
    rows = inflated(fio, tmp_path / "x_lat.log.fz")
    assert len(rows.splitlines()) == 3 * 256
    assert rows == inflated(engine, tmp_path / "x_lat.log.fz")


def test_log_compression_is_how_much_is_compressed_together(engine: Path, tmp_path: Path) -> None:
    assert run(engine, ["-"], tmp_path, job(PACKED, "log_compression=2k")).status == 0
    rest, chunks = (tmp_path / "x_lat.1.log.fz").read_bytes(), []
    while rest:
        stream = zlib.decompressobj()
        chunks.append(len(stream.decompress(rest)))
        rest = stream.unused_data
    assert chunks == [2048] * 4


def test_a_histogram_log_stays_text(engine: Path, tmp_path: Path) -> None:
    options = "write_hist_log=h log_hist_msec=50"
    assert run(engine, ["-"], tmp_path, job(PACKED, options)).status == 0
    rows = (tmp_path / "h_clat_hist.1.log").read_text().splitlines()
    assert sum(sum(map(int, row.split(", ")[3:])) for row in rows) == 256


@pytest.mark.parametrize(
    "options", ["log_issue_time=1 log_offset=1", "log_window_value=both log_avg_msec=10"]
)
def test_what_has_no_column_is_refused(engine: Path, tmp_path: Path, options: str) -> None:
    ran = run(engine, ["-"], tmp_path, job(PACKED, options))
    assert ran.status == 2
    assert "compressed logs have" in ran.err


WRONG = {
    "no log": (b"hello, world", "it is no compressed log, or damaged", ""),
    "cut off": (zlib.compress(entry(1, 2))[:-4], "its end is missing", "1, 2, 0, 4096, 0\n"),
    "half a row": (zlib.compress(entry(1, 2)[:9]), "within a row", ""),
    "more": (zlib.compress(entry(1, 2)) + b"more", "no compressed log", "1, 2, 0, 4096, 0\n"),
}


@pytest.mark.parametrize(("content", "said", "rows"), WRONG.values(), ids=WRONG.keys())
def test_what_is_no_whole_log_is_refused(
    engine: Path, tmp_path: Path, content: bytes, said: str, rows: str
) -> None:
    (tmp_path / "log").write_bytes(content)
    ran = run(engine, ["--inflate-log=log"], tmp_path)
    assert (ran.status, ran.out) == (1, rows)
    assert "--inflate-log: cannot read 'log': " in ran.err
    assert said in ran.err


@pytest.mark.parametrize("name", ["none", ".", "/dev/zero"])
def test_what_is_no_file_is_refused(engine: Path, tmp_path: Path, name: str) -> None:
    ran = run(engine, [f"--inflate-log={name}"], tmp_path)
    assert ran.status == 1
    assert f"cannot read '{name}'" in ran.err


def test_an_empty_log_has_no_rows(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "log").touch()
    assert inflated(engine, tmp_path / "log") == ""


def test_two_logs_at_once_are_refused(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, ["--inflate-log=a", "--inflate-log=b"], tmp_path)
    assert ran.status == 2
    assert "one log at a time" in ran.err


def test_rows_keep_their_columns_one_by_one(engine: Path, fio: str, tmp_path: Path) -> None:
    streams = [entry(1, 2), b"", entry(3, 4, 512), entry(5, (1 << 64) - 1)]
    (tmp_path / "log").write_bytes(b"".join(map(zlib.compress, streams)))
    expected = "1, 2, 0, 4096, 0\n3, 4, 0, 4096, 512, 0\n5, -1, 0, 4096, 0\n"
    assert inflated(fio, tmp_path / "log") == inflated(engine, tmp_path / "log") == expected


def test_a_log_that_grows_a_thousandfold_takes_no_memory(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(zlib.compress(entry(0, 0) * (1 << 20), 9))

    def little_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (16 << 20, 16 << 20))

    lines = subprocess.run(
        [engine, "--inflate-log=log"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        check=True,
        preexec_fn=little_memory,
    ).stdout
    assert lines == b"0, 0, 0, 4096, 0\n" * (1 << 20)
