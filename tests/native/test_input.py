"""Job files, what they include, and logs: regular files alone, bounded, and not repeated."""

from __future__ import annotations

import os
import socket
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
