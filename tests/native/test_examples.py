"""Every job file of Debian's package fio-examples runs, shrunk in size, or is named in
examples.toml with what it lacks."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from support import examples
from support.devices import loop_device, needs_root

LACKING: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("examples.toml").read_text()
)
ALL = examples.examples()
# "or use a full disk", says its comment: the file of its name would fill this one.
FILLS = "surface-scan"
# read_beyond_wp=0 of what nobody has written: fio moves nothing, either.
READS_NOTHING = {"zbd-seq-read"}
RUNNING = sorted({*ALL} - {*LACKING} - {FILLS})


def run_example(
    program: Path | str, folder: Path, text: str, *arguments: str
) -> subprocess.CompletedProcess[str]:
    (folder / "example.fio").write_text(text)
    return subprocess.run(
        [str(program), *arguments, "example.fio"],
        cwd=folder,
        env={**os.environ, **examples.VARIABLES},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def moved(folder: Path) -> list[int]:
    """I/Os of each job of result.json."""
    jobs = json.loads((folder / "result.json").read_text())["jobs"]
    return [sum(job[way]["total_ios"] for way in ("read", "write", "trim")) for job in jobs]


def test_the_examples_are_there() -> None:
    assert len(ALL) > 80, "apt-get install fio-examples (scripts/test does)"
    assert {*LACKING} < {*ALL}


@pytest.mark.parametrize("name", RUNNING)
def test_an_example_runs(engine: Path, tmp_path: Path, name: str) -> None:
    text = examples.shrunk(ALL[name].read_text())
    if os.geteuid() and "cmdprio_class=1" in text:
        pytest.skip("a class of real time needs root")
    examples.make_targets(text, tmp_path)
    given = examples.ARGUMENTS.get(name, ())
    output = ("--output-format=json", "--output=result.json")
    ran = run_example(engine, tmp_path, text, *given, *output)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stderr
    ios = moved(tmp_path)
    assert ios
    assert name in READS_NOTHING or all(ios), ios


@needs_root
def test_the_example_that_fills_a_disk_runs(engine: Path, tmp_path: Path) -> None:
    text = examples.shrunk(ALL[FILLS].read_text())
    with loop_device(tmp_path, 16) as device:
        text = text.replace("filename=datafile.tmp", f"filename={device}")
        ran = run_example(engine, tmp_path, text, "--output-format=json", "--output=result.json")
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stderr
    assert moved(tmp_path) == [256, 256], "all of the device in blocks of 64 KiB"


@pytest.mark.parametrize("name", sorted(LACKING))
def test_an_example_lacks_what_is_said(engine: Path, fio: str, tmp_path: Path, name: str) -> None:
    row = LACKING[name]
    text = examples.shrunk(ALL[name].read_text())
    examples.make_targets(text, tmp_path)
    ran = run_example(engine, tmp_path, text)
    assert ran.returncode, f"{name} runs now: take it out of examples.toml"
    option, equals, value = row["lacks"].partition("=")
    says = f"there is no engine '{value}'" if equals else option
    assert says in ran.stderr
    read = run_example(fio, tmp_path, text, "--parse-only")
    assert ("refused" if read.returncode else "taken") == row["fio"], read.stderr
