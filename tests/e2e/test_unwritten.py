"""A run that would measure reads of what was never written says so, and measures."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.devices import identity_of, loop_device, needs_root

from .conftest import Iogate

SPEC = """\
version: 1
name: reads
targets: { t: { %s } }
workloads:
  w: { fio: { rw: randread, bs: 4k, size: 8m, io_size: 1m }, repetitions: 2 }
"""


def data(path: Path, *, filled: bool) -> Path:
    with path.open("wb") as out:
        out.write(os.urandom(8 << 20)) if filled else out.truncate(8 << 20)
    return path


@pytest.mark.parametrize("engine", ["native", "fio"])
def test_a_file_with_holes_is_told(iogate: Iogate, engine: str) -> None:
    path = data(iogate.folder / "blocks", filled=False)
    done = iogate("run", iogate.spec(SPEC % f"file: {path}"), "--engine", engine)
    assert done.code == 0, done.text
    assert done.err.count("64 of 64 blocks looked at") == 1
    found = iogate.run_document()["measurements"]
    assert [one["unwritten"] for one in found] == [1, 1]
    assert "Write all of it first" in found[0]["warnings"][0]
    page = (iogate.latest / "report.html").read_text()
    assert "100 % of the blocks that w reads hold nothing" in page
    assert "Write all of it first" in page


def test_one_that_was_written_is_not(iogate: Iogate) -> None:
    path = data(iogate.folder / "blocks", filled=True)
    done = iogate("run", iogate.spec(SPEC % f"file: {path}"))
    assert done.code == 0, done.text
    assert "blocks looked at" not in done.text
    assert iogate.run_document()["measurements"][0]["unwritten"] == 0
    assert "what is read was written before" in (iogate.latest / "report.html").read_text()


@needs_root
def test_a_loop_device_is_told_until_it_is_filled(iogate: Iogate, tmp_path: Path) -> None:
    with loop_device(tmp_path, 64) as device:
        target = f"device: {device}, destroy: {{ {identity_of(device)} }}"
        text = SPEC % target
        assert "were never written" in iogate("run", iogate.spec(text)).err
        text += "precondition: { fill: { bs: 1m } }\n"
        done = iogate("run", iogate.spec(text))
        assert done.code == 0, done.text
        assert "were never written" not in done.err
