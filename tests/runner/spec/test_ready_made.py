"""The specs that come with iogate: every one is valid, short, and read by both engines."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from iogate.jobs.job_file import render
from iogate.jobs.options import ALIASES
from iogate.spec import check_engine, load_spec, make_plan

ROOT = Path(__file__).resolve().parents[3]
SPECS = sorted((ROOT / "specs").glob("**/*.yaml"))
ENGINE = os.environ.get("IOGATE_ENGINE") or ROOT / "native/build/iogate-engine"
SHRUNK = ["size=64m", "runtime=2s"]
MOST_LINES = 60


def parse_only(program: object, path: Path) -> str:
    """What a program says against a job file; empty when it takes it."""
    if not shutil.which(str(program)):
        pytest.skip(f"{program} is not here")
    done = subprocess.run(
        [str(program), "--parse-only", path.name],
        cwd=path.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_it_is_valid_and_short(path: Path) -> None:
    check_engine(make_plan(load_spec(path)), "native")
    assert len(path.read_text().splitlines()) <= MOST_LINES


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_it_can_be_shrunk_for_a_quick_look(path: Path) -> None:
    if all(case.command for case in make_plan(load_spec(path)).cases):
        return  # of which nothing is shrunk by options of fio
    plan = make_plan(load_spec(path), overrides=SHRUNK)
    assert len(plan.cases) == len(make_plan(load_spec(path)).cases)
    for case in plan.cases:
        assert case.command or {job.options["size"] for job in case.jobs} == {"64m"}


@pytest.mark.parametrize("program", ["fio", ENGINE], ids=["fio", "iogate-engine"])
@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_its_job_files_are_read_by(program: object, path: Path, tmp_path: Path) -> None:
    cases = [case for case in make_plan(load_spec(path)).cases if not case.command]
    for case in cases[::7]:
        job_file = tmp_path / f"{case.id}.fio"
        job_file.write_text(render(case, location=str(tmp_path)))
        assert parse_only(program, job_file) == ""


def test_the_schema_line_leads_to_the_schema() -> None:
    for path in SPECS:
        line = path.read_text().splitlines()[0]
        assert line.startswith("# yaml-language-server: $schema=")
        assert (path.parent / line.partition("=")[2]).exists()


def test_the_sweep_is_six_kinds_of_io_by_three_axes() -> None:
    plan = make_plan(load_spec(ROOT / "specs/seeds/sweep.yaml"))
    sizes = dict.fromkeys(("numjobs", "blocksize", "zonesize"), 0)
    for case in plan.cases:
        sizes[case.workload] += 1
        assert case.chart == {
            "x": ALIASES.get(case.workload, case.workload),
            "y": "bw",
            "series": "rw,direction",
            "scale": "log-log",
        }
    assert sizes == {"numjobs": 72, "blocksize": 72, "zonesize": 72}
