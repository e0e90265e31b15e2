"""lockfile: jobs that have a file in turn."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.differential import differences, outcome_of
from support.engine_runs import run
from support.tracing import calls_of

SHARED = "[j]\nsize=2m\nbs=256k\nfilename=f\nnumjobs=4\nioengine=psync\n"


def _begun_within(engine: Path, folder: Path, text: str) -> list[tuple[str, str]]:
    """Each I/O that began while another one of another job went on: what both are."""
    going: dict[str, str] = {}
    found = []
    for call in calls_of(engine, "pread64,pwrite64", text, folder, with_pid=True):
        pid, _, rest = call.partition(" ")
        rest = rest.strip()
        if not rest.startswith("<..."):
            name = rest.partition("(")[0]
            found += [(name, other) for each, other in going.items() if each != pid]
            going[pid] = name
        if "<unfinished" not in rest:
            going.pop(pid, None)
    return found


@pytest.mark.parametrize("more", ["rw=write", "rw=randrw", "rw=read", "rw=randrw\nthread=1"])
def test_one_job_at_a_time_has_the_file(engine: Path, tmp_path: Path, more: str) -> None:
    (tmp_path / "f").write_bytes(bytes(2 << 20))
    assert not _begun_within(engine, tmp_path, f"{SHARED}lockfile=exclusive\n{more}\n")


def test_readers_share_what_a_writer_has_alone(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(bytes(2 << 20))
    text = f"{SHARED}lockfile=readwrite\nrw=randrw\n"
    assert set(_begun_within(engine, tmp_path, text)) <= {("pread64", "pread64")}


@pytest.mark.parametrize("mode", ["none", "exclusive", "readwrite"])
@pytest.mark.parametrize(
    "more",
    [
        "filename=f\nioengine=libaio\niodepth=8",
        "ioengine=io_uring\niodepth=4\nfilename=f:g:h",
        "filename=f\nioengine=mmap",
    ],
)
def test_locks_change_nothing_of_what_is_done(
    engine: Path, fio: str, tmp_path: Path, mode: str, more: str
) -> None:
    text = f"[j]\nsize=2m\nbs=256k\nnumjobs=4\nlockfile={mode}\nrw=write\nloops=2\n{more}\n"
    theirs = outcome_of(fio, text, tmp_path / "theirs")
    ours = outcome_of(engine, text, tmp_path / "ours")
    assert not list(differences(theirs, ours))


def test_a_lock_that_is_none_is_told(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, ["-"], tmp_path, f"{SHARED}lockfile=shared\n")
    assert (ran.status, "stdin:7:10: lockfile: 'shared' is not one of" in ran.err) == (2, True)


@pytest.mark.parametrize("mode", ["exclusive", "readwrite"])
def test_what_a_killed_job_held_is_free(engine: Path, tmp_path: Path, mode: str) -> None:
    text = f"{SHARED}lockfile={mode}\nrw=randrw\ntime_based\nruntime=3\nnumjobs=2\n"
    with subprocess.Popen(
        [str(engine), "-", "--output-format=json"],
        cwd=tmp_path,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(text)
        process.stdin.close()
        os.kill(_first_worker(process.pid), signal.SIGKILL)
        document = json.loads(process.stdout.read())
    killed, other = document["jobs"]
    assert killed["error"] != 0
    assert other["error"] == 0
    assert other["read"]["runtime"] > 2500


def _first_worker(parent: int) -> int:
    children = Path(f"/proc/{parent}/task/{parent}/children")
    while len(children.read_text().split()) < 2:
        time.sleep(0.05)
    time.sleep(0.5)
    return int(children.read_text().split()[0])
