"""The engine as one file: it needs no library and nothing around it, on this architecture and on
another."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from repository.tree import ROOT
from support.devices import needs_root
from support.elf import assert_is_one_file, read_elf
from support.engine_runs import run

ARCHITECTURE = "aarch64"
EMULATOR = f"qemu-{ARCHITECTURE}"
COMPILER = f"{ARCHITECTURE}-linux-gnu-gcc"
WRITTEN = {"filename": "data", "rw": "write", "size": "256k", "bs": "4k", "verify": "crc32c"}
VERIFIED = [f"--{name}={value}" for name, value in WRITTEN.items()]
# Engines that move data: each finds again what it wrote.
MOVES = ["sync", "psync", "vsync", "pvsync2", "mmap", "splice", "posixaio", "libaio", "io_uring"]


def built(*words: str) -> Path:
    """What ``scripts/static`` builds."""
    done = subprocess.run(
        [str(ROOT / "scripts" / "static"), *words],
        check=False,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


@pytest.fixture(scope="module")
def static() -> Path:
    """The engine for this machine."""
    return built()


@pytest.fixture(scope="module")
def foreign() -> list[str]:
    """The call of the engine for the other architecture."""
    for program in (COMPILER, EMULATOR):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")
    return [EMULATOR, str(built(ARCHITECTURE))]


def job(call: list[str], folder: Path, *options: str) -> dict[str, Any]:
    """Run a job that writes and verifies; what the document says of it."""
    ran = run(call[0], [*call[1:], "--output-format=json", "--name=j", *VERIFIED, *options], folder)
    assert ran.status == 0, ran.err
    (told,) = json.loads(ran.out)["jobs"]
    assert isinstance(told, dict)
    return told


def engines(*call: str) -> list[str]:
    told = subprocess.run([*call, "--enghelp"], check=True, capture_output=True, text=True).stdout
    return re.findall(r"^\t(\w+)", told, re.MULTILINE)


def test_it_needs_no_library(static: Path) -> None:
    assert_is_one_file(static)


def test_it_loads_at_another_address_each_time(static: Path) -> None:
    assert re.search(r"Type: +DYN", read_elf(static))


def test_it_has_every_engine(static: Path, engine: Path) -> None:
    assert engines(str(static)) == engines(str(engine))
    assert set(MOVES) <= set(engines(str(static)))


@pytest.mark.parametrize("name", MOVES)
def test_it_writes_and_verifies(static: Path, name: str, tmp_path: Path) -> None:
    told = job([str(static)], tmp_path, f"--ioengine={name}")
    assert told["error"] == 0
    assert told["write"]["total_ios"] == told["read"]["total_ios"] == 64


@needs_root
@pytest.mark.parametrize("name", MOVES)
def test_it_runs_where_nothing_else_is(static: Path, name: str, tmp_path: Path) -> None:
    """A root folder with the engine and an empty folder: no /proc, no /dev, no libraries."""
    shutil.copy(static, tmp_path / "engine")
    (tmp_path / "work").mkdir()
    call = ["chroot", str(tmp_path), "/engine", "--directory=/work"]
    told = job(call, tmp_path, f"--ioengine={name}")
    assert told["error"] == 0
    assert (tmp_path / "work" / "data").stat().st_size == 256 << 10


@needs_root
def test_a_user_by_number_needs_no_list_of_users(static: Path, tmp_path: Path) -> None:
    shutil.copy(static, tmp_path / "engine")
    (tmp_path / "work").mkdir()
    os.chown(tmp_path / "work", 1234, 1234)
    tmp_path.chmod(0o755)
    job(
        ["chroot", str(tmp_path), "/engine", "--directory=/work"],
        tmp_path,
        "--ioengine=psync",
        "--uid=1234",
        "--gid=1234",
    )


def test_another_architecture_needs_no_library_either(foreign: list[str]) -> None:
    assert_is_one_file(foreign[-1])
    assert "AArch64" in read_elf(foreign[-1])


@pytest.mark.parametrize("name", ["sync", "psync", "mmap", "posixaio"])
def test_another_architecture_writes_and_verifies(
    foreign: list[str], name: str, tmp_path: Path
) -> None:
    told = job(foreign, tmp_path, f"--ioengine={name}")
    assert told["write"]["total_ios"] == told["read"]["total_ios"] == 64


def test_what_one_architecture_wrote_the_other_verifies(
    static: Path, foreign: list[str], tmp_path: Path
) -> None:
    options = ["--ioengine=psync", "--buffer_pattern=0x1234567890"]
    for writer, reader in ((foreign, [str(static)]), ([str(static)], foreign)):
        job(writer, tmp_path, *options, "--do_verify=0")
        told = job(reader, tmp_path, *options, "--verify_only")
        assert told["read"]["total_ios"] == 64


@pytest.mark.parametrize("name", ["libaio", "io_uring"])
def test_a_kernel_without_an_interface_is_named(
    foreign: list[str], name: str, tmp_path: Path
) -> None:
    """The emulator passes on no system call of these two: a kernel that is too old."""
    if platform.machine() == ARCHITECTURE:
        pytest.skip("here the emulator emulates nothing")
    ran = run(foreign[0], [foreign[1], "--name=j", *VERIFIED, f"--ioengine={name}"], tmp_path)
    assert ran.status == 1
    assert f"ioengine {name}: this kernel" in ran.err
    assert "use ioengine=" in ran.err
