"""Jobs that end when they are steady, and depths that meet a latency: as fio's."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.differential import Outcome, outcome_of
from support.engine_runs import paths

STEADY = "ioengine=null size=1m rate_iops=1000 time_based runtime=20 ss_dur=2"


def _text(options: str) -> str:
    return "[j]\n" + "\n".join(options.split()) + "\n"


@pytest.mark.parametrize(
    "criterion",
    ["iops:500", "iops:50%", "bw:90%", "bw:4m", "iops_slope:50%", "bw_slope:50%", "bw_slope:4m"],
)
def test_a_steady_job_ends(engine: Path, fio: str, tmp_path: Path, criterion: str) -> None:
    text = _text(f"{STEADY} steadystate={criterion}")
    reference, ours = (outcome_of(program, text, tmp_path) for program in (fio, engine))
    expected, got = (o.jobs[0]["steadystate"] for o in (reference, ours))
    assert set(paths(got)) == set(paths(expected))
    for key in ("ss", "duration", "attained"):
        assert got[key] == expected[key]
    assert got["attained"] == 1
    assert got["criterion"].endswith("%") == expected["criterion"].endswith("%")
    assert len(got["data"]["iops"]) == len(expected["data"]["iops"]) == 2
    assert ours.jobs[0]["job_runtime"] < 15000
    assert ours.has_worked


def test_latencies_may_be_asked_for(engine: Path, tmp_path: Path) -> None:
    for criterion in ("lat:1s", "lat:200%", "lat_slope:1s"):
        text = _text(f"{STEADY} ss_interval=200ms ss_dur=600ms steadystate={criterion}")
        steady = outcome_of(engine, text, tmp_path).jobs[0]["steadystate"]
        assert (steady["attained"], len(steady["data"]["iops"])) == (1, 3)


def test_a_slope_of_one_second_is_a_number(engine: Path, tmp_path: Path) -> None:
    """Of one value there is none: no "nan", which no reader of JSON takes."""
    text = _text(f"{STEADY} steadystate=bw_slope:1% ss_dur=1")
    steady = outcome_of(engine, text, tmp_path).jobs[0]["steadystate"]
    assert (steady["slope"], steady["attained"]) == (0, 1)
    assert steady["criterion"] == "0.000000%"


def test_a_job_that_ends_before_its_window_has_the_seconds_that_were(
    engine: Path, tmp_path: Path
) -> None:
    text = _text(f"{STEADY} steadystate=iops:1% ss_interval=100ms ss_dur=1s runtime=350ms")
    steady = outcome_of(engine, text, tmp_path).jobs[0]["steadystate"]
    rates = steady["data"]["iops"]
    assert (steady["attained"], 1 <= len(rates) <= 4) == (0, True)
    assert abs(steady["data"]["iops_mean"] - sum(rates) / len(rates)) <= 1


def test_an_unsteady_job_runs_its_time(engine: Path, tmp_path: Path) -> None:
    text = _text(f"{STEADY} steadystate=iops:0 runtime=1s ss_interval=100ms ss_dur=500ms")
    job = outcome_of(engine, text.replace("rate_iops=1000", "thinktime=100"), tmp_path).jobs[0]
    assert job["steadystate"]["attained"] == 0
    assert job["job_runtime"] >= 995
    assert float(job["steadystate"]["criterion"]) > 0


def test_a_window_begins_after_its_ramp(engine: Path, tmp_path: Path) -> None:
    text = _text(f"{STEADY} ss_interval=100ms ss_dur=200ms ss_ramp=600ms ss=iops:99999")
    job = outcome_of(engine, text, tmp_path).jobs[0]
    assert job["steadystate"]["attained"] == 1
    assert 790 <= job["job_runtime"] < 15000


def test_a_group_is_steady_as_a_whole(engine: Path, tmp_path: Path) -> None:
    text = _text(f"{STEADY} ss_interval=100ms ss_dur=300ms ss=iops:99999 numjobs=3 group_reporting")
    (job,) = outcome_of(engine, text, tmp_path).jobs
    assert job["steadystate"]["attained"] == 1
    assert 2000 < job["steadystate"]["data"]["iops_mean"] < 4000
    assert job["read"]["runtime"] < 15000


def test_others_are_not_ended(engine: Path, tmp_path: Path) -> None:
    steady = _text(f"{STEADY} ss_interval=100ms ss_dur=200ms ss=iops:99999")
    other = _text("ioengine=null size=1m time_based runtime=1500ms").replace("[j]", "[k]")
    jobs = outcome_of(engine, steady + other, tmp_path).jobs
    assert jobs[0]["steadystate"]["attained"] == 1
    assert jobs[1]["job_runtime"] >= 1490


def test_a_signal_ends_it_as_any_job(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "j.fio").write_text(_text(f"{STEADY} ss=iops:0%"))
    with subprocess.Popen([engine, tmp_path / "j.fio"], stdout=subprocess.PIPE) as process:
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=10)
    assert process.returncode == 1
    assert b"attained=no" in out


@pytest.mark.parametrize(
    "value", ["iops", "iops:", "iops:much", "iops:-1", "iops:nan", "speed:1%", "bw:1%%%"]
)
def test_what_is_no_criterion_is_refused(engine: Path, tmp_path: Path, value: str) -> None:
    outcome = outcome_of(engine, _text(f"size=1m steadystate={value}"), tmp_path)
    assert outcome.ran.status == 2
    assert "stdin:3:13: steadystate: " in outcome.ran.err


def _searched(program: str | Path, folder: Path, options: str) -> Outcome:
    job = "filename=f ioengine=libaio iodepth=16 direct=1 rw=randread size=4m time_based runtime=20"
    return outcome_of(program, _text(f"{job} latency_window=50ms {options}"), folder)


FOUND = ("latency_depth", "latency_target", "latency_percentile", "latency_window")


def test_the_largest_depth_that_meets_the_target(engine: Path, fio: str, tmp_path: Path) -> None:
    """10 s are always met, so that the first depth is the one; a job ends there."""
    for program in (fio, engine):
        outcome = _searched(program, tmp_path, "latency_target=10s latency_percentile=99.5")
        job = outcome.jobs[0]
        assert [job[key] for key in FOUND] == [16, 10_000_000_000, 99.5, 50000]
        assert 0 < job["job_runtime"] < 19000
        assert outcome.has_worked


def test_what_is_never_met_is_an_error(engine: Path, fio: str, tmp_path: Path) -> None:
    for program in (fio, engine):
        outcome = _searched(program, tmp_path, "latency_target=1us")
        assert outcome.errors == (errno.ETIMEDOUT,)
        assert outcome.jobs[0]["latency_depth"] == 1
        assert outcome.ran.status != 0


def test_a_share_that_is_never_met_ends_nothing(engine: Path, fio: str, tmp_path: Path) -> None:
    for program in (fio, engine):
        options = "latency_target=1us latency_percentile=99 runtime=1"
        outcome = _searched(program, tmp_path, options)
        assert outcome.has_worked
        assert outcome.jobs[0]["latency_depth"] == 1
        assert outcome.jobs[0]["job_runtime"] >= 995


def test_a_depth_between_is_found(engine: Path, tmp_path: Path) -> None:
    """One write a time takes its device: the deeper, the longer each of them waits."""
    job = "filename=f ioengine=posixaio iodepth=64 rw=randwrite size=1m fallocate=none sync=dsync"
    if os.path.realpath(tmp_path).startswith("/dev/shm"):
        pytest.skip("memory takes all at once")
    text = _text(f"{job} time_based runtime=20 latency_window=200ms latency_percentile=50")
    one = outcome_of(engine, _text(f"{job} iodepth=1 time_based runtime=300ms"), tmp_path)
    target_us = 8 * int(one.jobs[0]["write"]["clat_ns"]["mean"]) // 1000
    found = outcome_of(engine, f"{text}latency_target={target_us}\n", tmp_path)
    assert found.has_worked
    assert 1 <= found.jobs[0]["latency_depth"] <= 64
    assert found.jobs[0]["job_runtime"] < 19000


def test_a_depth_may_be_kept(engine: Path, tmp_path: Path) -> None:
    options = "latency_target=10s latency_run=1 runtime=600ms"
    job = _searched(engine, tmp_path, options).jobs[0]
    assert job["latency_depth"] == 16
    assert job["job_runtime"] >= 595
