"""fio's terse lines as results: each version, several jobs and calls in a text, and damage."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from iogate.errors import EngineError
from iogate.foreign import Origin, as_run, read_fio
from iogate.model.run import Host, Run

ORIGIN = Origin("old.txt", Host("old", "m-old"), ended_ns=10**18)
MIXED = ("--ioengine=psync", "--size=1m", "--bs=4k", "--rw=randrw", "--randrepeat=1")


def runs(text: str) -> list[Run]:
    return [as_run(result, ORIGIN) for result in read_fio(text)]


def said(folder: Path, *words: str) -> str:
    """What fio prints."""
    if not shutil.which("fio"):
        pytest.skip("fio is not here")
    done = subprocess.run(
        ["fio", *words], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout


@pytest.mark.parametrize("version", [2, 3, 4, 5])
def test_a_line_is_what_the_json_of_the_same_run_is(version: int, tmp_path: Path) -> None:
    forms = ("--output-format=json,terse", f"--terse-version={version}")
    both = said(tmp_path, "--name=a", "--filename=f", *MIXED, *forms)
    line = next(each for each in both.splitlines() if each.startswith(f"{version};"))
    (as_json,), (terse,) = runs(both.replace(line, "")), runs(line)
    assert terse.environment["origin.form"] == "fio terse"
    measured, same = terse.measurements[0].jobs[0], as_json.measurements[0].jobs[0]
    assert set(measured.directions) == {"read", "write"}
    for name, direction in measured.directions.items():
        other = same.directions[name]
        assert direction.total_ios == other.total_ios
        assert direction.io_bytes == other.io_bytes
        assert direction.runtime_ns == other.runtime_ns
        assert direction.clat
        assert other.clat
        assert direction.clat.mean_ns == pytest.approx(other.clat.mean_ns, abs=1)
        assert direction.clat.percentiles == {
            percent: value // 1000 * 1000 for percent, value in other.clat.percentiles.items()
        }
    assert measured.context_switches == same.context_switches
    assert measured.iodepth_levels == {key: round(v, 1) for key, v in same.iodepth_levels.items()}
    if version > 2:
        assert terse.measurements[0].disks == as_json.measurements[0].disks


def line(name: str = "a", group: int = 0, disk: str = "vda;1;0;0;0;1;0;1;5.00%") -> str:
    """A line of version 3 of a job that read 1000 blocks of 4 KiB in a second."""
    side = ["4000", "4000", "1000", "1000", *["0"] * 4, "10", "90", "20.5", "3.5"]
    side += ["50.000000%=20", "99.000000%=80", *["0%=0"] * 18, "11", "91", "21.5", "3.5"]
    side += ["0", "0", "0%", "0", "0"]
    idle = [*["0"] * 12, *["0%=0"] * 20, *["0"] * 6, "0%", "0", "0"]
    rest = ["1.5%", "2.5%", "7", "0", "1", "100.0%", *["0.0%"] * 6, *["0.00%"] * 22]
    fields = ["3", "fio-3.33", name, str(group), "0", *side, *idle, *rest, disk]
    return ";".join(fields).rstrip(";")


def test_numbers() -> None:
    (run,) = runs(line())
    (job,) = run.measurements[0].jobs
    read = job.directions["read"]
    assert (read.total_ios, read.io_bytes, read.iops, read.bw) == (1000, 4096000, 1000, 4096000)
    assert read.clat
    assert read.slat is None
    assert read.clat.percentiles == {"50": 20000, "99": 80000}
    assert (job.usr_cpu_percent, job.context_switches, job.minor_faults) == (1.5, 7, 1)
    assert run.finished_ns == ORIGIN.ended_ns
    assert run.measurements[0].warnings == ("a: the number of reads is worked out from its rate",)


def test_the_count_of_few_ios_is_that_of_their_block_size() -> None:
    """A rate without its fraction times two thousand seconds is hundreds of I/Os off."""
    slow = line().replace(";4000;4000;1000;1000;", ";44920;21;5;2127550;")
    (run,) = runs(slow)
    assert run.measurements[0].jobs[0].directions["read"].total_ios == 11230


def test_lines_of_one_call_are_one_run() -> None:
    together = runs("\n".join([line("a"), f"{line('b', 1)};about b", line("b", 1)]))
    assert [[job.name for job in run.measurements[0].jobs] for run in together] == [["a", "b", "b"]]
    assert together[0].plan.cases[0].jobs[1].options == {"name": "b", "numjobs": "2"}


@pytest.mark.parametrize(
    "lines",
    [
        [line("a"), line("a", disk="vda;2;0;0;0;1;0;1;5.00%")],
        [line("a", 1), line("a", 0)],
        [line("a", disk=""), line("a", disk="")],
    ],
)
def test_lines_that_another_call_appended_are_another_run(lines: list[str]) -> None:
    assert len(runs("\n".join(lines))) == 2


def test_a_command_above_gives_the_options_that_json_has(tmp_path: Path) -> None:
    words = ["--name=a", "--filename=f", *MIXED]
    command = f"$ fio {' '.join(words)} --minimal\n"
    (as_json,) = runs(said(tmp_path, *words, "--output-format=json"))
    (terse,) = runs(command + said(tmp_path, *words, "--minimal"))
    (normal,) = runs(command + said(tmp_path, *words))
    ids = {run.plan.cases[0].id for run in (as_json, terse, normal)}
    assert ids == {as_json.plan.cases[0].id}
    assert {run.plan.cases[0].name for run in (as_json, terse, normal)} == {"a-randrw-4k"}


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ("", "a-read-4k"),
        ("--bs=16384 --rw=write", "a-write-16k"),
        ("--bs=4k,8k --rw=rw", "a-rw-4k-8k"),
    ],
)
def test_without_a_command_the_case_is_called_as_json_has_it(
    tmp_path: Path, more: str, name: str
) -> None:
    words = ["--name=a", "--filename=f", "--size=64k", *more.split()]
    forms = ("normal", "json")
    told = [
        run for form in forms for run in runs(said(tmp_path, *words, f"--output-format={form}"))
    ]
    assert [run.plan.cases[0].name for run in told] == [name] * 2
    (untold,) = runs(said(tmp_path, *words, "--minimal"))
    assert untold.plan.cases[0].name == "a"


def test_what_is_there_in_another_form_is_not_read_again(tmp_path: Path) -> None:
    words = ["--name=a", "--filename=f", *MIXED]
    told = runs(said(tmp_path, *words, "--output-format=terse,normal"))
    assert [run.environment["origin.form"] for run in told] == ["fio output"]


def test_one_sum_for_reads_and_writes_is_refused(tmp_path: Path) -> None:
    words = ["--name=a", "--filename=f", *MIXED, "--minimal"]
    with pytest.raises(EngineError, match="cannot be told apart"):
        runs(said(tmp_path, *words, "--unified_rw_reporting=1"))
    (both,) = runs(said(tmp_path, *words, "--unified_rw_reporting=both"))
    assert set(both.measurements[0].jobs[0].directions) == {"read", "write"}


@pytest.mark.parametrize("bad", [line()[:300], line().replace(";10;90;", ";10;x;")])
def test_damage_is_named_after_all_others(bad: str) -> None:
    results = read_fio(f"{bad}\n{line('b', disk='')}")
    assert next(results).result.jobs[0].name == "b"
    with pytest.raises(EngineError, match="terse result"):
        next(results)


def test_a_job_that_failed_makes_a_failed_run(tmp_path: Path) -> None:
    (run,) = runs(said(tmp_path, "--name=a", "--ioengine=psync", "--rw=read", "--minimal"))
    assert run.status == "failed"


def test_text_with_semicolons_is_no_result() -> None:
    assert not runs("2;a;0;0;50%=1\n3;4;5\n" + json.dumps({"a": "3;fio-3;b;0;0"}))
