"""Which jobs run when: waiting for others, ending others, and what they run before and after."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from support.differential import outcome_of
from support.engine_runs import run

GLOBAL = "[global]\nioengine=null\nsize=64k\n"
LONG = "time_based\nruntime=100\n"


def reads(jobs: tuple[dict[str, Any], ...]) -> dict[str, list[int]]:
    """The I/Os of the jobs of each name."""
    found: dict[str, list[int]] = {}
    for job in jobs:
        found.setdefault(job["jobname"], []).append(job["read"]["total_ios"])
    return found


@pytest.mark.parametrize("thread", ["", "thread\n"])
def test_a_job_begins_when_the_one_it_waits_for_has_ended(
    engine: Path, fio: str, tmp_path: Path, thread: str
) -> None:
    """Each notes when it runs; all of b is done before c begins, and d waits for nobody."""
    note = "echo {} >> order"
    text = f"{GLOBAL}{thread}[a]\nexec_postrun=sleep 0.3; {note.format('a')}\n".replace(
        "sleep 0.3;", "sleep 0.3 &&"
    )
    text += f"[b]\nnumjobs=2\nwait_for=a\nexec_postrun={note.format('b')}\n"
    text += f"[c]\nwait_for=b\nexec_prerun={note.format('c')}\n"
    text += f"[d]\nexec_prerun={note.format('d')}\n"
    for program, name in ((fio, "fio"), (str(engine), "ours")):
        got = outcome_of(program, text, tmp_path / name)
        assert got.has_worked, got.ran.err
        assert reads(got.jobs) == {"a": [16], "b": [16, 16], "c": [16], "d": [16]}
        if name == "ours":  # fio's shell redirects the last of several commands alone
            order = (tmp_path / name / "order").read_text().split()
            assert order == ["d", "a", "b", "b", "c"]


def test_a_job_that_waits_for_one_before_a_stonewall(engine: Path, tmp_path: Path) -> None:
    text = f"{GLOBAL}[a]\n[b]\nstonewall\n[c]\nwait_for=a\n"
    got = outcome_of(engine, text, tmp_path)
    assert got.has_worked
    assert reads(got.jobs) == {"a": [16], "b": [16], "c": [16]}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[a]\n[b]\nwait_for=c\n", "5:1: job 'b': no job before it has that name"),
        ("[b]\nwait_for=c\n[c]\n", "4:1: job 'b': no job before it has that name"),
        ("[b]\nwait_for=b\n", "4:1: job 'b': a job cannot wait for itself"),
        ("[a]\n[a]\n[b]\nwait_for=a\n", "6:1: job 'b': two jobs before it have that name"),
    ],
)
def test_a_job_that_cannot_wait_is_refused(
    engine: Path, fio: str, tmp_path: Path, text: str, why: str
) -> None:
    text = GLOBAL.replace("ioengine=null\n", "") + text
    ran = run(engine, ["-"], tmp_path, text)
    assert ran.status == 2
    assert why in ran.err
    assert not outcome_of(fio, text, tmp_path / "fio").is_accepted


ENDING = {
    "": {"a": True, "b": False, "c": True, "d": True, "w": None},
    "exit_what=group\n": {"a": True, "b": False, "c": True, "d": True, "w": None},
    "exit_what=stonewall\n": {"a": True, "b": False, "c": False, "d": True, "w": None},
    "exit_what=all\n": {"a": True, "b": False, "c": False, "d": None, "w": None},
}


@pytest.mark.parametrize("what", ENDING)
@pytest.mark.parametrize("thread", ["", "thread\n"])
def test_exitall_ends_whom_it_says(
    engine: Path, fio: str, tmp_path: Path, what: str, thread: str
) -> None:
    """b is of a's group and c of another; d stands behind a stonewall, and w waits for b. True:
    it did all that it has; False: it was ended before; None: it did nothing."""
    limits = "rate_iops=1000\n"
    text = f"{GLOBAL}{limits}{thread}[a]\nexitall\n{what}size=512k\n[b]\nsize=1g\n"
    text += "[c]\nnew_group\nsize=2m\n[d]\nstonewall\n"
    whole = {"a": 128, "b": 262144, "c": 512, "d": 16, "w": 16}
    for program, name in ((fio, "fio"), (str(engine), "ours")):
        waits = "" if name == "fio" else "[w]\nwait_for=b\n"  # fio would hang
        got = outcome_of(program, text.replace("[c]", f"{waits}[c]"), tmp_path / name)
        assert not any(got.errors)
        done = {job: sum(ios) for job, ios in reads(got.jobs).items()}
        told = {job: None if not ios else ios == whole[job] for job, ios in done.items()}
        assert {"d": None, "w": None, **told} == ENDING[what], name


def test_a_signal_calls_off_those_that_wait(engine: Path, tmp_path: Path) -> None:
    text = f"{GLOBAL}{LONG}[a]\nexec_prerun=touch begun\n[b]\nwait_for=a\n"
    (tmp_path / "job.fio").write_text(text)
    with subprocess.Popen(
        [str(engine), "job.fio", "--output-format=json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        while process.poll() is None and not (tmp_path / "begun").exists():
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert '"jobname" : "b"' in out


def test_what_a_job_runs_leaves_what_it_says(engine: Path, tmp_path: Path) -> None:
    text = (
        "[my job]\nsize=64k\nrw=write\nexec_prerun=ls && echo odd >&2\nexec_postrun=stat -c%s f\n"
    )
    ran = run(
        engine, ["-", "--filename=f"], tmp_path, text.replace("[", "[global]\nfilename=f\n[", 1)
    )
    assert ran.status == 0, ran.err
    assert (tmp_path / "my job.prerun.txt").read_text() == "f\nmy job.prerun.txt\nodd\n"
    assert (tmp_path / "my job.postrun.txt").read_text() == f"{64 << 10}\n"


def test_a_program_may_send_its_words_elsewhere(engine: Path, tmp_path: Path) -> None:
    text = "[j]\nioengine=null\nsize=4k\nexec_prerun=echo hi > x.txt\n"
    assert run(engine, ["-"], tmp_path, text).status == 0
    assert (tmp_path / "x.txt").read_text() == "hi\n"
    assert (tmp_path / "j.prerun.txt").read_text() == ""


def test_a_job_whose_program_fails_does_nothing(engine: Path, fio: str, tmp_path: Path) -> None:
    text = f"{GLOBAL}[j]\nexec_prerun=exit 3\nexec_postrun=echo tidy && exit 4\n[k]\n"
    for program, name in ((fio, "fio"), (str(engine), "ours")):
        got = outcome_of(program, text, tmp_path / name)
        assert reads(got.jobs) == {"j": [0], "k": [16]}
    assert got.ran.status == 1
    assert "j: exec_prerun ended with status 3; what it said is in 'j.prerun.txt'" in got.ran.err
    assert (tmp_path / "ours" / "j.postrun.txt").read_text() == "tidy\n"


def test_a_program_that_fails_afterwards_is_nothing_to_the_job(
    engine: Path, fio: str, tmp_path: Path
) -> None:
    text = f"{GLOBAL}[j]\nexec_postrun=false\n"
    for program, name in ((fio, "fio"), (str(engine), "ours")):
        assert outcome_of(program, text, tmp_path / name).has_worked


def test_a_program_is_ended_with_the_run(engine: Path, tmp_path: Path) -> None:
    text = f"{GLOBAL}[j]\nexec_prerun=echo $$ > pid && sleep 1000\n"
    (tmp_path / "job.fio").write_text(text)
    arguments = [str(engine), "job.fio", "--output=out"]
    with subprocess.Popen(arguments, cwd=tmp_path, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not (tmp_path / "pid").exists():
            time.sleep(0.02)
        process.terminate()
        assert process.wait(timeout=60) == 1
    while not (number := (tmp_path / "pid").read_text().strip()):
        time.sleep(0.02)
    assert not Path(f"/proc/{number}").exists()


def test_a_name_is_for_the_report_and_the_section_for_files(
    engine: Path, fio: str, tmp_path: Path
) -> None:
    text = "[global]\nname=all\nsize=64k\nrw=write\n[x]\n[y]\nname=why\nwrite_bw_log\n"
    ours, theirs = (
        outcome_of(program, text, tmp_path / name)
        for program, name in ((engine, "ours"), (fio, "fio"))
    )
    for got in (ours, theirs):
        assert [job["jobname"] for job in got.jobs] == ["x", "why"]
    assert sorted(ours.left) == sorted(theirs.left) == ["why_bw.2.log", "x.0.0", "y.0.0"]
    clones = outcome_of(engine, "[y]\nname=why\nsize=64k\nnumjobs=2\n", tmp_path / "clones")
    assert [job["jobname"] for job in clones.jobs] == ["why", "why"]


def test_clones_begin_one_after_the_other(engine: Path, fio: str, tmp_path: Path) -> None:
    """startdelay of a range: each draws its own."""
    words = ["--name=j", "--ioengine=null", "--size=64k", "--numjobs=4", "--output-format=json"]
    log = ["--write_lat_log=l", "--log_unix_epoch=1"]
    for program in (engine, fio):
        folder = tmp_path / Path(program).name
        ran = run(program, [*words, *log, "--startdelay=1ms-400ms"], folder)
        jobs = ran.document(notes=True)["jobs"]
        assert [job["read"]["total_ios"] for job in jobs] == [16] * 4
    logs = sorted((tmp_path / engine.name).glob("l_lat.*.log"))
    begins = sorted(int(each.read_text().partition(",")[0]) for each in logs)
    assert len(begins) == 4
    assert begins[-1] - begins[0] >= 50
    wrong = run(engine, [*words, "--startdelay=20ms-10ms"], tmp_path)
    assert (wrong.status, "ends before it begins" in wrong.err) == (2, True)
