"""The pages of docs/how-to are followed, with small sizes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from support.pages import Reader, commands
from support.stores import URLS

from .conftest import ROOT

FOLDER = ROOT / "docs/how-to"
SMALL = {
    "runtime: 2s": "runtime: 100ms",
    "size: 64m": "size: 4m",
    "direct: true": "direct: false",
    "repetitions: 5": "repetitions: 2",
}
ELSEWHERE = {"target.*.firmware": "kernel.release"}  # a virtual drive has no firmware
SERVER = "influxdb://HOST:8086/ORG/BUCKET"


def text(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def two_builds(reader: Reader) -> None:
    for name in ("builds/old", "builds/new", "installed"):
        (reader.folder / name).mkdir(parents=True)
    for name in ("old", "new"):
        (reader.folder / "builds" / name / "library").write_text(name)


def specs(reader: Reader) -> None:
    shutil.copytree(ROOT / "specs", reader.folder / "specs")


def nightly(reader: Reader) -> None:
    (spec,) = re.findall(r"```yaml\n(.*?)```", text("gate-a-kernel-change"), re.DOTALL)
    (reader.folder / "nightly.yaml").write_text(reader.smaller(spec))


BEFORE: dict[str, Callable[[Reader], None]] = {
    "compare-builds": two_builds,
    "gate-a-filesystem-change": specs,
    "gate-a-kernel-change": lambda _: None,
    "track-firmware": nightly,
}


@pytest.mark.parametrize("name", BEFORE)
def test_a_how_to_is_followed(name: str, tmp_path: Path) -> None:
    reader = Reader(tmp_path / "reader", {**SMALL, **ELSEWHERE})
    BEFORE[name](reader)
    assert reader.follow(text(name)) == [command.text for command in commands(text(name))]


@pytest.mark.parametrize("kind", ["influxdb", "influxdb1"])
def test_a_history_moves_to_influxdb(kind: str, tmp_path: Path) -> None:
    reader = Reader(tmp_path / "reader", {**SMALL, SERVER: f"'{URLS[kind](tmp_path)}'"})
    nightly(reader)
    (reader.folder / "nightly.yaml").rename(reader.folder / "gate.yaml")
    reader.type("iogate run gate.yaml")
    reader.follow(text("move-to-influxdb"))
    reader.type(f"iogate history list --store {SERVER}")
    assert len(re.findall(r" kernel ", reader.said)) == 2, reader.said
