"""Each option of logs beside fio: names of files, rows, columns and units."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from support.engine_runs import run

LOGS = "write_bw_log=x write_iops_log=x write_lat_log=x"
IOS = "size=256k ioengine=libaio iodepth=2"
# Every I/O is a row: all but time, value and place are the same in both.
EVERY_IO = {
    "names": "write_bw_log=a write_iops_log=b write_lat_log=c",
    "bare": "write_bw_log write_iops_log write_lat_log",
    "in a folder": "write_lat_log=./here",
    "with a dot": "write_lat_log=a.log",
    "two jobs, one name": f"{LOGS} numjobs=2",
    "one file": f"{LOGS} numjobs=2 per_job_logs=0",
    "own files": f"{LOGS} numjobs=2 per_job_logs=1",
    "offset": f"{LOGS} log_offset=1",
    "priority": f"{LOGS} log_prio=1 prioclass=2 prio=5",
    "high priority": f"{LOGS} prioclass=1 prio=5",
    "no priority": f"{LOGS} log_prio=1",
    "both": f"{LOGS} log_prio=1 log_offset=1 prioclass=3",
    "entries": f"{LOGS} log_entries=2048",
    "compression": f"{LOGS} log_compression=4k",
    "without slat": f"{LOGS} disable_slat=1",
    "without clat": f"{LOGS} disable_clat=1",
    "without lat": f"{LOGS} disable_lat=1",
    "sizes": f"{LOGS} rw=write bs=4k,8k",
}


def logs(program: str | Path, folder: Path, options: str) -> dict[str, list[list[int]]]:
    text = "[j]\nrw=randrw\n" + "\n".join(f"{IOS} {options}".split()) + "\n"
    ran = run(program, ["--output-format=json", "-"], folder, text)
    assert ran.status == 0, ran.err
    return {
        path.name: [[int(word, 0) for word in line.split(", ")] for line in open_rows(path)]
        for path in sorted(folder.glob("*.log"))
    }


STATISTICS = {
    "each I/O": "",
    "averages": "log_avg_msec=1",
    "histograms": "write_hist_log=x log_hist_msec=1",
    "clones": "numjobs=2",
}


@pytest.mark.parametrize("options", STATISTICS.values(), ids=STATISTICS.keys())
def test_a_job_without_stats_has_empty_logs(
    engine: Path, fio: str, tmp_path: Path, options: str
) -> None:
    options = f"{LOGS} stats=0 {options}"
    found = logs(engine, tmp_path / "ours", options)
    assert found == logs(fio, tmp_path / "fio", options)
    assert len(found) >= 5
    assert not any(found.values())


def open_rows(path: Path) -> list[str]:
    return path.read_text().splitlines()


@pytest.mark.parametrize("options", EVERY_IO.values(), ids=EVERY_IO.keys())
def test_rows_are_fios(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    expected, found = (
        logs(program, tmp_path / name, options)
        for program, name in ((fio, "fio"), (engine, "ours"))
    )
    assert list(found) == list(expected) != []
    place = 4 if "log_offset" in options else None
    for name, rows in found.items():
        assert {len(row) for row in rows} == {len(row) for row in expected[name]}, name
        assert len(rows) == len(expected[name]), name
        for side in (rows, expected[name]):
            assert all(row[2] in (0, 1) for row in side)
        tails = [
            Counter(tuple(row[i] for i in range(3, len(row)) if i != place) for row in side)
            for side in (rows, expected[name])
        ]
        assert tails[0] == tails[1], name
        if place:
            assert sorted(row[place] for row in rows) == sorted(row[4] for row in expected[name])


@pytest.mark.parametrize(
    ("options", "base"),
    [
        ("log_unix_epoch=1", "unix"),
        ("log_unix_epoch=0", "start"),
        ("log_alternate_epoch=1 log_alternate_epoch_clock_id=0", "unix"),
    ],
)
def test_times_count_from_the_same_moment(
    engine: Path, fio: str, tmp_path: Path, options: str, base: str
) -> None:
    """A Unix time in ms has thirteen digits, one since the start of a short job few."""
    for program, name in ((fio, "fio"), (engine, "ours")):
        for rows in logs(program, tmp_path / name, f"write_lat_log=x {options}").values():
            assert {len(str(row[0])) == 13 for row in rows} == {base == "unix"}


@pytest.mark.parametrize("more", ["", "log_offset=1", "log_prio=1", "log_max_value=1"])
def test_windows_have_fios_columns_and_units(
    engine: Path, fio: str, tmp_path: Path, more: str
) -> None:
    """At a given rate both have the same bandwidth, in KiB/s, and the same IOPS.

    The windows are held to the order of magnitude alone: on a busy machine one can be late.
    """
    options = f"{LOGS} {more} log_avg_msec=200 rate_iops=100,100 runtime=1s time_based"
    for program, name in ((fio, "fio"), (engine, "ours")):
        found = logs(program, tmp_path / name, options)
        assert {len(row) for rows in found.values() for row in rows} == {
            6 if more == "log_offset=1" else 5
        }
        assert {row[3] for rows in found.values() for row in rows} == {0}
        assert any(25 <= row[1] <= 400 for row in found["x_iops.1.log"])
        assert any(100 <= row[1] <= 1600 for row in found["x_bw.1.log"])


@pytest.mark.parametrize("coarseness", [0, 1, 6])
def test_histograms_have_fios_columns(
    engine: Path, fio: str, tmp_path: Path, coarseness: int
) -> None:
    options = (
        f"write_hist_log=h log_hist_msec=100 log_hist_coarseness={coarseness} "
        "rate_iops=200,200 runtime=400ms time_based"
    )
    for program, name in ((fio, "fio"), (engine, "ours")):
        (rows,) = logs(program, tmp_path / name, options).values()
        assert {len(row) for row in rows} == {3 + (1856 >> coarseness)}
        assert {row[2] for row in rows} == {4096}
