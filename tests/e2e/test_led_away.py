"""What else of a checkout leads a whole run away: its own folder as a link, and comparing what is
in somebody else's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Iogate

SECRET = "hunter2-is-the-secret\n"
SPEC = """\
version: 1
name: led-away
targets: { here: { %s } }
workloads: { io: { fio: { rw: read, bs: 512, size: 4k, ioengine: psync, %s }, repetitions: 1 } }
"""


def test_a_run_folder_is_not_made_through_a_link(iogate: Iogate, tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir()
    (tmp_path / "iogate-runs").symlink_to("victim")
    done = iogate("run", iogate.spec(SPEC % ("directory: .", "direct: 0")))
    assert done.code == 2
    assert "iogate-runs is a link" in done.err
    assert list((tmp_path / "victim").iterdir()) == []


@pytest.mark.parametrize("engine", ["native", "fio"])
@pytest.mark.parametrize(
    "verify",
    [
        "verify: crc32c",
        "verify: pattern, verify_pattern: 0x00, verify_dump: 1",
        "verify_pattern: 7",
    ],
)
def test_what_is_in_a_file_is_not_compared(
    iogate: Iogate, tmp_path: Path, engine: str, verify: str
) -> None:
    (tmp_path / "secret").write_text(SECRET * 1000)
    spec = iogate.spec(SPEC % ("file: secret", verify))
    done = iogate("run", spec, "--engine", engine, "--trust", "--output", tmp_path / "run")
    assert done.code in {2, 3}
    assert done.code == 2 or "would show what is in it" in done.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("engine", ["native", "fio"])
@pytest.mark.parametrize(
    "size",
    ["size: 0x100000", "size: 4k, filesize: 0x100000", "offset: 0x100000", "offset: '100%'"],
)
def test_a_file_that_is_only_read_is_not_made_longer(
    iogate: Iogate, tmp_path: Path, engine: str, size: str
) -> None:
    (tmp_path / "thesis").write_text(SECRET * 1000)
    job = f"rw: read, bs: 4k, ioengine: psync, {size if 'size' in size else f'size: 4k, {size}'}"
    text = SPEC.replace("rw: read, bs: 512, size: 4k, ioengine: psync, %s", "%s")
    done = iogate("run", iogate.spec(text % ("file: thesis", job)), "--engine", engine, "--trust")
    assert done.code in {3, 4}
    assert (tmp_path / "thesis").read_text() == SECRET * 1000


@pytest.mark.parametrize("engine", ["native", "fio"])
def test_a_file_that_is_there_is_read(iogate: Iogate, tmp_path: Path, engine: str) -> None:
    (tmp_path / "thesis").write_text(SECRET * 1000)
    done = iogate("run", iogate.spec(SPEC % ("file: thesis", "direct: 0")), "--engine", engine)
    assert done.code == 0, done.text
    assert (tmp_path / "thesis").read_text() == SECRET * 1000


def test_a_password_of_a_store_is_in_no_output(iogate: Iogate, tmp_path: Path) -> None:
    for place in ("influxdb1://who:hunter2@127.0.0.1:1/db", "influxdb://:hunter2@127.0.0.1:1/o/b"):
        run = tmp_path / place.partition(":")[0]
        spec = iogate.spec(SPEC % ("directory: .", "direct: 0"))
        done = iogate("run", spec, "--store", place, "--output", run)
        assert "hunter2" not in done.text
        kept = [path for path in run.rglob("*") if path.is_file()]
        assert kept
        assert [path for path in kept if b"hunter2" in path.read_bytes()] == []
