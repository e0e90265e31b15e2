"""What a job that writes with ``verify`` leaves behind of how far it came: fio's file, byte by
byte, which either program reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.engine_runs import Ran, run

STATE = "local-j-0-verify.state"


def _run(program: str | Path, folder: Path, options: str) -> Ran:
    text = "[j]\nfilename=f\nbs=4k\nverify=crc32c\n" + "\n".join(options.split()) + "\n"
    return run(program, ["--output-format=json", "-"], folder, text)


def _ios(ran: Ran, direction: str) -> int:
    ios = json.loads(ran.out[ran.out.index("{\n") :])["jobs"][0][direction]["total_ios"]
    assert isinstance(ios, int)
    return ios


@pytest.mark.parametrize(
    "options",
    ["rw=write size=32k", "rw=write size=32k do_verify=0 loops=2", "rw=write size=64k bs=8k"],
)
def test_the_file_is_fios(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    states = []
    for program in (engine, fio):
        assert _run(program, tmp_path, options).status == 0
        states.append((tmp_path / STATE).read_bytes())
        (tmp_path / STATE).unlink()
    assert states[0] == states[1]


def test_what_a_deadline_left_out_is_not_checked(engine: Path, fio: str, tmp_path: Path) -> None:
    for writer in (engine, fio):
        job = "rw=write size=4m rate_iops=40 runtime=500ms time_based"
        written = _ios(_run(writer, tmp_path, job), "write")
        assert 0 < written < 1024
        for reader in (engine, fio):
            read = _run(reader, tmp_path, "rw=read size=4m verify_state_load=1")
            assert (read.status, _ios(read, "read")) == (0, written)
        assert _run(engine, tmp_path, "rw=read size=4m").status == 1
        (tmp_path / "f").unlink()


def test_a_random_order_is_known_again(engine: Path, tmp_path: Path) -> None:
    deep = "size=1m ioengine=libaio iodepth=4"
    assert _run(engine, tmp_path, f"rw=randwrite number_ios=37 do_verify=0 {deep}").status == 0
    read = _run(engine, tmp_path, f"rw=randread verify_state_load=1 {deep}")
    assert (read.status, _ios(read, "read")) == (0, 37)


@pytest.mark.parametrize("options", ["rw=read size=32k", "rw=write size=32k verify_state_save=0"])
def test_there_is_none_where_none_is_asked_for(engine: Path, tmp_path: Path, options: str) -> None:
    (tmp_path / "f").write_bytes(bytes(32768))
    _run(engine, tmp_path, options)
    assert not (tmp_path / STATE).exists()


def test_a_state_that_cannot_be_written_is_left_out(engine: Path, tmp_path: Path) -> None:
    (tmp_path / STATE).mkdir()
    ran = _run(engine, tmp_path, "rw=write size=32k")
    assert (ran.status, ran.err) == (0, "")


@pytest.mark.parametrize("at", [0, 8, 16, 30, 100, 180])
def test_a_damaged_file_is_told(engine: Path, tmp_path: Path, at: int) -> None:
    assert _run(engine, tmp_path, "rw=write size=32k").status == 0
    state = bytearray((tmp_path / STATE).read_bytes())
    state[at] ^= 1
    (tmp_path / STATE).write_bytes(state)
    ran = _run(engine, tmp_path, "rw=read size=32k verify_state_load=1")
    assert ran.status == 1
    assert f"j: verify_state_load: '{STATE}': it is" in ran.err
    (tmp_path / STATE).write_bytes(state[:at])
    assert "it is" in _run(engine, tmp_path, "rw=read size=32k verify_state_load=1").err
    (tmp_path / STATE).unlink()
    ran = _run(engine, tmp_path, "rw=read size=32k verify_state_load=1")
    assert "cannot read" in ran.err


@pytest.mark.parametrize("more", ["", "ioengine=libaio direct=1 iodepth=8", "nrfiles=3"])
@pytest.mark.parametrize("rw", ["write", "randwrite"])
def test_what_no_sync_has_covered_is_not_checked(
    engine: Path, tmp_path: Path, rw: str, more: str
) -> None:
    job = f"rw={rw} size=192k {more}".replace("nrfiles=3", "filename=f:g:h")
    ran = _run(engine, tmp_path, f"{job} fsync=10 verify_policy=fsynced")
    safe = _ios(ran, "read")
    assert (ran.status, _ios(ran, "write")) == (0, 48)
    assert safe == 40 if "iodepth" not in more else 0 < safe <= 40
    later = _run(engine, tmp_path, f"{job} verify_only verify_state_load=1")
    assert (later.status, _ios(later, "read")) == (0, safe)
    assert _ios(_run(engine, tmp_path, f"{job} fsync=10"), "read") == 48


def test_writes_that_are_safe_by_themselves_are_checked(engine: Path, tmp_path: Path) -> None:
    for options, safe in (("", 0), ("sync=dsync", 8)):
        ran = _run(engine, tmp_path, f"rw=write size=32k verify_policy=fsynced {options}")
        assert (ran.status, _ios(ran, "read")) == (0, safe)


def test_it_is_in_the_folder_that_is_named(engine: Path, fio: str, tmp_path: Path) -> None:
    job = [
        "--name=j",
        "--filename=data",
        "--size=64k",
        "--bs=4k",
        "--verify=crc32c",
        "--aux-path=aux",
    ]
    for program in (fio, engine):
        folder = tmp_path / Path(program).name
        (folder / "aux").mkdir(parents=True)
        assert run(program, [*job, "--rw=write", "--output=out"], folder).status == 0
        assert [each.name for each in folder.rglob("*.state")] == ["local-j-0-verify.state"]
        assert (folder / "aux" / "local-j-0-verify.state").is_file()
        loads = [*job, "--rw=read", "--verify_state_load=1", "--verify_only=1", "--output=out"]
        assert run(program, loads, folder).status == 0


def test_a_job_that_only_verifies_saves_no_state(engine: Path, fio: str, tmp_path: Path) -> None:
    job = ["--name=j", "--filename=data", "--size=64k", "--verify=crc32c", "--output=out"]
    for program, saves in ((fio, True), (engine, False)):
        folder = tmp_path / Path(program).name
        assert run(program, [*job, "--rw=write", "--verify_state_save=0"], folder).status == 0
        assert run(program, [*job, "--rw=write", "--verify_only=1"], folder).status == 0
        assert bool(list(folder.glob("*.state"))) == saves


@pytest.mark.parametrize("option", ["--ioengine=null", "--create_only=1"])
def test_a_job_that_wrote_nothing_saves_no_state(
    engine: Path, fio: str, tmp_path: Path, option: str
) -> None:
    job = ["--name=j", "--size=64k", "--rw=write", "--verify=crc32c", "--output=out", option]
    for program, saves in ((fio, True), (engine, False)):
        folder = tmp_path / Path(program).name
        assert run(program, job, folder).status == 0
        assert bool(list(folder.glob("*.state"))) == saves
