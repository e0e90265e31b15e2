"""Logs of bandwidth, IOPS, latency and histograms: fio's files, rows and columns."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from support.engine_runs import Ran, files, run

Row = tuple[int, ...]
ALL = "write_bw_log=x write_iops_log=x write_lat_log=x"


def _rows(path: Path) -> list[Row]:
    return [tuple(int(part) for part in line.split(", ")) for line in path.read_text().splitlines()]


def _both(engine: Path, fio: str, folder: Path, text: str) -> tuple[Ran, Ran]:
    (folder / "job.fio").write_text(text)
    arguments = ["--output-format=json", "../job.fio"]
    return run(fio, arguments, folder / "fio"), run(engine, arguments, folder / "ours")


def _logs(folder: Path) -> dict[str, list[Row]]:
    return {path.name: _rows(path) for path in sorted(folder.glob("*.log"))}


def _job(options: str, name: str = "j") -> str:
    return f"[{name}]\n" + "\n".join(options.split()) + "\n"


EVERY_IO = {
    "libaio": f"rw=randrw size=256k ioengine=libaio iodepth=4 {ALL}",
    "synchronous": f"rw=randrw size=256k {ALL}",
    "offset": f"rw=randread size=256k log_offset=1 {ALL}",
    "fsync": f"rw=write size=256k fsync=4 {ALL}",
    "clones": "rw=read size=64k numjobs=3 write_lat_log=x",
    "shared": "rw=read size=64k numjobs=3 per_job_logs=0 write_lat_log=x",
    "bare name": "rw=read size=64k write_iops_log",
    "per direction": f"rw=write size=256k bs=4k,8k {ALL}",
    "threads": f"rw=read size=64k thread numjobs=2 {ALL}",
}


@pytest.mark.parametrize("options", EVERY_IO.values(), ids=EVERY_IO.keys())
def test_every_io_is_a_row(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    reference, ours = _both(engine, fio, tmp_path, _job(options))
    assert ours.status == 0, ours.err
    expected, found = _logs(reference.folder), _logs(ours.folder)

    assert found.keys() == expected.keys()
    for name, rows in found.items():
        assert len(rows) == len(expected[name])
        assert {len(row) for row in rows} == {len(row) for row in expected[name]}
        # Direction, size and the rest of each I/O; which time and value, only the clock knows.
        assert Counter(row[3:4] for row in rows) == Counter(row[3:4] for row in expected[name])
    if "offset" in options:
        assert sorted(row[4] for row in found["x_lat.1.log"]) == list(range(0, 1 << 18, 4096))


NAMED_AFTER_THE_JOB = {
    "bare": "write_bw_log write_iops_log write_lat_log",
    "histograms": "write_hist_log log_hist_msec=100",
    "read": "rw=read write_bw_log",
    "made when opened": "create_on_open=1 write_bw_log",
    "a recording": "write_iolog=a/recording",
    "in a file's name": "filename_format=x/$jobname write_bw_log=x/a/log",
}


@pytest.mark.parametrize("options", NAMED_AFTER_THE_JOB.values(), ids=NAMED_AFTER_THE_JOB.keys())
def test_logs_lie_beside_the_files_of_a_job_with_a_slash(
    engine: Path, fio: str, tmp_path: Path, options: str
) -> None:
    reference, ours = _both(engine, fio, tmp_path, _job(f"rw=write size=64k {options}", "a/b"))
    assert ours.status == 0, ours.err
    expected, found = (files(ran.folder) for ran in (reference, ours))
    assert found.keys() == expected.keys()


def test_logs_lie_in_a_directory_of_a_later_job(engine: Path, tmp_path: Path) -> None:
    job = _job("rw=write size=64k write_bw_log=a/log") + _job("rw=write size=64k", "a/b")
    ran = run(engine, ["-"], tmp_path, job)
    assert ran.status == 0, ran.err
    assert _rows(tmp_path / "a/log_bw.1.log")


def test_lat_is_slat_and_clat(engine: Path, tmp_path: Path) -> None:
    """Row by row: fio reads the clock thrice and they differ."""
    job = _job("rw=randread size=1m ioengine=libaio iodepth=8 write_lat_log=x")
    assert run(engine, ["-"], tmp_path, job).status == 0
    slat, clat, lat = (_rows(tmp_path / f"x_{kind}.1.log") for kind in ("slat", "clat", "lat"))
    assert len(lat) == 256
    for one, two, both in zip(slat, clat, lat, strict=True):
        assert both[1] == one[1] + two[1]
        assert both[2:] == one[2:] == two[2:]


WINDOWS = "rw=randrw size=1m ioengine=libaio iodepth=4 time_based runtime=1100ms"


def test_windows_are_fios(engine: Path, fio: str, tmp_path: Path) -> None:
    """Windows as fio has them, with one row a direction; ours have a last, shorter one in
    all logs, fio only in those of latencies. On a busy machine a job ends a window later."""
    options = f"{WINDOWS} log_avg_msec=250 {ALL} log_hist_msec=250 write_hist_log=x"
    reference, ours = _both(engine, fio, tmp_path, _job(options))
    expected, found = _logs(reference.folder), _logs(ours.folder)

    assert found.keys() == expected.keys()
    for name, rows in found.items():
        assert {len(row) for row in rows} == {len(row) for row in expected[name]}, name
        windows = sorted({row[0] // 250 for row in rows})
        assert windows == list(range(1, len(windows) + 1)), name
        assert len(windows) >= 4, name
        reads, writes = Counter(row[2 if "hist" not in name else 1] for row in rows).values()
        assert reads == writes, name
        assert reads - len(windows) in {0, 1}, name
        theirs = {row[0] // 250 for row in expected[name]}
        assert len(windows) - len(theirs) in {-1, 0, 1, 2}, name
    for name in ("x_bw.1.log", "x_clat.1.log"):
        assert {row[3:] for row in found[name]} == {row[3:] for row in expected[name]}


def test_histograms_hold_every_io(engine: Path, tmp_path: Path) -> None:
    for coarseness in (0, 2):
        options = f"{WINDOWS} log_hist_msec=300 log_hist_coarseness={coarseness} write_hist_log=x"
        ran = run(engine, ["--output-format=json", "-"], tmp_path, _job(options))
        job = ran.document()["jobs"][0]
        rows = _rows(tmp_path / "x_clat_hist.1.log")
        assert {len(row) for row in rows} == {3 + (1856 >> coarseness)}
        for direction, name in enumerate(("read", "write")):
            logged = sum(sum(row[3:]) for row in rows if row[1] == direction)
            assert logged == job[name]["total_ios"]


def test_coarse_histograms_are_fios(engine: Path, fio: str, tmp_path: Path) -> None:
    options = f"{WINDOWS} log_hist_msec=500 log_hist_coarseness=3 write_hist_log=x"
    reference, ours = _both(engine, fio, tmp_path, _job(options))
    widths = [{len(row) for row in rows} for folder in (reference.folder, ours.folder)
              for rows in _logs(folder).values()]  # fmt: skip
    assert widths[0] == widths[1]


def test_a_second_run_writes_its_logs_anew(engine: Path, tmp_path: Path) -> None:
    for _ in range(2):
        run(engine, ["-"], tmp_path, _job("rw=read size=64k write_lat_log=x"))
    assert len(_rows(tmp_path / "x_lat.1.log")) == 16


def test_unix_epoch(engine: Path, tmp_path: Path) -> None:
    for average in (0, 50):
        options = f"rw=read size=64k log_avg_msec={average} log_unix_epoch=1 write_lat_log=x"
        ran = run(engine, ["--output-format=json", "-"], tmp_path, _job(options))
        document = ran.document()
        for row in _rows(tmp_path / "x_lat.1.log"):
            assert abs(row[0] - document["timestamp_ms"]) < 10_000


def test_a_log_in_no_directory_is_refused_before_the_run(engine: Path, tmp_path: Path) -> None:
    """fio runs the job, says so at its end, and exits with 0."""
    ran = run(engine, ["-"], tmp_path, _job("rw=write size=64k write_bw_log=no/x"))
    assert ran.status == 1
    assert "j: cannot write the log 'no/x_bw.1.log': its directory does not exist" in ran.err
    assert not (tmp_path / "j.0.0").exists()


PERCENTILES = {
    "default": "",
    "list": "percentile_list=99.9:50:10.5",
    "no clat": "clat_percentiles=0",
    "lat": "lat_percentiles=1",
    "all": "lat_percentiles=1 slat_percentiles=1 ioengine=libaio iodepth=4",
    "lat only": "lat_percentiles=1 clat_percentiles=0 ioengine=libaio",
    "no disks": "disk_util=0",
}


@pytest.mark.parametrize("options", PERCENTILES.values(), ids=PERCENTILES.keys())
def test_percentiles_where_fio_has_them(
    engine: Path, fio: str, tmp_path: Path, options: str
) -> None:
    (tmp_path / "job.fio").write_text(_job(f"rw=randread size=1m {options}"))
    arguments = ["--output-format=json+", "../job.fio"]
    reference = run(fio, arguments, tmp_path / "fio").document(notes=True)
    ours = run(engine, arguments, tmp_path / "ours").document()
    for latency in ("slat_ns", "clat_ns", "lat_ns"):
        expected, found = reference["jobs"][0]["read"][latency], ours["jobs"][0]["read"][latency]
        assert found.keys() == expected.keys(), latency
        assert list(found.get("percentile", {})) == list(expected.get("percentile", {}))
        assert sum(found.get("bins", {}).values()) == sum(expected.get("bins", {}).values())
    assert bool(ours.get("disk_util")) == bool(reference.get("disk_util"))


def test_percentiles_for_people(engine: Path, tmp_path: Path) -> None:
    options = "rw=randread size=1m ioengine=libaio lat_percentiles=1 percentile_list=50:99"
    out = run(engine, ["-"], tmp_path, _job(options)).out
    assert "clat percentiles" in out
    assert " lat percentiles" in out
    assert "|  50th=[" in out
    assert "99.5" not in out.partition("percentiles")[2].partition("lat (")[0]
