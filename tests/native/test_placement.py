"""Where a job runs, and as whom: CPUs, memory, priorities, its user and its name."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from support.devices import needs_root
from support.engine_runs import run
from support.system_calls import calls_of

NULL = ["--name=j", "--ioengine=null", "--size=64k"]
NOBODY = 65534


def masks(engine: Path, folder: Path, options: list[str]) -> list[str]:
    """The CPUs that each clone asks for, as strace shows them."""
    calls = calls_of(engine, "sched_setaffinity", [*NULL, *options], folder)
    return sorted(re.findall(r"sched_setaffinity\(0, 128, \[([\d ]+)\]", calls))


@pytest.fixture
def cpus() -> list[int]:
    """Two CPUs of this machine."""
    here = sorted(os.sched_getaffinity(0))
    if len(here) < 2:
        pytest.skip("this machine has one CPU")
    return here[:2]


def test_a_mask_is_a_list_of_cpus(engine: Path, tmp_path: Path, cpus: list[int]) -> None:
    mask = sum(1 << cpu for cpu in cpus)
    assert masks(engine, tmp_path, [f"--cpumask={mask}"]) == [f"{cpus[0]} {cpus[1]}"]


def test_split_cpus_go_round_over_all_jobs(engine: Path, tmp_path: Path, cpus: list[int]) -> None:
    first, second = cpus
    split = [f"--cpus_allowed={first},{second}", "--cpus_allowed_policy=split"]
    jobs = [*split, "--numjobs=2", "--name=k", *NULL[1:], *split]
    assert masks(engine, tmp_path, jobs) == sorted([str(first)] * 2 + [str(second)])


def test_a_reserved_cpu_is_left_free(engine: Path, tmp_path: Path, cpus: list[int]) -> None:
    asked = [f"--cpus_allowed={cpus[0]},{cpus[1]}", f"--gtod_cpu={cpus[0]}"]
    assert masks(engine, tmp_path, asked) == [str(cpus[1])]


def test_nodes_stand_for_their_cpus(engine: Path, tmp_path: Path) -> None:
    (found,) = masks(engine, tmp_path, ["--numa_cpu_nodes=all"])
    assert {int(cpu) for cpu in found.split()} >= os.sched_getaffinity(0)


@pytest.mark.parametrize(
    ("value", "mode"),
    [
        ("bind:0", "MPOL_BIND, [0x00000000000001"),
        ("prefer:0", "MPOL_PREFERRED, [0x00000000000001"),
        ("interleave:all", "MPOL_INTERLEAVE, [0x00000000000001"),
        ("local", "MPOL_LOCAL, NULL"),
        ("default", "MPOL_DEFAULT, NULL"),
    ],
)
def test_memory_comes_from_where_it_is_asked(
    engine: Path, tmp_path: Path, value: str, mode: str
) -> None:
    calls = calls_of(engine, "set_mempolicy", [*NULL, f"--numa_mem_policy={value}"], tmp_path)
    assert f"set_mempolicy({mode}" in calls


@pytest.mark.parametrize(
    ("options", "value"),
    [
        (["--prio=3"], "IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 3)"),
        (["--prio=0"], "IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 0)"),
        (["--prioclass=3"], "IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0)"),
        (["--prioclass=2", "--prio=7"], "IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 7)"),
        (["--priohint=1"], "IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 8)"),
        (["--prioclass=1", "--uid=0"], "IOPRIO_PRIO_VALUE(IOPRIO_CLASS_RT, 0)"),
    ],
)
def test_io_has_its_priority(engine: Path, tmp_path: Path, options: list[str], value: str) -> None:
    calls = calls_of(engine, "ioprio_set", [*NULL, *options], tmp_path)
    assert re.search(rf"ioprio_set\(IOPRIO_WHO_PROCESS, 0, ({re.escape(value)}|0x4008)", calls)


def test_without_an_option_nothing_is_set(engine: Path, tmp_path: Path) -> None:
    every = "ioprio_set,setpriority,set_mempolicy,setresuid,setresgid,setgroups"
    calls = calls_of(engine, every, [*NULL, "--prioclass=0"], tmp_path)
    assert [line for line in calls.splitlines() if "SIGCHLD" not in line] == []


def facts_of(parent: int) -> dict[str, str] | None:
    """The lines of /proc/PID/status of the clone called "renamed" of a run; None: there is none."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            text = (path / "status").read_text()
        except OSError:
            continue
        facts = dict(re.findall(r"^(\w+):\t(.*)$", text, re.MULTILINE))
        if facts["PPid"] == str(parent) and facts["Name"] == "renamed":
            return {**facts, "nice": str(os.getpriority(os.PRIO_PROCESS, int(path.name)))}
    return None


def while_it_runs(engine: Path, folder: Path, options: list[str]) -> dict[str, str]:
    """The facts of a clone that runs, once it is called "renamed" and its user is the last."""
    endless = ["--time_based", "--runtime=100", "--rate_iops=100", "--comm=renamed"]
    arguments = [str(engine), *NULL, *endless, *options, "--output=out"]
    with subprocess.Popen(arguments, cwd=folder) as process:
        try:
            deadline = time.monotonic() + 20
            facts = None
            while time.monotonic() < deadline and not (facts and facts["Uid"] == facts["last"]):
                facts = facts_of(process.pid)
                if facts:
                    facts["last"] = facts["Uid"]
                    if options and options[0].startswith("--uid"):
                        facts["last"] = "\t".join([options[0].partition("=")[2]] * 4)
            assert facts
            return facts
        finally:
            process.terminate()


def test_a_clone_is_named_and_nice(engine: Path, tmp_path: Path) -> None:
    assert while_it_runs(engine, tmp_path, ["--nice=5"])["nice"] == "5"


def test_what_a_run_was_given_is_not_taken_back(engine: Path, tmp_path: Path) -> None:
    """As nice(2) has it, and open to a user without rights."""
    other = tmp_path / "nicer"
    other.write_text(f'#!/bin/sh\nexec nice -n 10 {engine} "$@"\n')
    other.chmod(0o755)
    assert while_it_runs(other, tmp_path, ["--nice=5"])["nice"] == "15"


@needs_root
def test_a_job_runs_as_its_user_and_in_no_other_group(engine: Path, tmp_path: Path) -> None:
    facts = while_it_runs(engine, tmp_path, [f"--uid={NOBODY}", f"--gid={NOBODY}"])
    assert facts["Groups"].strip() == ""
    assert facts["Gid"].split() == [str(NOBODY)] * 4


@needs_root
@pytest.mark.parametrize("thread", ["--thread=0", "--thread=1"])
def test_files_are_the_users_own(engine: Path, thread: str) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:  # pytest's folders are root's alone
        folder = Path(name)
        folder.chmod(0o777)
        options = ["--size=64k", "--rw=write", thread]
        ids = [f"--uid={NOBODY}", f"--gid={NOBODY}"]
        ran = run(engine, ["--name=j", *options, *ids, "--name=own", *options], folder)
        assert ran.status == 0, ran.err
        theirs, ours = (folder / "j.0.0").stat(), (folder / "own.0.0").stat()
    assert (theirs.st_uid, theirs.st_gid) == (NOBODY, NOBODY)
    assert (ours.st_uid, ours.st_gid) == (os.geteuid(), os.getegid())


@needs_root
def test_a_user_cannot_write_what_is_not_its(engine: Path, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"x" * (64 << 10))
    path.chmod(0o600)
    job = ["--name=j", "--filename=f", "--size=64k", "--rw=write", f"--uid={NOBODY}"]
    ran = run(engine, job, tmp_path)
    assert ran.status == 1
    assert "Permission denied" in ran.err
    assert path.read_bytes() == b"x" * (64 << 10)


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("cpumask=0", "a mask of 0 has no CPU"),
        ("cpus_allowed_policy=some", "not one of shared, split"),
        ("numa_cpu_nodes=x", "is no list of nodes"),
        ("numa_mem_policy=near", "not one of default, prefer:N"),
        ("numa_mem_policy=bind", "'bind' needs its nodes"),
        ("numa_mem_policy=prefer:0-1", "'prefer' has one node"),
        ("nice=20", "is not from -20 to 19"),
        ("nice=-21", "is not from -20 to 19"),
        ("prio=8", "at most 7"),
        ("prioclass=4", "at most 3"),
        ("priohint=1024", "at most 1023"),
        ("uid=-1", "uid: "),
        ("job_start_clock_id=12", "there is no such clock"),
    ],
)
def test_a_wrong_place_is_told(engine: Path, tmp_path: Path, option: str, why: str) -> None:
    text = f"[j]\nsize=4k\n{option}\n"
    ran = run(engine, ["-"], tmp_path, text)
    assert ran.status == 2
    assert f"3:{1 if 'clock' in option else len(option.split('=', maxsplit=1)[0]) + 2}: " in ran.err
    assert why in ran.err


@pytest.mark.parametrize("option", ["numa_cpu_nodes", "numa_mem_policy"])
def test_a_node_that_is_not_there_is_told_before_the_run(
    engine: Path, tmp_path: Path, option: str
) -> None:
    value = "1000" if option == "numa_cpu_nodes" else "bind:1000"
    job = ["--name=j", "--size=4k", f"--{option}={value}"]
    assert run(engine, [*job, "--parse-only"], tmp_path).status == 0
    ran = run(engine, job, tmp_path)
    assert ran.status == 1
    assert f"{option}: this machine has no node 1000" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_new_group_is_one_of_the_report(engine: Path, fio: str, tmp_path: Path) -> None:
    text = (
        "[global]\nioengine=null\nsize=64k\n[a]\n[b]\nnew_group\n[c]\nstonewall\n"
        "[d]\nnew_group\ngroup_reporting\n[e]\ngroup_reporting\n"
    )
    told = []
    for program in (fio, str(engine)):
        ran = run(program, ["-", "--output-format=json"], tmp_path, text)
        jobs = json.loads(ran.out[ran.out.index("{\n") :])["jobs"]
        told.append([(j["jobname"], j["groupid"], j["read"]["total_ios"]) for j in jobs])
    assert told[0] == told[1] == [("a", 0, 16), ("b", 1, 16), ("c", 2, 16), ("d", 3, 32)]


def test_a_job_starts_by_the_clock_that_is_asked_for(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, [*NULL, "--job_start_clock_id=1", "--output-format=json"], tmp_path)
    assert 0 < ran.document()["jobs"][0]["job_start"] <= time.monotonic() * 1000
