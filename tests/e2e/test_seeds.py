"""Every ready-made spec runs as it is written, only smaller and shorter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.devices import by_id_link, loop_device, needs_root

from .conftest import ROOT, Iogate

ON_A_DEVICE = [ROOT / "specs" / f"filesystem{of}.yaml" for of in ("", "-metadata")]
OF_PROGRAMS = ROOT / "specs" / "filesystem-programs.yaml"
SPECS = sorted({*(ROOT / "specs").rglob("*.yaml")} - {*ON_A_DEVICE, OF_PROGRAMS})
# The sweep has 216 cases: of each of its three series, one point for every kind of I/O.
SOME = ("--case", "*numjobs=2", "--case", "*blocksize=64k", "--case", "*zonesize=1m")
SMALL = ("--set", "size=16m", "--set", "runtime=300ms", "--repetitions", "1")


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: str(path.relative_to(ROOT / "specs")))
def test_it_runs_and_ends_with_a_report(iogate: Iogate, spec: Path) -> None:
    some = SOME if spec.name == "sweep.yaml" else ()
    done = iogate("run", spec, *SMALL, *some)
    # Its limits are for its own sizes and times, and the first run of a gate has no baseline.
    expected = (1, 5) if spec.name == "gate.yaml" else (0, 1)
    assert done.code in expected, done.text
    check_run(iogate)


@needs_root
@pytest.mark.parametrize("spec", ON_A_DEVICE, ids=lambda path: path.stem)
def test_a_spec_that_wants_a_device_is_given_one(
    iogate: Iogate, tmp_path: Path, spec: Path
) -> None:
    with loop_device(tmp_path, 512) as device, by_id_link(device) as link:
        done = iogate("run", spec, "--trust", *SMALL, IOGATE_DEVICE=str(link))
        assert done.code in (0, 1), done.text
    check_run(iogate)


@needs_root
def test_programs_have_a_filesystem_of_their_own(iogate: Iogate, tmp_path: Path) -> None:
    """One of them: tests/e2e/test_commands.py has dbench, for two seconds instead of thirty."""
    words = ("--trust", "--case", "untar", "--repetitions", "1")
    with loop_device(tmp_path, 1024) as device, by_id_link(device) as link:
        done = iogate("run", OF_PROGRAMS, *words, IOGATE_DEVICE=str(link))
        assert done.code == 0, done.text
    assert check_end(iogate)["measurements"]


def check_run(iogate: Iogate) -> None:
    """As ``check_end``, and each case did I/O."""
    run = check_end(iogate)
    for measurement in run["measurements"]:
        total = sum(
            d["total_ios"] for job in measurement["jobs"] for d in job["directions"].values()
        )
        assert total > 0, measurement["case_id"]


def check_end(iogate: Iogate) -> dict[str, Any]:
    """The run is complete, there is a report, and no file is left."""
    run = iogate.run_document()
    assert run["status"] == "complete"
    assert run["failures"] == []
    assert len(run["measurements"]) == len(run["plan"]["cases"])
    assert (iogate.latest / "report.html").stat().st_size > 1000
    assert iogate.left_behind() == []
    return run
