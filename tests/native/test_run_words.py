"""Words of fio's command line that watch a run or end it, and its tests of the machine."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from threading import Thread

import pytest

from support.engine_runs import run

RATE = ["--name=j", "--ioengine=null", "--rw=rw", "--size=64m", "--rate_iops=1000",
        "--time_based", "--runtime=1"]  # fmt: skip
WRITES = ["--name=t", "--filename=f", "--rw=write", "--size=8m", "--rate=4m", "--time_based",
          "--runtime=60", "--verify=crc32c", "--do_verify=0"]  # fmt: skip
# fio's, of which these are checksums that no verify= has.
NO_VERIFY = {"murmur3", "jhash", "fnv"}


def test_idleness_is_told_in_fios_form(engine: Path, fio: str, tmp_path: Path) -> None:
    for words in (["--idle-prof=system"], ["--idle-prof=percpu"]):
        told = []
        for program in (fio, engine):
            ran = run(program, [*words, "--output-format=json", *RATE], tmp_path)
            idle = json.loads(ran.out)["cpu_idleness"]
            told.append(list(idle))
            assert idle["unit_mean"] > 0
        assert all(0 <= idle[key] <= 100 for key in idle if not key.startswith("unit"))
        assert told[0] == told[1]
    ran = run(engine, ["--idle-prof=percpu", *RATE], tmp_path)
    assert re.search(
        r"\n\nCPU idleness:\n  system: [\d.]+%\n  percpu: [\d.]+%(, [\d.]+%)*\n"
        r"  unit work: mean=[\d.]+us, stddev=[\d.]+\n$",
        ran.out,
    )
    assert "cpu_idleness" not in run(engine, ["--output-format=json", *RATE], tmp_path).document()


def test_the_unit_of_work_alone_runs_no_job(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, ["--idle-prof=calibrate", *WRITES], tmp_path)
    assert ran.status == 0
    assert re.fullmatch(r"\nCPU idleness:\n  unit work: mean=[\d.]+us, stddev=[\d.]+\n", ran.out)
    assert list(tmp_path.iterdir()) == []
    assert run(engine, ["--idle-prof=some", *RATE], tmp_path).status == 2


def test_bandwidth_of_all_jobs_together(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, ["--bandwidth-log", *RATE, "--name=k", *RATE[1:]], tmp_path)
    assert ran.status == 0
    logs = {"agg-read_bw.log": 0, "agg-write_bw.log": 1, "agg-trim_bw.log": 2}
    assert {path.name for path in tmp_path.iterdir()} == set(logs)
    for name, direction in logs.items():
        rows = [
            [int(part) for part in line.split(", ")]
            for line in (tmp_path / name).read_text().splitlines()
        ]
        assert len(rows) >= 2
        assert all(row[2:] == [direction, 0, 0] for row in rows)
        assert [row[0] for row in rows] == sorted({row[0] for row in rows})
        last = 0
        moved = 0.0
        for at, rate, *_ in rows:
            moved += (at - last) / 1000 * rate
            last = at
        expected = 0 if direction == 2 else 2 * 1000 * 4  # KiB of two jobs in a second
        assert moved == pytest.approx(expected, rel=0.15)


def test_a_file_pulls_the_trigger(engine: Path, fio: str, tmp_path: Path) -> None:
    """All jobs end, their state is there when the command runs, and the run did not fail."""
    for program in (fio, engine):
        folder = tmp_path / Path(program).name
        folder.mkdir()

        def touch(at: Path = folder / "now") -> None:
            time.sleep(0.5)
            at.touch()

        waiting = Thread(target=touch)
        waiting.start()
        words = ["--trigger-file=now", "--trigger=ls *.state > seen; echo PULLED", *WRITES]
        ran = run(program, [*words, "--name=later", "--stonewall", *WRITES[1:]], folder)
        waiting.join()
        assert ran.status == 0, ran.err
        assert ran.out.count("PULLED\n") == 1
        assert "local-t-0-verify.state" in (folder / "seen").read_text()
        assert not (folder / "now").exists(), "or it would end the next run"


def test_time_pulls_the_trigger(engine: Path, tmp_path: Path) -> None:
    words = ["--trigger-timeout=300ms", "--trigger=echo PULLED > seen", *WRITES]
    ran = run(engine, [*words, "--output-format=json"], tmp_path)
    assert ran.status == 0
    assert (tmp_path / "seen").read_text() == "PULLED\n"
    (job,) = ran.document()["jobs"]
    assert 300 <= job["write"]["runtime"] < 60_000
    assert run(engine, ["--trigger-timeout=soon", *WRITES], tmp_path).status == 2
    assert run(engine, ["--trigger-file=", *WRITES], tmp_path).status == 2


def test_a_job_that_verifies_nothing_leaves_no_state(engine: Path, tmp_path: Path) -> None:
    job = "--name=t --ioengine=null --rw=write --size=1m --rate_iops=10"
    words = ["--trigger-timeout=200ms", "--trigger=echo PULLED > seen", *job.split()]
    assert run(engine, words, tmp_path).status == 0
    assert [path.name for path in tmp_path.iterdir()] == ["seen"]


def test_checksums_have_a_speed(engine: Path, fio: str, tmp_path: Path) -> None:
    ours, theirs = (
        run(program, ["--crctest=help"], tmp_path).out.split() for program in (engine, fio)
    )
    assert set(theirs) - set(ours) == NO_VERIFY
    assert set(ours) <= set(theirs)
    shape = re.compile(r"(crc7:\t\t|sha3-224:\t)[ \d]{4,}\.\d\d MiB/sec")
    for program in (fio, engine):
        lines = run(program, ["--crctest=crc7,sha3-224"], tmp_path).out.splitlines()
        assert [bool(shape.fullmatch(line)) for line in lines] == [True, True], lines
    ran = run(engine, ["--crctest=crc7,nope"], tmp_path)
    assert (ran.status, ran.out) == (2, "")
    assert "'nope' is not one of those that --crctest=help lists" in ran.err


def test_the_clocks_of_all_cpus_are_looked_at(engine: Path, tmp_path: Path) -> None:
    """Where the counter may not be used, that is said."""
    ran = run(engine, ["--cpuclock-test"], tmp_path)
    if ran.status:
        assert "--cpuclock-test: " in ran.err
    else:
        assert ran.out.endswith("cs: Pass!\n")
        assert re.search(r"cs: cpu +\d+: \d+ clocks seen, first \d+\n", ran.out)
