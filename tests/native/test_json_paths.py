"""The JSON has each path that fio's has, with the same type; what it has beyond is known."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.engine_runs import run

ON_FILE = "ioengine=psync size=1m filename=f "
NULL = "ioengine=null size=64k "
JOBS = (
    ON_FILE + "rw=randrw",
    ON_FILE + "rw=write fsync=4",
    ON_FILE + "rw=write fdatasync=8",
    ON_FILE + "rw=randrw clat_percentiles=0",
    ON_FILE + "rw=randrw lat_percentiles=1",
    ON_FILE + "rw=randrw percentile_list=50:99.9",
    ON_FILE + "rw=randrw unified_rw_reporting=1",
    ON_FILE + "rw=randrw unified_rw_reporting=both",
    ON_FILE + "rw=randrw numjobs=2",
    ON_FILE + "rw=randrw numjobs=2 group_reporting=1",
    ON_FILE + "rw=write verify=crc32c",
    ON_FILE + "rw=read continue_on_error=io",
    ON_FILE + "rw=read description=words",
    "ioengine=libaio iodepth=4 size=1m filename=f rw=randread slat_percentiles=1 lat_percentiles=1",
    NULL + "rw=read gtod_reduce=1",
    NULL + "rw=read disable_clat=1",
    NULL + "rw=read disable_lat=1 disable_slat=1",
    NULL + "rw=read runtime=1 time_based=1",
    NULL + "rw=read runtime=1 time_based=1 disable_bw_measurement=1",
    NULL + "rw=read latency_target=1ms latency_window=10ms latency_percentile=99",
    NULL + "rw=read runtime=2 time_based=1 steadystate=iops:50% steadystate_duration=1",
    "ioengine=cpuio cpuload=20 runtime=1 time_based=1",
    "ioengine=exec program=true runtime=1",
)
# From fio after 3.33, and our own.
OURS = re.compile(r".*(job_start|_sectors|\.iogate.*)")


def _paths(value: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """Each path and its type. Percentiles and bins are one path, and so is what is a list."""
    if isinstance(value, dict):
        anonymous = at.endswith(("percentile", "bins", "options"))
        for key, inner in value.items():
            yield from _paths(inner, f"{at}.<key>" if anonymous else f"{at}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from _paths(inner, f"{at}[]")
    else:
        yield at, type(value).__name__


def _told(program: str | Path, form: str, options: str, folder: Path) -> dict[str, str]:
    text = "[global]\nthread=1\n[j]\n" + "\n".join(options.split()) + "\n"
    out = run(program, [f"--output-format={form}", "-"], folder, text).out
    numbers = re.sub(r": -?nan", ": 0.0", out[out.index("{") :])
    return dict(_paths(json.JSONDecoder().raw_decode(numbers)[0]))


@pytest.mark.parametrize("form", ["json", "json+"])
@pytest.mark.parametrize("options", JOBS)
def test_paths_and_types_are_fios(
    engine: Path, fio: str, tmp_path: Path, options: str, form: str
) -> None:
    theirs = _told(fio, form, options, tmp_path / "fio")
    ours = _told(engine, form, options, tmp_path / "ours")
    assert {path: ours.get(path) for path in theirs} == theirs
    assert not [path for path in ours.keys() - theirs.keys() if not OURS.fullmatch(path)]


def test_bandwidth_above_a_gib_is_told_in_mib(engine: Path, fio: str, tmp_path: Path) -> None:
    """Blocks of 1 MiB to nowhere are that fast on any machine."""
    words = ["--name=j", "--ioengine=null", "--rw=write", "--bs=1m", "--time_based", "--size=1t"]
    for program in (fio, engine):
        out = run(program, [*words, "--runtime=2"], tmp_path).out
        assert re.search(r"^   bw \(  MiB/s\): min= *\d+, max= *\d+, per=", out, re.MULTILINE)
