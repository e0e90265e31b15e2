"""Called by the name fio: the engine says whose language it speaks, where programs look for it."""

from __future__ import annotations

import re
from pathlib import Path

from support.engine_runs import run

SPEAKS = "fio-3.33"
OWN = "iogate-engine-0.1.0"
JOB = ["--name=j", "--rw=read", "--size=64k", "--ioengine=null"]


def test_the_version_begins_as_fios(named_fio: Path, fio: str, tmp_path: Path) -> None:
    said = run(named_fio, ["--version"], tmp_path)
    assert said.status == 0
    assert said.out.splitlines() == [SPEAKS, OWN]
    assert re.fullmatch(r"fio-\d+\.\d+", run(fio, ["--version"], tmp_path).out.strip())


def test_only_the_name_counts(engine: Path, tmp_path: Path) -> None:
    for name in ("fio-3", "myfio", "iogate-engine"):
        link = tmp_path / name
        link.symlink_to(engine)
        assert run(link, ["--version"], tmp_path).out.strip() == OWN


def test_json_names_the_engine_beside_it(named_fio: Path, tmp_path: Path) -> None:
    document = run(named_fio, [*JOB, "--output-format=json"], tmp_path).document()
    assert document["fio version"] == SPEAKS
    assert document["iogate"]["engine"] == "iogate-engine"


def test_text_and_command_lines_are_fios(named_fio: Path, tmp_path: Path) -> None:
    assert SPEAKS in run(named_fio, JOB, tmp_path).out.splitlines()
    shown = run(named_fio, ["--showcmd", *JOB], tmp_path).out
    assert shown.startswith("fio --name=j ")
