"""Terse output: fields in the order and form of fio's, with the numbers of the JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.engine_runs import run

SMALL = ["--name=j", "--filename=f", "--size=256k"]
JOBS = {
    "read": ["--rw=read"],
    "mixed": ["--rw=randrw"],
    "sync": ["--rw=write", "--fsync=4"],
    "depth": ["--rw=randwrite", "--ioengine=libaio", "--iodepth=8"],
    "null": ["--ioengine=null"],
    "grouped": ["--numjobs=2", "--group_reporting"],
    "clones": ["--numjobs=2"],
    "description": ["--description=hello you"],
    "goes on": ["--continue_on_error=io"],
    "goes on, described": ["--continue_on_error=io", "--description=hello"],
    "no disks": ["--disk_util=0"],
    "no percentiles": ["--clat_percentiles=0"],
    "lat percentiles": ["--clat_percentiles=0", "--lat_percentiles=1"],
    "two percentiles": ["--percentile_list=50:99.5"],
    "reduced": ["--gtod_reduce=1"],
    "all together": ["--rw=randrw", "--unified_rw_reporting=mixed"],
    "together and apart": ["--rw=randrw", "--unified_rw_reporting=both"],
    "two jobs": ["--name=k", "--filename=f", "--size=64k"],
}


def _forms(out: str) -> list[list[str]]:
    """The fields of each line, their numbers left out; not that of the engine's name."""
    lines = [line.split(";") for line in out.splitlines() if line]
    return [
        [re.sub(r"\d+", "N", field) for field in fields if not re.match(r"(fio|iogate)-", field)]
        for fields in lines
    ]


@pytest.mark.parametrize("version", ["2", "3", "4", "5"])
@pytest.mark.parametrize("options", JOBS.values(), ids=JOBS.keys())
def test_the_fields_are_fios(
    engine: Path, fio: str, tmp_path: Path, options: list[str], version: str
) -> None:
    said = []
    for program, folder in ((fio, tmp_path / "fio"), (engine, tmp_path / "ours")):
        form = ["--output-format=terse", f"--terse-version={version}"]
        ran = run(program, [*form, *SMALL, *options], folder)
        assert ran.status == 0, ran.err
        said.append(_forms(ran.out))
    assert said[1] == said[0]


def test_terse_has_the_numbers_of_json(engine: Path, tmp_path: Path) -> None:
    job = ["--rw=randread", "--bs=8k", "--ioengine=libaio", "--iodepth=4", "--direct=1"]
    ran = run(engine, [*SMALL, *job, "--output-format=terse,json"], tmp_path)
    line, _, rest = ran.out.partition("\n")
    fields = line.split(";")
    document = json.loads(rest)
    row = document["jobs"][0]
    read = row["read"]
    assert fields[:5] == ["3", document["fio version"], "j", "0", "0"]
    assert fields[5:9] == [
        str(read["io_kbytes"]), str(read["bw"]), f"{read['iops']:.0f}", str(read["runtime"]),
    ]  # fmt: skip
    for first, key in ((9, "slat_ns"), (13, "clat_ns"), (37, "lat_ns")):
        of = read[key]
        assert fields[first : first + 2] == [str(of["min"] // 1000), str(of["max"] // 1000)]
        assert float(fields[first + 2]) == pytest.approx(of["mean"] / 1000, abs=1e-3)
        assert float(fields[first + 3]) == pytest.approx(of["stddev"] / 1000, abs=1e-3)
    share, _, value = fields[17 + 12].partition("%=")
    assert (float(share), int(value)) == (99, read["clat_ns"]["percentile"]["99.000000"] // 1000)
    assert fields[92 - 5] == f"{row['usr_cpu']:f}%"


def test_ways_to_ask_for_terse_lines(engine: Path, tmp_path: Path) -> None:
    def said(*arguments: str) -> list[str]:
        ran = run(engine, [*SMALL, *arguments], tmp_path)
        assert (ran.status, ran.err) == (0, "")
        return ran.out.splitlines()

    assert [line[:2] for line in said("--minimal")] == ["3;"]
    assert [line[:2] for line in said("--minimal", "--terse-version=5")] == ["5;"]
    lines = said("--append-terse")
    assert sum(line.startswith("3;") for line in lines) == 1
    assert any(line.startswith("  read: IOPS=") for line in lines)


def test_a_version_that_there_is_not_is_told(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, [*SMALL, "--minimal", "--terse-version=6"], tmp_path)
    assert ran.status == 2
    assert "--terse-version: '6' is not one of 2, 3, 4, 5" in ran.err
