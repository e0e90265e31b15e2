"""Variables, links and names are resolved once: whole runs that try to be led elsewhere, with
both engines. What they aim at keeps every byte."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from support.devices import image_of, loop_device, needs_root, sh

from .conftest import Iogate, engines_of, kill, wait_for

ENGINES = pytest.mark.parametrize("engine", ["native", "fio"])
JOB = """\
version: 1
name: led-away
targets:
  here: { %s }
workloads:
  io:
    target: here
    fio: { rw: write, bs: 4k, size: 1m, ioengine: psync, %s }
    repetitions: 2
"""
TIMED = "time_based: true, runtime: 2s"


def digest(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def is_open(path: Path) -> bool:
    """Whether any process has it open: the same file, as its name is another one to a process
    with mounts of its own."""
    meant = path.stat()
    for process in Path("/proc").iterdir():
        with suppress(OSError):  # it is none, or gone
            for open_one in (process / "fd").iterdir():
                with suppress(OSError):
                    if os.path.samestat(open_one.stat(), meant):
                        return True
    return False


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Path]:
    """A file that no spec names as its target; its bytes are the same at the end."""
    made = tmp_path / "victim"
    made.write_bytes(b"somebody's own bytes\n" * 1000)
    before = digest(made)
    yield made
    assert digest(made) == before


@ENGINES
@pytest.mark.parametrize(
    "name",
    [
        ".${X:-${EMPTY}}./.${X:-${EMPTY}}./victim",
        ".${IOGATE_VAR_X:-${IOGATE_VAR_EMPTY}}./.${IOGATE_VAR_X:-${IOGATE_VAR_EMPTY}}./victim",
        ".${IOGATE_STORE}./victim",
        ".${IOGATE_VAR_EMPTY}./victim",
        ".${IOGATE_VAR_DOT}/victim",
        "${IOGATE_VAR_SLY}",
        "a$ncpus",
    ],
)
def test_no_variable_leads_out_of_the_target(
    iogate: Iogate, victim: Path, engine: str, name: str
) -> None:
    spec = iogate.spec(JOB % (f"directory: {victim.parent}", f"filename: '{name}'"))
    env = {
        "IOGATE_VAR_EMPTY": "",
        "IOGATE_STORE": "",
        "EMPTY": "",
        "IOGATE_VAR_DOT": ".",
        "IOGATE_VAR_SLY": ".${IOGATE_VAR_EMPTY}./victim",
    }
    done = iogate("run", spec, "--engine", engine, **env)
    assert done.code == 2, done.text
    assert f"{spec}:8:" in done.err
    assert not (iogate.folder / "iogate-runs").exists()


@ENGINES
def test_no_secret_gets_into_a_run(iogate: Iogate, engine: str) -> None:
    for name in ("GH_PAT", "IOGATE_VAR_DB_PWD", "IOGATE_TOKEN", "DATABASE_URL"):
        spec = iogate.spec(JOB % ("directory: .", f"description: '${{{name}:-none}}'"))
        done = iogate("run", spec, "--engine", engine, **{name: "v3rysecret"})
        assert done.code == 2
        assert "v3rysecret" not in done.text


@ENGINES
@pytest.mark.parametrize(
    "options",
    [
        "ioengine: e4defrag, donorname: ../../victim",
        "ioengine: net, hostname: 127.0.0.1, port: 9",
        "ioengine: nbd, uri: 'nbd://127.0.0.1/x'",
        "ioengine: http",
        "ioengine: exec, program: /bin/true",
        "ioengine: 'external:/tmp/x.so'",
        "filename_format: '../../victim'",
        "filename_format: '.$jobname/../../../victim'",
        "mem: 'mmapshared:../victim'",
        "opendir: ..",
        "write_iolog: ../victim",
        "filename: 'a\\\\:../../victim'",
    ],
)
def test_no_option_leads_out_of_the_target(
    iogate: Iogate, victim: Path, engine: str, options: str
) -> None:
    text = JOB % (f"directory: {victim.parent}", options)
    own = "ioengine: psync, " if "ioengine" in options else ""
    done = iogate("run", iogate.spec(text.replace(own, "", 1)), "--engine", engine)
    assert done.code == 2, done.text


@ENGINES
def test_a_link_that_is_pointed_elsewhere_is_not_followed_again(
    iogate: Iogate, victim: Path, engine: str
) -> None:
    link, first = iogate.folder / "link", iogate.folder / "first"
    first.write_bytes(b"\0" * (1 << 20))
    before = digest(first)
    link.symlink_to(first)
    spec = iogate.spec(JOB % (f"file: {link}, overwrite: true", TIMED))
    process = iogate.start("run", spec, "--engine", engine)
    wait_for(lambda: engines_of(iogate.folder))
    link.unlink()
    link.symlink_to(victim)
    done = iogate.end(process)
    assert done.code == 0, done.text
    assert digest(first) != before


@ENGINES
@pytest.mark.parametrize("how", ["another file", "link"])
def test_a_file_that_is_exchanged_meanwhile_is_refused(
    iogate: Iogate, victim: Path, engine: str, how: str
) -> None:
    file = iogate.folder / "file"
    file.write_bytes(b"\0" * (1 << 20))
    spec = iogate.spec(JOB % (f"file: {file}, overwrite: true", TIMED))
    process = iogate.start("run", spec, "--engine", engine)
    wait_for(lambda: is_open(file))
    file.rename(iogate.folder / "before")
    if how == "link":
        file.symlink_to(victim)
    else:
        file.hardlink_to(victim)
    done = iogate.end(process)
    assert done.code == 3, done.text
    assert f"{file} is not what" in done.text.replace("'", "")


def test_a_repetition_that_fails_over_an_exchanged_file_is_refused(
    iogate: Iogate, victim: Path
) -> None:
    file = iogate.folder / "file"
    file.write_bytes(b"\0" * (1 << 20))
    process = iogate.start("run", iogate.spec(JOB % (f"file: {file}, overwrite: true", TIMED)))
    wait_for(lambda: is_open(file))
    file.rename(iogate.folder / "before")
    file.hardlink_to(victim)
    for pid in engines_of(iogate.folder):
        kill(pid)
    done = iogate.end(process)
    assert done.code == 3, done.text
    assert f"{file} is not what" in done.text


@ENGINES
def test_a_file_with_a_second_name_is_refused(iogate: Iogate, victim: Path, engine: str) -> None:
    file = iogate.folder / "file"
    file.hardlink_to(victim)
    spec = iogate.spec(JOB % (f"file: {file}, overwrite: true", "invalidate: 1"))
    done = iogate("run", spec, "--engine", engine, "--trust")
    assert done.code == 3
    assert "has 2 names" in done.err


@needs_root
@ENGINES
def test_a_device_that_is_pointed_elsewhere_is_not_written(iogate: Iogate, engine: str) -> None:
    with loop_device(iogate.folder, 64) as meant, loop_device(iogate.folder, 80) as other:
        link, before = iogate.folder / "disk", digest(other)
        link.symlink_to(meant)
        target = f"device: {link}, destroy: {{ backing: {image_of(meant)} }}"
        process = iogate.start("run", iogate.spec(JOB % (target, TIMED)), "--engine", engine)
        wait_for(lambda: engines_of(iogate.folder))
        link.unlink()
        link.symlink_to(other)
        done = iogate.end(process)
        assert done.code == 0, done.text
        assert digest(other) == before


@needs_root
@ENGINES
def test_a_device_that_becomes_another_meanwhile_is_refused(iogate: Iogate, engine: str) -> None:
    with loop_device(iogate.folder, 8) as device:
        target = f"device: {device}, destroy: {{ backing: {image_of(device)} }}"
        process = iogate.start("run", iogate.spec(JOB % (target, TIMED)), "--engine", engine)
        wait_for(lambda: engines_of(iogate.folder))
        os.truncate(image_of(device), 16 << 20)
        sh("losetup", "-c", device)
        done = iogate.end(process)
        assert done.code == 3, done.text
        assert f"{device} is not what" in done.text.replace("'", "")
        assert "16777216" in done.text  # the runner says it, or the engine does
