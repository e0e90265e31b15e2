"""ioengine=exec: a program that runs beside jobs, and never outlives its own."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.confining import confined, layers_of, place, plan_of
from support.devices import needs_root
from support.engine_runs import Ran, run

BASE = ["--name=j", "--ioengine=exec", "--output-format=json"]
PATIENCE_S = 30

# Tells that it runs, and that it was asked to end, and goes on.
STUBBORN = """#!/bin/sh
trap 'echo asked' TERM
echo $$ > started
sleep 1000 &
echo $! > child
while :; do wait; sleep 0.01; done
"""


def _run(program: Path | str, folder: Path, *options: str) -> Ran:
    return run(program, [*BASE, *(f"--{option}" for option in options)], folder)


def _job(ran: Ran) -> dict[str, Any]:
    job: dict[str, Any] = ran.document(notes=True)["jobs"][0]
    return job


def _script(folder: Path, text: str) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / "script"
    path.write_text(text)
    path.chmod(0o755)
    return "./script"


def _until(true: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE_S
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()


def _read(path: Path) -> int:
    """A number of a process in a file, once it is there."""
    assert _until(lambda: path.exists() and path.read_text().endswith("\n")), path
    return int(path.read_text())


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


@pytest.mark.parametrize(
    "arguments",
    ["x", "a  b 'c d' \"e\"", "%r %n %% %x %N", "%r%r x%ny", "-n", "$HOME \\t *", "%"],
)
def test_a_program_gets_the_words_that_fios_gets(
    engine: Path, fio: str, tmp_path: Path, arguments: str
) -> None:
    said = []
    for program in (engine, fio):
        folder = tmp_path / Path(program).name
        script = _script(folder, '#!/bin/sh\nfor each; do printf "[%s]" "$each"; done\n')
        options = (f"program={script}", f"arguments={arguments}", "runtime=1", "grace_time=0")
        assert _job(_run(program, folder, *options))["error"] == 0
        said.append((folder / "j.stdout").read_text())
    assert said[0] == said[1]


def test_a_name_is_one_word(engine: Path, tmp_path: Path) -> None:
    script = _script(tmp_path, '#!/bin/sh\necho "$#: $1"\n')
    words = ["--name=a b", "--ioengine=exec", f"--program={script}", "--arguments=%n"]
    assert run(engine, words, tmp_path).status == 0
    assert (tmp_path / "a b.stdout").read_text() == "1: a b\n"


def test_a_program_is_found_by_its_name_and_told_in_the_json(
    engine: Path, fio: str, tmp_path: Path
) -> None:
    for program in (engine, fio):
        job = _job(_run(program, tmp_path, "program=true", "arguments=x", "runtime=1"))
        own = {"ioengine": "exec", "program": "true", "arguments": "x", "runtime": "1"}
        assert own.items() <= job["job options"].items()
        assert job["read"]["total_ios"] > 0
        assert job["read"]["io_bytes"] == 0


def test_what_it_prints_is_in_the_files_that_fio_writes(
    engine: Path, fio: str, tmp_path: Path
) -> None:
    for program in (engine, fio):
        folder = tmp_path / Path(program).name
        script = _script(folder, "#!/bin/sh\ncat\npwd\necho trouble >&2\n")
        (folder / "j.stdout").write_text("what was there before, and was much longer than a path")
        _run(program, folder, f"program={script}", "runtime=1", "directory=/tmp")
        assert (folder / "j.stdout").read_text() == f"{folder}\n"
        assert (folder / "j.stderr").read_text() == "trouble\n"


def test_results_stand_alone(engine: Path, tmp_path: Path) -> None:
    ran = _run(engine, tmp_path, "program=echo", "arguments=hello", "std_redirect=0")
    assert ran.document()["jobs"][0]["error"] == 0
    assert ran.err == "hello\n"
    assert list(tmp_path.iterdir()) == []


def test_clones_have_files_of_their_own(engine: Path, tmp_path: Path) -> None:
    for more in ([], ["thread"]):
        ran = _run(engine, tmp_path, "program=echo", "arguments=hello", "numjobs=3", *more)
        assert [job["error"] for job in ran.document()["jobs"]] == [0] * 3
        assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {
            f"j.{clone}.{stream}": "hello\n" if stream == "stdout" else ""
            for clone in range(3)
            for stream in ("stdout", "stderr")
        }


@pytest.mark.parametrize("options", [(), ("runtime=1h",), ("runtime=1h", "time_based")])
def test_a_job_ends_with_its_program(
    engine: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    script = _script(tmp_path, "#!/bin/sh\nsleep 1000 & echo $! > child\n")
    job = _job(_run(engine, tmp_path, f"program={script}", *options))
    assert job["error"] == 0
    assert not _runs(_read(tmp_path / "child"))


def test_what_left_the_group_of_the_program_ends_too(engine: Path, tmp_path: Path) -> None:
    text = "#!/bin/sh\nsetsid sh -c 'echo $$ > child; sleep 1000; :' &\n"
    script = _script(tmp_path, f"{text}while [ ! -s child ]; do sleep 0.01; done\n")
    assert _run(engine, tmp_path, f"program={script}").status == 0
    assert not _runs(_read(tmp_path / "child"))


@pytest.mark.parametrize("options", ["grace_time=2", "grace_time=2 thread", "grace_time=0"])
def test_a_program_that_outlives_its_job_is_ended(
    engine: Path, fio: str, tmp_path: Path, options: str
) -> None:
    for program in (engine, fio):
        folder = tmp_path / Path(program).name
        words = (f"program={_script(folder, STUBBORN)}", "runtime=2", *options.split())
        assert _job(_run(program, folder, *words))["error"] == 0
        if "grace_time=2" in options and program == engine:  # fio's may say nothing under load
            assert (folder / "j.stdout").read_text() == "asked\n"
        assert not _runs(_read(folder / "started"))
        child = _read(folder / "child")
        if program == engine:
            assert not _runs(child)
        elif _runs(child):
            os.kill(child, signal.SIGKILL)  # fio leaves it


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("more", [[], ["--thread"]], ids=["process", "thread"])
def test_a_program_ends_with_the_engine(
    engine: Path, tmp_path: Path, sent: signal.Signals, more: list[str]
) -> None:
    script = _script(tmp_path, STUBBORN)
    words = [*BASE, f"--program={script}", "--runtime=1h", "--grace_time=100ms", *more]
    with subprocess.Popen([engine, *words], cwd=tmp_path, stdout=subprocess.DEVNULL) as job:
        try:
            pids = [_read(tmp_path / "started"), _read(tmp_path / "child")]
            job.send_signal(sent)
            job.wait(PATIENCE_S)
            assert _until(lambda: not any(_runs(pid) for pid in pids))
        finally:
            job.kill()
    assert ("asked" in (tmp_path / "j.stdout").read_text()) == (sent == signal.SIGTERM)


def test_it_inherits_no_descriptor(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(bytes(4096))
    beside = ["--name=k", "--ioengine=psync", "--filename=f", "--rw=read"]
    words = [*BASE, "--program=ls", "--arguments=-l /proc/self/fd", "--thread", *beside, "--thread"]
    with (tmp_path / "open").open("w") as extra:
        argv = [str(engine), *words]
        done = subprocess.run(argv, cwd=tmp_path, check=False, pass_fds=[extra.fileno()])
    assert done.returncode == 0
    lines = (tmp_path / "j.stdout").read_text().splitlines()
    seen = sorted(line.split(" -> ")[1] for line in lines if " -> " in line)
    own = ["/dev/null", f"{tmp_path}/j.stderr", f"{tmp_path}/j.stdout"]
    assert [each for each in seen if not re.fullmatch(r"/proc/\d+/fd", each)] == sorted(own)


def test_signals_are_as_at_a_login(engine: Path, tmp_path: Path) -> None:
    assert _run(engine, tmp_path, "program=grep", "arguments=^Sig /proc/self/status").status == 0
    masks = dict(line.split(":\t") for line in (tmp_path / "j.stdout").read_text().splitlines())
    assert int(masks["SigBlk"], 16) == int(masks["SigIgn"], 16) == 0


@pytest.mark.parametrize(
    ("text", "said", "code"),
    [
        (
            "#!/bin/sh\nexit 3\n",
            "'./script' ended with status 3; what it said is in 'j.stderr'",
            125,
        ),
        ("#!/bin/sh\nkill -ABRT $$\n", "'./script' was ended by a signal: Aborted", 125),
        ("#!/no/such/shell\n", "cannot run './script': No such file or directory", errno.ENOENT),
    ],
)
def test_a_program_that_fails_makes_its_job_fail(
    engine: Path, tmp_path: Path, text: str, said: str, code: int
) -> None:
    script = _script(tmp_path, text)
    for more in ([], ["--rate_iops=100", "--thread"]):  # by either loop
        words = [*BASE, f"--program={script}", *more]
        ran = run(engine, words, tmp_path)
        assert ran.status == 1
        assert f"j: ioengine exec failed: {said}" in ran.err
        assert f'"error" : {code}' in ran.out


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        ("", 2, "ioengine=exec needs program"),
        ("--program=", 2, "program: a value is missing"),
        ("--program=/no/such", 1, "there is no program '/no/such' that may be run"),
        ("--program=no-such-program", 1, "there is no program 'no-such-program' that may be run"),
        ("--program=/tmp", 1, "there is no program '/tmp' that may be run"),
        ("--program=/etc/passwd", 1, "there is no program '/etc/passwd' that may be run"),
        ("--program=true --name=a/b", 1, "cannot create 'a/b.stdout' for what the program prints"),
        ("--program=true --grace_time=x", 2, "grace_time"),
        ("--program=true --readonly", 1, "runs a program, which may write, and --readonly forbids"),
    ],
)
def test_what_cannot_be_run_is_told(
    engine: Path, tmp_path: Path, options: str, status: int, said: str
) -> None:
    name = [] if "--name" in options else ["--name=j"]
    ran = run(engine, ["--ioengine=exec", *name, *options.split(), "--ioengine=exec"], tmp_path)
    assert (ran.status, said in ran.err) == (status, True), ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_keeper_that_is_killed_is_told(engine: Path, tmp_path: Path) -> None:
    """With it goes the program."""
    program = _script(tmp_path, "#!/bin/sh\necho $PPID > keeper\necho $$ > own\nexec sleep 1000\n")
    words = [str(engine), *BASE, f"--program={program}"]
    with subprocess.Popen(
        words, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        own = _read(tmp_path / "own")
        os.kill(_read(tmp_path / "keeper"), signal.SIGKILL)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert "'./script' was ended, as the process that kept it was killed" in err
    assert _until(lambda: not _runs(own))


@pytest.mark.parametrize("above", [0, 1])
def test_all_ends_with_a_keeper_that_is_killed(engine: Path, tmp_path: Path, above: int) -> None:
    """And with the one above it, which keeps the keeper."""
    left = "setsid sh -c 'echo $$ > child; sleep 1000; :' &\n"
    text = f"#!/bin/sh\n{left}echo $PPID > keeper\necho $$ > own\nexec sleep 1000\n"
    words = [str(engine), *BASE, f"--program={_script(tmp_path, text)}"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL) as process:
        pids = [_read(tmp_path / name) for name in ("own", "child")]
        keeper = _read(tmp_path / "keeper")
        os.kill(_parent(keeper) if above else keeper, signal.SIGKILL)
        process.wait(PATIENCE_S)
    assert process.returncode == 1
    assert _until(lambda: not any(_runs(pid) for pid in [*pids, keeper]))


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_a_fifo_that_nobody_reads_is_not_waited_for(engine: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "j.stdout")
    ran = _run(engine, tmp_path, "program=true")
    assert ran.status == 1
    assert "cannot create 'j.stdout' for what the program prints" in ran.err


def test_what_is_expected_is_all_that_is_opened(engine: Path, tmp_path: Path) -> None:
    """A program opens what it wants."""
    at = tmp_path.stat()
    device = f"{os.major(at.st_dev)}:{os.minor(at.st_dev)}"
    expect = f"--expect=directory {device} {at.st_ino} 0:0 0 0 {tmp_path}"
    ran = run(engine, [expect, *BASE, "--program=touch", "--arguments=made"], tmp_path)
    assert ran.status == 3
    assert "--expect allows nothing else than what it names" in ran.err
    assert list(tmp_path.iterdir()) == []


@needs_root
def test_a_program_is_confined_with_the_engine(engine: Path, tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    script = _script(inside, f"#!/bin/sh\necho x > {inside}/made\necho x > {outside}/made\n")
    plan = plan_of(place(inside), layers=layers_of(None))
    words = [*BASE, "--program=/bin/sh", f"--arguments={script}"]
    done = confined(engine, plan, str(engine), *words, cwd=inside)
    assert done.returncode == 1
    assert "ended with status" in done.stderr
    assert (inside / "made").exists()
    assert list(outside.iterdir()) == []


def test_others_go_on_when_a_program_ends(engine: Path, tmp_path: Path) -> None:
    words = [*BASE, "--program=true", "--name=k", "--ioengine=null", "--size=1m"]
    jobs = run(engine, words, tmp_path).document()["jobs"]
    assert [job["error"] for job in jobs] == [0, 0]
    assert jobs[1]["read"]["io_bytes"] == 1 << 20
