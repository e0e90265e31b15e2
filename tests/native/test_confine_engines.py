"""Both engines measure what they are allowed to, confined, with every way of I/O."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.confining import confined, layers_of, place, plan_of
from support.devices import loop_device, needs_root

NOBODY = 65534
IO = (
    *("psync", "sync", "vsync", "pvsync", "pvsync2", "splice"),
    *("libaio", "io_uring", "mmap", "posixaio"),
)
EACH = [(program, io) for program in ("native", "fio") for io in IO]
each_way = pytest.mark.parametrize("way", EACH, ids=["-".join(each) for each in EACH])

pytestmark = needs_root


@pytest.fixture
def programs(engine: Path, fio: str) -> dict[str, str]:
    return {"native": str(engine), "fio": fio}


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody may use, with a run folder in it."""
    made = Path(tempfile.mkdtemp(prefix="iogate-confine-", dir="/var/tmp"))
    (made / "run").mkdir()
    for each in (made, made / "run"):
        each.chmod(0o777)
    yield made
    shutil.rmtree(made)


def job(program: str, io: str, *options: str) -> list[str]:
    """256 I/Os."""
    common = ["--name=job", "--rw=randrw", "--bs=4k", "--size=1m", "--output-format=json"]
    return [program, *common, f"--ioengine={io}", *options]


def ios_of(result: Path) -> int:
    text = result.read_text()
    found = json.loads(text[text.index("{") :])["jobs"][0]
    return int(found["read"]["total_ios"] + found["write"]["total_ios"])


@pytest.mark.parametrize("user", [None, NOBODY], ids=["root", "nobody"])
@each_way
def test_in_a_folder(
    programs: dict[str, str], folder: Path, way: tuple[str, str], user: int | None
) -> None:
    argv = job(programs[way[0]], way[1], f"--directory={folder}", f"--output={folder}/run/out")
    launcher = Path(programs["native"])
    plan = plan_of(place(folder), layers=layers_of(user))
    done = confined(launcher, plan, *argv, cwd=folder, user=user)
    assert done.returncode == 0, done.stderr
    assert ios_of(folder / "run/out") == 256


@pytest.mark.parametrize("kind", ["file", "device"])
@each_way
def test_in_a_file_and_on_a_device(
    programs: dict[str, str], folder: Path, way: tuple[str, str], kind: str, tmp_path: Path
) -> None:
    (folder / "file").write_bytes(bytes(1 << 20))
    direct = ["--direct=1"] if way[1] in ("libaio", "io_uring") else []
    with loop_device(tmp_path) as device:
        target = device if kind == "device" else str(folder / "file")
        options = [f"--filename={target}", f"--output={folder}/run/out", *direct]
        plan = plan_of(place(target), place(folder / "run"), f"flush {target}")
        argv = job(programs[way[0]], way[1], *options)
        done = confined(Path(programs["native"]), plan, *argv, cwd=folder / "run")
    assert done.returncode == 0, done.stderr
    assert ios_of(folder / "run/out") == 256


@pytest.mark.parametrize(
    "options",
    [
        ("--ioengine=io_uring", "--fixedbufs=1", "--direct=1", "--iodepth=16"),
        ("--numjobs=3", "--group_reporting=1"),
        ("--numjobs=2", "--thread=1"),
        ("--cpus_allowed=0",),
        ("--verify=crc32c", "--rw=randwrite"),
        ("--write_lat_log=log",),
        ("--fallocate=keep", "--rw=write"),
        ("--fsync=8",),
        ("--ioengine=null",),
        ("--ioengine=cpuio", "--cpuload=50", "--runtime=1", "--time_based=1"),
    ],
    ids=lambda options: options[0].strip("-"),
)
@pytest.mark.parametrize("name", ["native", "fio"])
def test_with_options_that_ask_the_system_for_more(
    programs: dict[str, str], folder: Path, name: str, options: tuple[str, ...]
) -> None:
    argv = job(programs[name], "psync", f"--directory={folder}", f"--output={folder}/run/out")
    launcher = Path(programs["native"])
    done = confined(launcher, plan_of(place(folder)), *argv, *options, cwd=folder / "run")
    assert done.returncode == 0, done.stderr
