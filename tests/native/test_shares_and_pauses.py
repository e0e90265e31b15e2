"""How jobs share I/Os (flow), where pauses stand, and a ramp that is an amount of I/O."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.engine_runs import run
from support.system_calls import calls_of

WEIGHTS = {"a": 3, "b": 1, "c": 2}


@pytest.mark.parametrize(
    "options",
    [
        "ioengine=null\n",
        "ioengine=null\niodepth=16\nflow_sleep=1000\n",
        "ioengine=psync\nthread\nflow_id=7\n",
    ],
)
def test_jobs_of_a_flow_share_by_weight(engine: Path, tmp_path: Path, options: str) -> None:
    """Each job says its I/Os so far as it ends: the first of them ends the others."""
    text = f"[global]\nsize=1m\nio_size=1g\ntime_based\nruntime=100\n{options}"
    text += "".join(f"[{name}]\nflow={weight}\n" for name, weight in WEIGHTS.items())
    text += "[end]\nflow=0\ntime_based=0\nexitall\nrate_iops=1000\nio_size=1m\n"
    jobs = run(engine, ["-", "--output-format=json"], tmp_path, text).document()["jobs"]
    ios = {job["jobname"]: job["read"]["total_ios"] for job in jobs}
    whole = sum(ios[name] for name in WEIGHTS)
    for name, weight in WEIGHTS.items():
        assert ios[name] / whole == pytest.approx(weight / 6, rel=0.25), ios


def test_flows_of_other_numbers_do_not_wait(engine: Path, tmp_path: Path) -> None:
    text = "[global]\nioengine=null\nsize=64k\n[a]\nflow=1\nflow_id=1\n[b]\nflow=1000\nsize=1m\n"
    jobs = run(engine, ["-", "--output-format=json"], tmp_path, text).document()["jobs"]
    assert [job["read"]["total_ios"] for job in jobs] == [16, 256]


def test_nobody_waits_for_the_share_of_one_that_died(engine: Path, tmp_path: Path) -> None:
    text = "[global]\nioengine=null\nsize=4k\n[dies]\ncomm=dies\nflow=1\nrate_iops=1\nsize=4m\n"
    text += "[lives]\nflow=1\nsize=16m\n"
    (tmp_path / "job.fio").write_text(text)
    arguments = [str(engine), "job.fio", "--output=out"]
    with subprocess.Popen(arguments, cwd=tmp_path, stderr=subprocess.DEVNULL) as process:
        while not (clone := named("dies", process.pid)):
            time.sleep(0.02)
        os.kill(clone, signal.SIGKILL)
        assert process.wait(timeout=60) == 1


def named(name: str, parent: int) -> int:
    """The clone of that name of a run; 0: it is not there yet."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            text = (path / "status").read_text()
        except OSError:
            continue
        if f"Name:\t{name}\n" in text and f"PPid:\t{parent}\n" in text:
            return int(path.name)
    return 0


def sleeps(engine: Path | str, folder: Path, options: list[str]) -> int:
    """How many pauses of 30 ms a job of 64 I/Os has."""
    job = ["--name=j", "--ioengine=null", "--size=256k", "--thinktime=30ms", *options]
    calls = calls_of(Path(engine), "futex,clock_nanosleep,nanosleep", job, folder)
    return len(re.findall(r"tv_nsec=(29|30)\d{6}\}", calls))


@pytest.mark.parametrize(
    ("options", "pauses"),
    [
        (["--thinktime_blocks=16"], 3),
        (["--thinktime_iotime=100", "--thinktime_blocks=16"], 3),
        (["--thinktime_iotime=100"], 0),
    ],
)
def test_a_pause_comes_after_blocks_or_time(
    engine: Path, tmp_path: Path, options: list[str], pauses: int
) -> None:
    """A fourth pause, behind the last I/O, is none of anybody's."""
    assert pauses <= sleeps(engine, tmp_path, options) <= pauses + (pauses > 0)


def test_work_takes_time_in_front_of_each_io(engine: Path, tmp_path: Path) -> None:
    """A billion cycles are well over 10 ms anywhere, and 16 I/Os of null are not."""
    job = ["--name=j", "--ioengine=null", "--size=8k", "--output-format=json"]
    worked = run(engine, [*job, "--thinkcycles=500m"], tmp_path).document()["jobs"][0]
    assert worked["read"]["runtime"] > 10
    assert worked["read"]["total_ios"] == 2


@pytest.mark.parametrize(
    ("size", "counted"), [("64k", 240), ("25%", 192), ("1", 255), ("2m", 256), ("0", 256)]
)
def test_a_ramp_of_an_amount_is_not_counted(
    engine: Path, tmp_path: Path, size: str, counted: int
) -> None:
    job = ["--name=j", "--ioengine=null", "--size=1m", "--output-format=json"]
    ran = run(engine, [*job, f"--ramp_size={size}"], tmp_path)
    assert ran.status == 0
    assert ran.document()["jobs"][0]["read"]["total_ios"] == counted
    assert ("ended before its ramp did" in ran.err) == (size == "2m")


def test_a_ramp_ends_with_the_first_of_time_and_amount(engine: Path, tmp_path: Path) -> None:
    job = ["--name=j", "--ioengine=null", "--size=1m", "--ramp_time=100", "--output-format=json"]
    ran = run(engine, [*job, "--ramp_size=64k"], tmp_path)
    assert ran.document()["jobs"][0]["read"]["total_ios"] == 240


def test_a_log_is_read_in_chunks_or_not(engine: Path, tmp_path: Path) -> None:
    small = ["--name=j", "--size=64k", "--output-format=json"]
    assert run(engine, [*small, "--write_iolog=log"], tmp_path).status == 0
    told = run(engine, [*small, "--read_iolog=log", "--read_iolog_chunked=1"], tmp_path)
    assert told.document()["jobs"][0]["read"]["total_ios"] == 16
