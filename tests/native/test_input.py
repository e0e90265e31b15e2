"""Job files, what they include, and logs: regular files alone, bounded, and not repeated."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from pathlib import Path

import pytest

from support.engine_runs import run

SECRET = "hunter2hunter2"


def no_files(folder: Path) -> list[str]:
    os.mkfifo(folder / "pipe")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(folder / "socket"))
    listening.close()
    with (folder / "sparse").open("wb") as sparse:
        sparse.truncate(1 << 40)
    return ["pipe", "socket", "sparse", "/dev/zero", "."]


def test_what_is_no_file_is_refused(engine: Path, tmp_path: Path) -> None:
    for name in no_files(tmp_path):
        for arguments, text in (
            ([name], ""),
            (["-"], f"include {name}\n"),
            (["--name=j", "--ioengine=null", f"--read_iolog={name}"], ""),
        ):
            ran = run(engine, arguments, tmp_path, text)
            assert ran.status in (1, 2), (name, arguments)
            assert f"'{name}'" in ran.err


def test_logs_are_not_read_from_stdin(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, ["--name=j", "--ioengine=null", "--read_iolog=-"], tmp_path, "fio version 2")
    assert ran.status in (1, 2)
    assert "cannot read the I/O log '-'" in ran.err


@pytest.mark.parametrize(
    "text", [f"{SECRET}\n", f"root:{SECRET}:1\n", f"{SECRET}=1\n", f"# a\n {SECRET} = x\n"]
)
def test_nothing_of_what_is_no_job_file_is_repeated(
    engine: Path, tmp_path: Path, text: str
) -> None:
    (tmp_path / "notes").write_text(text)
    for arguments, stdin in ((["notes"], ""), (["-"], "include notes\n")):
        ran = run(engine, arguments, tmp_path, stdin)
        assert ran.status == 2
        assert SECRET not in ran.err
        assert "notes:" in ran.err


def test_includes_of_includes_do_not_multiply(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "l3").write_text("#\n" * 2_000_000)
    for n in range(3):
        (tmp_path / f"l{n}").write_text(f"include l{n + 1}\n" * 40)
    ran = run(engine, ["l0"], tmp_path, "")
    assert ran.status == 2
    assert "MiB" in ran.err


def test_no_file_takes_the_number_of_a_stream_that_is_closed(engine: Path, tmp_path: Path) -> None:
    """What is printed would go into it."""
    words = "--name=j --ioengine=psync --filename=f --size=64k --rw=write --time_based --runtime=60"
    for more in ("", "--thread=1"):
        line = f"exec {engine} {words} {more} 0<&- 1>&- 2>&-"
        with subprocess.Popen(["sh", "-c", line], cwd=tmp_path) as running:
            while not (held := held_by(running.pid, tmp_path / "f")) and running.poll() is None:
                time.sleep(0.01)
            running.terminate()
        assert held, "it began"
        assert min(held) > 2


def held_by(first: int, file: Path) -> list[int]:
    """The numbers by which a process or one of its children has the file open."""
    children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    found = []
    for process in (first, *children):
        for each in Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):
                found += [int(each.name)] if each.readlink() == file else []
    return found
