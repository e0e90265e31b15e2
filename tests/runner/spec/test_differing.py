"""Arms that do the same: a comparison of them would pass, and say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.cli.entry import run_command
from iogate.errors import ExitCode, UsageError
from iogate.spec.arms import find_arm, make_sides
from iogate.spec.differing import check_differing, idle_difference
from support.specs import load

TEXT = """\
version: 1
targets: { here: { directory: auto } }
environment: { drop_caches: before-run }
workloads:
  rw:
    fio: { rw: randrw, rwmixread: 70, bs: 4k, size: 4m }
    strategy: { matrix: { ioengine: [psync, splice] } }
    thresholds: { read.iops: "vs baseline > -5%" }
  queued:
    fio: { rw: randrw, ioengine: libaio, size: 4m }
    thresholds: { read.iops: "vs baseline > -5%" }
compare:
  arms:
    cached: { environment: { drop_caches: before-run } }
    fresh: { environment: { drop_caches: before-repetition } }
    empty: {}
    shell: { prepare: "true" }
"""
SETS = ["rw.rwmixread=70", "rw.bs=4096; rw.size=4096k", "cached"]
REAL = ["rw.rwmixread=71", "rw.bs=8k", "fresh", "shell", "empty", "engine=/x", "rw.iodepth=9"]


@pytest.mark.parametrize("candidate", SETS)
def test_an_arm_that_changes_no_case_is_refused(candidate: str) -> None:
    spec = load(TEXT)
    arms = find_arm(spec, "", "base"), find_arm(spec, candidate, "candidate")
    with pytest.raises(UsageError, match="do the same in every case") as caught:
        check_differing(make_sides(spec, *arms, ()), *arms)
    assert "iogate canary" in caught.value.remedy


def test_it_is_refused_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(TEXT)
    words = ["--candidate", "rw.bs=4k", "--store", str(tmp_path / "h.sqlite")]
    assert run_command(["ab", str(path), *words]) == ExitCode.USAGE
    assert "do the same in every case" in capsys.readouterr().err


@pytest.mark.parametrize("candidate", REAL)
def test_an_arm_that_changes_something_or_says_nothing_is_not(candidate: str) -> None:
    spec = load(TEXT)
    arms = find_arm(spec, "", "base"), find_arm(spec, candidate, "candidate")
    check_differing(make_sides(spec, *arms, ()), *arms)


@pytest.mark.parametrize(
    ("candidate", "idle"),
    [
        ("rw.iodepth=32", "iodepth=32"),
        ("iodepth=32", ""),  # libaio has it
        ("rw.iodepth=32; rw.bs=8k", ""),
        ("rw.iodepth=32; engine=/x", ""),
    ],
)
def test_a_depth_that_no_ioengine_of_the_cases_has(candidate: str, idle: str) -> None:
    spec = load(TEXT)
    arms = find_arm(spec, "", "base"), find_arm(spec, candidate, "candidate")
    assert idle_difference(make_sides(spec, *arms, ()), *arms) == idle
