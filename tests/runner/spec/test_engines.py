"""Limits on what the engine that is asked for does not keep."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.cli.entry import run_command
from iogate.errors import ExitCode
from support.specs import workloads

WORKLOAD = "  w:\n    fio: {{ size: 1m, {} }}\n    thresholds: {{ {}: '{}' }}\n"


@pytest.mark.parametrize(
    ("metric", "limit"),
    [
        ("read.intended_lat.p99", "< 10ms"),
        ("jobs.w.read.stalls", "< 1%"),
        ("read.slope", "< 1%"),
        ("read.bw.p5", "> 1MB/s"),
        ("read.iops.stdev", "< 10"),
    ],
)
def test_what_fio_does_not_keep_is_told_before_it_runs(
    metric: str, limit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "a.yaml"
    spec.write_text(workloads(WORKLOAD.format("rw: read, rate_iops: 700", metric, limit)))
    assert run_command(["validate", str(spec)]) == ExitCode.PASS
    for command in ("validate", "compile", "run"):
        capsys.readouterr()
        assert run_command([command, "--engine", "fio", str(spec)]) == ExitCode.USAGE
        said = capsys.readouterr().err
        assert f"{spec}:6:" in said
        assert f"{metric} cannot exist: fio " in said
        assert "--engine native" in said


@pytest.mark.parametrize("metric", ["read.iops", "read.bw.mean"])
def test_what_fio_keeps_is_no_problem(metric: str, tmp_path: Path) -> None:
    spec = tmp_path / "a.yaml"
    limit = "> 1" if "iops" in metric else "> 1MB/s"
    spec.write_text(workloads(WORKLOAD.format("rw: read", metric, limit)))
    assert run_command(["validate", "--engine", "fio", str(spec)]) == ExitCode.PASS
