"""Words of the command line by which people watch a run, and those that do nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.engine_runs import run

SECONDS = ["--name=j", "--ioengine=null", "--size=1m", "--time_based", "--runtime=900ms"]
WHOLE = re.compile(r"^\{\n(?:.*\n)*?\}\n", re.MULTILINE)
SHORT = ["--name=j", "--ioengine=null", "--size=64k"]


def test_status_interval_gives_whole_results(engine: Path, tmp_path: Path) -> None:
    ran = run(
        engine,
        [*SECONDS, "--rate_iops=2000", "--numjobs=2", "--group_reporting",
         "--status-interval=200ms", "--output-format=json"],
        tmp_path,
    )  # fmt: skip
    assert (ran.status, ran.err) == (0, "")
    documents = [json.loads(text) for text in WHOLE.findall(ran.out)]
    assert len(documents) >= 2
    reads = [document["jobs"][0]["read"] for document in documents]
    assert all(len(document["jobs"]) == 1 for document in documents)
    totals = [read["total_ios"] for read in reads]
    assert totals == sorted(totals)
    assert 0 < totals[0] < totals[-1]
    for read in reads:
        assert read["clat_ns"]["N"] == read["total_ios"]
        assert read["io_bytes"] == 4096 * read["total_ios"]
        assert read["clat_ns"]["percentile"]
    assert reads[0]["runtime"] < reads[-1]["runtime"]


def test_results_so_far_are_in_the_file_at_once(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, [*SECONDS, "--status-interval=250ms", "--output=out", "--minimal"], tmp_path)
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    lines = (tmp_path / "out").read_text().splitlines()
    assert len(lines) >= 2
    assert {len(line.split(";")) for line in lines} == {len(lines[0].split(";"))}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_groups_that_ended_are_counted_once(engine: Path, tmp_path: Path) -> None:
    first = ["--name=a", "--ioengine=null", "--size=1m", "--numjobs=3", "--group_reporting"]
    second = ["--name=b", "--stonewall", "--new_group", *SECONDS[1:]]
    ran = run(
        engine, [*first, *second, "--status-interval=200ms", "--output-format=json"], tmp_path
    )
    documents = [json.loads(text) for text in WHOLE.findall(ran.out)]
    assert len(documents) >= 2
    assert {document["jobs"][0]["read"]["total_ios"] for document in documents} == {3 * 256}


def test_the_live_line_is_kept_when_asked(engine: Path, tmp_path: Path) -> None:
    ran = run(
        engine,
        [*SECONDS, "--eta=always", "--eta-interval=250ms", "--eta-newline=1ms", "--output=o"],
        tmp_path,
    )
    kept = [line for line in ran.out.splitlines() if "Jobs: 1" in line]
    assert len(kept) >= 2


def _live_lines(engine: Path, folder: Path, sections: str) -> list[str]:
    common = "[global]\nioengine=null\nsize=1g\ntime_based\nrate_iops=100\nruntime=3\n"
    words = ["--eta=always", "--eta-interval=250ms", "--eta-newline=1ms", "-"]
    return run(engine, words, folder, common + sections).out.splitlines()


def test_the_live_line_says_what_each_job_does(engine: Path, tmp_path: Path) -> None:
    """Also when some have ended, or have not begun, as fio's documentation has it."""
    ends, begins = "[a]\nnumjobs=2\nrw=read\nruntime=1\n", "[c]\nstonewall\nrw=read\n"
    lines = _live_lines(engine, tmp_path, f"{ends}[b]\nrw=randwrite\n{begins}")
    assert [line for line in lines if "[_(2),w(1),P(1)][" in line]


def test_a_job_that_verifies_what_it_wrote_is_told(engine: Path, tmp_path: Path) -> None:
    job = "[j]\nrw=write\nsize=32m\nbs=64k\nverify=sha3-512\n"
    words = ["--eta=always", "--eta-interval=250ms", "--eta-newline=1ms", "-"]
    lines = run(engine, words, tmp_path, job).out.splitlines()
    assert [line for line in lines if line.startswith("Jobs: 1 (f=1): [W(1)][")]
    assert [line for line in lines if line.startswith("Jobs: 1 (f=1): [V(1)][")]


def test_a_job_that_waits_to_begin_does_not_run(engine: Path, tmp_path: Path) -> None:
    waits = "[b]\nrw=write\nstartdelay=1000\n"
    lines = _live_lines(engine, tmp_path, f"[a]\nnumjobs=2\nrw=read\nexitall\n{waits}")
    said = [line for line in lines if ": [R(2),P(1)]" in line]
    assert said
    assert {line.split()[1] for line in said} == {"2"}


@pytest.mark.parametrize(
    "word",
    [
        "--status-interval=0", "--status-interval=x", "--status-interval=1us",
        "--eta-interval=249ms", "--eta-interval=0", "--eta-interval=x",
        "--eta-newline=0", "--eta-newline=x",
    ],
)  # fmt: skip
def test_times_that_fio_refuses(engine: Path, fio: str, tmp_path: Path, word: str) -> None:
    assert run(fio, [word, *SHORT], tmp_path).status == 1
    ran = run(engine, [word, *SHORT], tmp_path)
    assert ran.status == 2
    assert ran.err.startswith(f"iogate-engine: {word.partition('=')[0]}: ")


def test_debug_tells_how_jobs_were_read(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, ["--debug=parse,job:1,io", *SHORT], tmp_path)
    assert (ran.status, ran.err) == (0, "")
    assert "parse    j: size=64k" in ran.out
    assert "job      j: group 0" in ran.out
    listed = run(engine, ["--debug=help"], tmp_path).out
    for name in ("process", "io", "verify", "zbd", "steadystate"):
        assert f" {name}" in listed


def test_debug_of_no_type_is_told_and_goes_on(engine: Path, fio: str, tmp_path: Path) -> None:
    for program in (engine, fio):
        ran = run(program, ["--debug=bogus", *SHORT], tmp_path)
        assert ran.status == 0
        assert "bogus" in ran.err
    assert run(engine, ["--debug=bogus", "--warnings-fatal", *SHORT], tmp_path).status == 2


def test_warnings_are_fatal_when_asked(engine: Path, fio: str, tmp_path: Path) -> None:
    for program, refused in ((engine, 2), (fio, 1)):
        assert (
            run(program, ["--warnings-fatal", *SHORT, "--time_based"], tmp_path).status == refused
        )
        deep = ["--name=j", "--size=64k", "--ioengine=psync", "--iodepth=4"]
        assert run(program, ["--warnings-fatal", *deep], tmp_path).status == 0


def test_words_for_fios_insides_are_taken(engine: Path, fio: str, tmp_path: Path) -> None:
    words = ["--max-jobs=7", "--alloc-size=1024", "--aux-path=state"]
    assert run(fio, [*words, *SHORT], tmp_path).status == 0
    ran = run(engine, [*words, *SHORT], tmp_path)
    assert (ran.status, ran.err) == (0, "")
    assert "--max-jobs does nothing here" in ran.out
    assert "--alloc-size does nothing here" in ran.out
    run(engine, [*words, *SHORT, "--output-format=json"], tmp_path).document()


LONG = "--name=j --ioengine=null --size=1g --rw=read --time_based --runtime=60 --rate_iops=500"


@pytest.mark.parametrize("output_format", ["normal", "json"])
@pytest.mark.parametrize("output", [(), ("--output=file",)])
def test_a_signal_shows_what_there_is_and_the_run_goes_on(
    engine: Path, tmp_path: Path, output_format: str, output: tuple[str, ...]
) -> None:
    """SIGUSR1, as in fio; sent to all processes of that name it reaches the workers, too."""
    words = [str(engine), *LONG.split(), f"--output-format={output_format}", *output]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        while not (workers := children(process.pid)):
            assert process.poll() is None
            time.sleep(0.02)
        for each in (process.pid, *workers):
            os.kill(each, signal.SIGUSR1)
        ends = {"json": "}", "normal": "Run status group"}[output_format]
        shown = ""
        for line in process.stdout:
            shown += line
            if line.startswith(ends):
                break
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait(timeout=60) == 1
    final = (tmp_path / "file").read_text() if output else rest
    if output_format == "json":
        assert json.loads(shown)["jobs"][0]["jobname"] == "j"
        assert json.loads(final)["jobs"][0]["jobname"] == "j"
    else:
        assert "Run status group" in final


def children(pid: int) -> list[int]:
    """The workers of a run, once there are some."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]
