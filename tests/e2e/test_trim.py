"""Whole runs that trim: a device is kept, or lost, as where they write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.devices import identity_of, image_of, loop_device, mounted, needs_root

from .conftest import Iogate

pytestmark = needs_root
KINDS = ("trim", "randtrim", "trimwrite", "randtrimwrite")
MIB = 1 << 20
SPEC = """\
version: 1
name: trims
targets:
  disk: { device: %s%s }
workloads:
  io:
    fio: { rw: %s, bs: 4k, size: 1m, ioengine: %s }
    repetitions: 2
    thresholds: { trim.iops: "> 1", trim.clat.p99: ["< 60s", "vs baseline < +500%%"] }
"""


def spec(device: str, kind: str, ioengine: str = "psync", *, allowed: bool = True) -> str:
    destroy = f", destroy: {{ {identity_of(device)} }}" if allowed else ""
    return SPEC % (device, destroy, kind, ioengine)


def filled(device: str) -> bytes:
    """A device with something on every byte; its bytes."""
    data = b"x" * (8 * MIB)
    Path(device).write_bytes(data)
    return data


def kept(device: str) -> bytes:
    return Path(image_of(device)).read_bytes()


@pytest.mark.parametrize("ioengine", ["psync", "io_uring"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_device_that_may_be_lost_is_trimmed(iogate: Iogate, kind: str, ioengine: str) -> None:
    with loop_device(iogate.folder, 8) as device:
        filled(device)
        done = iogate("run", iogate.spec(spec(device, kind, ioengine)))
        assert done.code == 0, done.text
        assert "trim.clat.p99" in done.out
        data = kept(device)
        assert data[MIB:] == b"x" * (7 * MIB)
        assert (data[:MIB] == bytes(MIB)) == ("write" not in kind)
        assert b"x" * 4096 not in data[:MIB]


def test_the_other_engine_trims_the_same(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device:
        filled(device)
        done = iogate("run", iogate.spec(spec(device, "randtrim")), "--engine", "fio")
        assert done.code == 0, done.text
        assert kept(device) == bytes(MIB) + b"x" * (7 * MIB)


def test_what_is_measured_of_trims_is_in_every_report(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device:
        path = iogate.spec(spec(device, "randtrimwrite", "io_uring"))
        for _ in range(2):
            done = iogate("run", path)
            assert done.code == 0, done.text
        folder = iogate.folder / "iogate-runs/latest"
        for name in ("report.html", "summary.md", "junit.xml"):
            assert "trim.clat.p99" in (folder / name).read_text()
        pages = iogate("site", "pages")
        assert pages.code == 0, pages.text
        values = {row["threshold"]["metric"]: row["value"] for row in rows_of(folder)}
        assert values["trim.iops"] > 1
        assert values["trim.clat.p99"] > 0


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return list(json.loads((folder / "verdict.json").read_text())["thresholds"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_device_that_nobody_allowed_to_destroy(iogate: Iogate, kind: str) -> None:
    with loop_device(iogate.folder, 8) as device:
        before = filled(device)
        path = iogate.spec(spec(device, kind, allowed=False))
        done = iogate("run", path)
        assert done.code == 3, done.text
        assert f"{path}:4:" in done.err
        assert "destroy" in done.err
        assert kept(device) == before


@pytest.mark.parametrize("kind", ["trim", "randtrimwrite"])
def test_a_device_that_is_in_use(iogate: Iogate, kind: str) -> None:
    with loop_device(iogate.folder, 8) as device, mounted(device, iogate.folder / "mnt"):
        before = kept(device)
        done = iogate("run", iogate.spec(spec(device, kind)))
        assert done.code == 3, done.text
        assert "is mounted at" in done.err
        assert kept(device) == before


def test_a_device_that_is_another_than_named(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device, loop_device(iogate.folder, 8) as other:
        before = filled(device)
        text = spec(device, "trim").replace(identity_of(device), identity_of(other))
        done = iogate("run", iogate.spec(text))
        assert done.code == 3, done.text
        assert kept(device) == before


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", ["file: data, overwrite: true", "directory: ."])
def test_only_a_device_is_trimmed(iogate: Iogate, kind: str, target: str) -> None:
    """Said before anything is made, at the place of rw."""
    (iogate.folder / "data").write_bytes(b"x" * MIB)
    text = (SPEC % ("", "", kind, "psync")).replace("device: ", target)
    path = iogate.spec(text)
    for words in (("validate", path), ("run", path)):
        done = iogate(*words)
        assert done.code == 2, done.text
        assert f"{path}:7:12: " in done.err
        assert f"rw={kind}" in done.err
    assert (iogate.folder / "data").read_bytes() == b"x" * MIB
    assert not (iogate.folder / "iogate-runs").exists()


def test_the_place_of_a_matrix_is_said(iogate: Iogate) -> None:
    text = (SPEC % ("", "", "trim", "psync")).replace("device: ", "directory: .")
    text = text.replace("rw: trim, ", "").replace(
        "    repetitions: 2\n", "    strategy: { matrix: { rw: [randread, randtrim] } }\n"
    )
    done = iogate("validate", iogate.spec(text))
    assert done.code == 2
    assert "rw=randtrim" in done.err
    assert "device" in done.err
