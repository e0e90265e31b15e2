"""The native engine's command line: what it accepts, prints, refuses and leaves behind."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.engine_runs import NATIVE, Ran, run, written_blocks

SMALL = ["--name=j", "--rw=read", "--size=64k", "--ioengine=null"]
VERSION = "iogate-engine-0.1.0"


def showcmd(engine: Path, folder: Path, *arguments: str, text: str = "") -> str:
    """The jobs that the arguments stand for, as the engine understood them."""
    ran = run(engine, ["--showcmd", *arguments], folder, text)
    assert ran.status == 0, ran.err
    return ran.out.strip()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--name=x", "--bs=8k", "--thread"],
        ["-name=x", "-bs=8k", "-thread"],
        ["--name", "x", "--bs", "8k", "--thread=1"],
        ["--nam", "x", "--blocksize=8k", "--threa"],
    ],
)
def test_ways_to_write_an_option(engine: Path, tmp_path: Path, arguments: list[str]) -> None:
    shown = showcmd(engine, tmp_path, *arguments)
    assert shown == "iogate-engine --name=x --bs=8k --thread=1"


@pytest.mark.parametrize("ioengine", ["libaio", "io_uring"])
def test_a_prefix_of_what_several_ioengines_have_is_no_riddle(
    engine: Path, fio: str, tmp_path: Path, ioengine: str
) -> None:
    words = ["--name=x", f"--ioengine={ioengine}", "--size=4k", "--cmdprio_perc=10"]
    assert run(fio, [*words, "--parse-only"], tmp_path).status == 0
    assert "--cmdprio_percentage=10" in showcmd(engine, tmp_path, *words)
    said = run(engine, ["--name=x", "--no=1"], tmp_path).err
    assert said.count("--nowait") == 1


def test_options_before_the_first_name_hold_for_all_jobs(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text("[a]\nsize=1m\n[b]\nbs=2k\n")
    shown = showcmd(engine, tmp_path, "--bs=8k", "job.fio", "--size=2m", "--name=c", "--bs=1k")
    assert shown == (
        "iogate-engine --bs=8k --size=2m --name=c --bs=1k --name=a --size=1m --name=b --bs=2k"
    )


def test_each_job_file_has_defaults_of_its_own_and_waits_for_the_one_before(
    engine: Path, fio: str, tmp_path: Path
) -> None:
    (tmp_path / "one.fio").write_text("[global]\nbs=16k\nioengine=null\nsize=64k\n[a]\n[b]\n")
    (tmp_path / "two.fio").write_text(
        "[global]\nioengine=null\n[c]\nsize=64k\n[d]\nstonewall\nsize=64k\n"
    )
    files = ["one.fio", "two.fio", "one.fio"]
    seen = []
    for program in (fio, engine):
        jobs = run(program, ["--output-format=json", *files], tmp_path).document()["jobs"]
        seen.append([(j["jobname"], j["groupid"], j["read"]["total_ios"]) for j in jobs])
    assert seen[0] == seen[1]
    assert [group for _, group, _ in seen[1]] == [0, 0, 1, 2, 3, 3]


def test_showcmd_of_several_files_is_a_command_line(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "one.fio").write_text("[global]\nbs=16k\n[a]\nrw=read\n")
    (tmp_path / "two.fio").write_text("[b]\nrw=write\n")
    shown = showcmd(engine, tmp_path, "--size=1m", "one.fio", "two.fio")
    assert shown == (
        "iogate-engine --size=1m --name=a --bs=16k --rw=read --name=b --stonewall=1 --rw=write"
    )


def test_showcmd_is_a_command_line(engine: Path, tmp_path: Path) -> None:
    text = "[global]\nrw=randrw\n[a b]\nsize=1m\ndescription=it's $5\ngroup_reporting\n"
    shown = showcmd(engine, tmp_path, "-", text=text)
    again = subprocess.run(
        ["sh", "-c", shown.replace("iogate-engine", f"{engine} --showcmd", 1)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert again.stdout.strip() == shown
    assert "'--name=a b'" in shown or "--name='a b'" in shown


def test_section_runs_only_what_it_names(engine: Path, tmp_path: Path) -> None:
    text = "[global]\nsize=1m\n[a]\n[b]\n[c]\n"
    shown = showcmd(engine, tmp_path, "-", "--section=b", text=text)
    assert shown == "iogate-engine --size=1m --name=b"


def test_include_is_found_beside_the_including_file(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "common.fio").write_text("[global]\nsize=1m\n")
    (tmp_path / "jobs" / "job.fio").write_text("include common.fio\n[a]\n")
    shown = showcmd(engine, tmp_path, "jobs/job.fio")
    assert shown == "iogate-engine --size=1m --name=a"


def test_an_included_file_may_have_sections(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "more.inc").write_text("bs=2k\n[b]\nbs=4k\n")
    (tmp_path / "job.fio").write_text("[a]\ninclude more.inc\n")
    assert showcmd(engine, tmp_path, "job.fio") == "iogate-engine --name=a --bs=2k --name=b --bs=4k"


def test_environment_in_a_job_file(
    engine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOW_MUCH", "3m")
    assert showcmd(engine, tmp_path, "-", text="[a]\nsize=${HOW_MUCH}\n").endswith("--size=3m")


@pytest.mark.parametrize(("letter", "word"), [("-h", "--help"), ("-v", "--version")])
def test_two_words_have_a_letter(
    engine: Path, fio: str, tmp_path: Path, letter: str, word: str
) -> None:
    for program in (engine, fio):
        ran = run(program, [letter], tmp_path)
        assert (ran.status, ran.out) == (0, run(program, [word], tmp_path).out)


MISTAKES = {
    "nothing": ([], "", "there is no job"),
    "unknown option": (
        ["--name=j", "--iodeth=4"],
        "",
        "unknown option --iodeth, did you mean --iodepth?",
    ),
    "unknown command": (["--outptu=x"], "", "did you mean --output?"),
    "ambiguous": (["--r=1"], "", "--r could mean --readonly, --ramp_"),
    "value missing": (["--name=j", "--direct", "--size=1m"], "", "direct: a value is missing"),
    "no value wanted": (["--readonly=1"], "", "--readonly takes no value"),
    "file missing": (["no.fio"], "", "cannot read the job file 'no.fio': No such file"),
    "folder": (["."], "", "cannot read the job file '.': Is a directory"),
    "of fio's": (
        ["--name=j", "--dp_scheme=5"],
        "",
        "--dp_scheme: fio has it, iogate-engine does not have it yet",
    ),
    "command of fio's": (["--server"], "", "--server: fio has it"),
    "key of fio's": (["-"], "[j]\n plids=4\n", "stdin:2:2: plids: fio has it"),
    "help of fio's": (["--cmdhelp=rbdname"], "", "rbdname: fio has it"),
    "far from all": (["--name=j", "--nume=x"], "", "unknown option --nume, did you mean --name?"),
    "CPU": ([*SMALL, "--cpus_allowed=x"], "", "cpus_allowed: 'x' is no list of CPUs"),
    "key": (["-"], "[j]\n\n  bogus = 3\n", "stdin:3:3: unknown option 'bogus'"),
    "key case": (["-"], "[j]\nSize=4k\n", "stdin:2:1: unknown option 'Size', did you mean"),
    "value": (["-"], "[j]\nsize = 4q\n", "stdin:2:8: size: cannot read '4q': no unit 'q'"),
    "overflow": (["-"], "[j]\nsize=99999p\n", "stdin:2:6: size: cannot read '99999p': it is too"),
    "format": (
        [*SMALL, "--output-format=xml"],
        "",
        "'xml' is not one of normal, terse, ",
    ),
    "status fd": ([*SMALL, "--status-fd=77"], "", "file descriptor 77 is not open"),
    "section": ([*SMALL, "--section=k"], "", "--section: there is no job 'k'"),
    "engine": (["--enghelp=libaoi"], "", "there is no engine 'libaoi', did you mean 'libaio'?"),
    "help behind a blank": (["--cmdhelp", "rw"], "", "behind '=': --cmdhelp=rw"),
    "engine behind a blank": (["--enghelp", "libaio"], "", "behind '=': --enghelp=libaio"),
    "option help": (["--cmdhelp=sise"], "", "there is no option 'sise', did you mean 'size'?"),
    **{
        option: ([*SMALL, f"--{option}"], "", f"it is a number of {unit}, and takes no unit of")
        for option, unit in {
            "log_avg_msec=100ms": "ms",
            "log_hist_msec=1s": "ms",
            "rate_cycle=1s": "ms",
            "bwavgtime=100ms": "ms",
            "iopsavgtime=1sec": "ms",
            "flow_sleep=1ms": "us",
        }.items()
    },
    "part of a ms": ([*SMALL, "--rate_cycle=1.5"], "", "it must be a whole number"),
    "output folder": ([*SMALL, "--output=no/out"], "", "cannot create 'no/out': No such file"),
}


@pytest.mark.parametrize(("arguments", "text", "says"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes_exit_2_with_one_sentence(
    engine: Path, tmp_path: Path, arguments: list[str], text: str, says: str
) -> None:
    ran = run(engine, arguments, tmp_path, text)
    assert ran.status == 2
    assert not ran.out
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("iogate-engine: ")
    assert says in ran.err
    assert list(tmp_path.iterdir()) == []


def test_parse_only_touches_nothing(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, ["--name=j", "--rw=write", "--size=1m", "--parse-only"], tmp_path)
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_readonly_refuses_writers(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, ["--name=j", "--rw=randrw", "--size=1m", "--readonly"], tmp_path)
    assert ran.status != 0
    assert "readonly" in ran.err or "read-only" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_readonly_makes_and_extends_no_file(engine: Path, tmp_path: Path) -> None:
    target = tmp_path / "f"
    arguments = ["--name=j", "--filename=f", "--rw=read", "--size=64k", "--readonly"]
    ran = run(engine, arguments, tmp_path)
    assert ran.status == 1
    assert "'f' does not exist, and --readonly forbids to make it" in ran.err
    assert not target.exists()
    target.write_bytes(bytes(1000))
    ran = run(engine, arguments, tmp_path)
    assert ran.status == 1
    assert "'f' has 1000 bytes, the job needs 65536, and --readonly forbids" in ran.err
    assert target.stat().st_size == 1000
    target.write_bytes(bytes(65536))
    assert run(engine, arguments, tmp_path).status == 0


def test_help_lists_what_there_is(engine: Path, tmp_path: Path) -> None:
    assert "--output-format" in run(engine, ["--help"], tmp_path).out
    assert run(engine, ["--version"], tmp_path).out.strip() == VERSION
    engines = run(engine, ["--enghelp"], tmp_path).out
    for name in ("sync", "psync", "vsync", "libaio", "io_uring", "mmap", "splice", "null"):
        assert f"\t{name}\n" in engines
    assert "read(2)" in run(engine, ["--enghelp=sync"], tmp_path).out
    assert "randwrite" in run(engine, ["--cmdhelp=rw"], tmp_path).out
    assert len(run(engine, ["--cmdhelp"], tmp_path).out.splitlines()) >= 38


def test_the_option_reference_is_current(engine: Path, tmp_path: Path) -> None:
    stored = (NATIVE.parent / "docs" / "options.md").read_text()
    assert run(engine, ["--option-reference"], tmp_path).out == stored, "make -C native docs"


def test_the_option_table_is_what_the_help_lists(engine: Path, tmp_path: Path) -> None:
    table = json.loads(run(engine, ["--option-table"], tmp_path).out)
    listed = run(engine, ["--cmdhelp"], tmp_path).out.splitlines()
    of_jobs = [row[key] for row in table["options"] for key in ("name", "alias") if key in row]
    of_engines = [row["name"] for each in table["ioengines"] for row in each["options"]]
    assert of_jobs + of_engines == [re.split(r" *:", line)[0] for line in listed]
    rows = {row["name"]: row for row in table["options"]}
    assert rows["bs"].pop("help").startswith("Bytes of one I/O; ")
    assert rows["bs"] == {
        "name": "bs", "alias": "blocksize", "type": "size, or sizes `r,w,t`", "default": "4k",
        "least": 1, "most": 1 << 30,
    }  # fmt: skip
    assert rows["thinktime"]["unit_ns"] == 1000
    assert "randrw" in rows["rw"]["choices"]
    for row in table["ioengines"]:
        said = run(engine, [f"--enghelp={row['name']}"], tmp_path).out
        assert row["synchronous"] == ("Synchronous" in said)
        own = said.partition("Its own options:\n")[2].splitlines()
        assert [each["name"] for each in row["options"]] == [line.split()[0] for line in own]


def test_json_stands_alone(engine: Path, tmp_path: Path) -> None:
    """Remarks are in it, and what tools take for an error is empty."""
    ran = run(engine, ["--name=j", "--size=64k", "--iodepth=4", "--output-format=json"], tmp_path)
    assert ran.document()["fio version"] == VERSION
    (warning,) = ran.document()["iogate"]["warnings"]
    assert "psync is synchronous" in warning
    assert ran.err == ""


def test_a_result_says_what_its_numbers_mean(engine: Path, tmp_path: Path) -> None:
    said = run(engine, [*SMALL, "--output-format=json"], tmp_path).document()["iogate"]
    assert (said["version"], said["semantics"]) == ("0.1.0", 2)


def test_several_formats_at_once(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, [*SMALL, "--output-format=normal,json+"], tmp_path)
    start, end = ran.out.index("\n{\n") + 1, ran.out.index("\n}\n") + 2
    assert json.loads(ran.out[start:end])["jobs"][0]["jobname"] == "j"
    assert "Run status group 0" in ran.out[end:]
    assert "bins" in ran.out


def test_normal_output_reads_like_fio(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, ["--name=MyReadTest", "--readwrite=read", "--size=1m"], tmp_path)
    assert ran.out.startswith(
        "MyReadTest: (g=0): rw=read, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, "
        f"ioengine=psync, iodepth=1\n{VERSION}\nStarting 1 process\n"
        "MyReadTest: Laying out IO file (1 file / 1MiB)\n"
    )
    for part in (
        "MyReadTest: (groupid=0, jobs=1): err= 0: pid=",
        "  read: IOPS=",
        "    clat percentiles (",
        "  cpu          : usr=",
        "     issued rwts: total=256,0,0,0 short=0,0,0,0 dropped=0,0,0,0\n",
        "Run status group 0 (all jobs):\n   READ: bw=",
    ):
        assert part in ran.out


def test_output_appears_whole(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, [*SMALL, "--output-format=json", "--output=out.json"], tmp_path)
    assert (ran.status, ran.out) == (0, "")
    assert json.loads((tmp_path / "out.json").read_text())["jobs"]
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_a_failed_run_leaves_the_old_output(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "out.json").write_text("before")
    arguments = ["--name=j", "--size=1m", "--directory=no", "--output=out.json"]
    ran = run(engine, arguments, tmp_path)
    assert ran.status == 1
    assert (tmp_path / "out.json").read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_output_to_a_device_is_written_in_place(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, [*SMALL, "--output-format=json", "--output=/dev/stdout"], tmp_path)
    assert json.loads(ran.out)["jobs"]


def test_status_fd_gets_a_line_of_json_at_a_time(engine: Path, tmp_path: Path) -> None:
    read_fd, write_fd = os.pipe()
    arguments = ["--name=j", "--size=1m", "--time_based", "--runtime=1200ms", "--ioengine=null"]
    with subprocess.Popen(
        [engine, *arguments, f"--status-fd={write_fd}", "--output-format=json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        pass_fds=[write_fd],
    ) as process:
        os.close(write_fd)
        with os.fdopen(read_fd) as stream:
            lines = [json.loads(line) for line in stream]
        assert process.stdout
        document = json.loads(process.stdout.read())
    assert {line["schema"] for line in lines} == {"status/1"}
    assert {"running", "finishing"} <= {line["state"] for line in lines}
    assert lines[-1]["read"]["ios"] == document["jobs"][0]["read"]["total_ios"]


def test_status_counts_each_io_once(engine: Path, tmp_path: Path) -> None:
    """Also of clones that share a row, and while a later group runs."""
    group = ["--size=1m", "--ioengine=null", "--numjobs=3", "--group_reporting"]
    ran = run(engine, ["--name=j", *group, "--name=k", "--stonewall", *group, "--status-fd=2"],
              tmp_path)  # fmt: skip
    last = json.loads(ran.err.splitlines()[-1])
    assert last["read"]["ios"] == 2 * 3 * 256


def test_a_reader_that_stalls_does_not_stop_the_run(engine: Path, tmp_path: Path) -> None:
    """Its pipe is full from the beginning: it gets no lines, and the results are there."""
    read_fd, write_fd = os.pipe()
    arguments = ["--name=j", "--size=1m", "--time_based", "--runtime=700ms", "--ioengine=null"]
    try:
        os.write(write_fd, bytes(fcntl.fcntl(write_fd, fcntl.F_GETPIPE_SZ)))
        done = subprocess.run(
            [engine, *arguments, f"--status-fd={write_fd}", "--output-format=json"],
            cwd=tmp_path,
            capture_output=True,
            pass_fds=[write_fd],
            check=True,
            timeout=30,
        )
    finally:
        os.close(write_fd)
        os.close(read_fd)
    assert json.loads(done.stdout)["jobs"][0]["read"]["total_ios"] > 0


def _interrupted(engine: Path, folder: Path, number: signal.Signals, times: int) -> Ran:
    """A long run that gets a signal while it does I/O."""
    arguments = ["--name=j", "--size=1m", "--time_based", "--runtime=60", "--ioengine=null"]
    with subprocess.Popen(
        [engine, *arguments, "--status-fd=2", "--output-format=json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr
        for line in process.stderr:
            if '"running"' in line:
                break
        for _ in range(times):
            process.send_signal(number)
        out, err = process.communicate(timeout=20)
    return Ran(process.returncode, out, err, folder)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_with_its_results(
    engine: Path, tmp_path: Path, number: signal.Signals
) -> None:
    started = time.monotonic()
    ran = _interrupted(engine, tmp_path, number, 1)
    assert ran.status == 1
    document = json.loads(ran.out)
    assert document["iogate"]["interrupted"] is True
    assert document["jobs"][0]["read"]["total_ios"] > 0
    assert time.monotonic() - started < 50


def test_no_worker_outlives_a_killed_run(engine: Path, tmp_path: Path) -> None:
    """Although workers have sessions of their own, so that neither a Ctrl-C in the shell nor
    its share of the CPU is theirs."""
    started = time.monotonic()
    arguments = ["--name=j", "--size=1m", "--time_based", "--runtime=60", "--ioengine=null"]
    with subprocess.Popen(
        [engine, *arguments, "--numjobs=2", "--status-fd=2"], cwd=tmp_path, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stderr
        next(line for line in process.stderr if '"running"' in line)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        workers = [int(child) for child in children]
        assert [os.getsid(worker) for worker in workers] == workers
        process.kill()
        process.stderr.read()  # ends when the last of them is gone
    assert len(workers) == 2
    assert time.monotonic() - started < 50


def test_numbers_with_units_reach_the_job(engine: Path, tmp_path: Path) -> None:
    """runtime=300ms is not five minutes, and 2sec no microseconds."""
    text = "[j]\nioengine=null\nsize= 64k\nbs=1.5k\ntime_based\nruntime=0.3sec\n"
    ran = run(engine, ["-", "--output-format=json"], tmp_path, text)
    read = ran.document()["jobs"][0]["read"]
    assert 50 <= read["runtime"] < 60_000
    assert read["io_bytes"] == read["total_ios"] * 1536


def test_errored_io_is_apart_from_throughput(engine: Path, tmp_path: Path) -> None:
    """A full disk: the job fails with ENOSPC and counts what did work."""
    ran = run(
        engine,
        ["--name=j", "--rw=write", "--size=64k", "--filename=/dev/full", "--output-format=json"],
        tmp_path,
    )
    assert ran.status == 1
    if ran.out:
        job = json.loads(ran.out)["jobs"][0]
        assert job["error"] == 28
        assert job["iogate"]["errors"]["ENOSPC"] >= 1
        assert job["write"]["total_ios"] == 0
    else:
        assert "/dev/full" in ran.err


def test_a_fresh_file_is_fully_written(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, ["--name=j", "--rw=write", "--size=256k", "--filename=f"], tmp_path)
    assert ran.status == 0
    assert written_blocks(tmp_path / "f") == set(range(64))
