"""What ``iogate validate`` tells of one spec, all together, and what it warns of."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.cli.entry import run_command
from iogate.errors import ExitCode
from support.specs import workloads

# An option of fio's that the engine lacks: for hardware that it does not reach.
LACKING = "plids: 1"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.yaml"


def test_what_the_engine_lacks_is_told_with_all_other_mistakes(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path.write_text(
        workloads(
            f"  a:\n    fio: {{ size: 1m, iodeth: 3, {LACKING} }}\n"
            f"  b:\n    fio: {{ size: 1m, {LACKING} }}\n"
            '    thresholds: { nosuch.x: "< 3" }\n'
            f"  c:\n    fio: {{ time_based: true, {LACKING} }}\n"
        )
    )
    assert run_command(["validate", str(path)]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert "unknown fio option 'iodeth'" in said
    assert "no metric is named 'nosuch.x'" in said
    for name in "abc":
        assert f"workload '{name}': fio has plids" in said
    assert run_command(["validate", "--engine", "fio", str(path)]) == ExitCode.USAGE
    assert "plids" not in capsys.readouterr().err


def test_what_cannot_run_is_told_with_what_the_engine_lacks(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path.write_text(
        workloads(
            f"  a:\n    fio: {{ {LACKING} }}\n  b:\n    fio: {{ rw: trim, size: 1m, {LACKING} }}\n"
        )
    )
    assert run_command(["validate", str(path)]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert "job 'a' of workload 'a' has no size" in said
    assert said.count("fio has plids") == 2
    path.write_text(workloads(f"  b:\n    fio: {{ rw: trim, size: 1m, {LACKING} }}\n"))
    assert run_command(["validate", str(path)]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert "is no block device" in said
    assert "fio has plids" in said


WARNED = {
    "write.clat.p99": True,
    "write.lat.mean": True,
    "jobs.w.write.clat.p99": True,
    "sync.lat.p99": False,
    "write.iops": False,
    "read.clat.p99": False,
    "errors": False,
}


@pytest.mark.parametrize("metric", WARNED)
@pytest.mark.parametrize("sync", ["fsync: 1", "fdatasync: 8", "fsync: 0"])
def test_a_limit_that_leaves_out_the_syncs_is_told(
    path: Path, capsys: pytest.CaptureFixture[str], metric: str, sync: str
) -> None:
    job = f"  w:\n    fio: {{ size: 1m, rw: randrw, {sync} }}\n"
    limit = "< 30 ms" if "lat" in metric else "> 30" if "iops" in metric else "< 30"
    path.write_text(workloads(f'{job}    thresholds: {{ {metric}: "{limit}" }}\n'))
    run_command(["validate", str(path)])
    said = capsys.readouterr().err
    told = f"workload 'w' has {sync.replace(': ', '=')}, and {metric} does not count these syncs"
    assert (told in said) == (WARNED[metric] and not sync.endswith("0"))


def test_one_limit_on_syncs_is_enough(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limits = '{ write.clat.p99: "< 1 ms", sync.lat.p99: "< 9 ms" }'
    job = "  w:\n    fio: { size: 1m, rw: write, fsync: 1 }\n"
    path.write_text(workloads(f"{job}    thresholds: {limits}\n"))
    assert run_command(["validate", str(path)]) == ExitCode.PASS
    assert "syncs" not in capsys.readouterr().err


JOB_FILE = """
[global]
name=all of them
size=1m
[a]
rw=write:4k
[b]
name=bee
write_bw_log
[global]
name=later
flow=3
flow_sleep=1000
[c]
write_lat_log=own
"""


def test_a_job_file_says_what_it_says_to_the_engine(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "j.fio").write_text(JOB_FILE)
    path.write_text(workloads("  w: { jobfile: j.fio }\n"))
    assert run_command(["validate", str(path)]) == ExitCode.PASS, capsys.readouterr().err
    capsys.readouterr()
    assert run_command(["compile", str(path)]) == ExitCode.PASS
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("[") and "global" not in line] == [
        "[a]",
        "[bee]",
        "[c]",
    ]
    assert not any(line.startswith("name") for line in lines)
    assert "rw=write:4k" in lines
    assert "write_bw_log=bee" in lines
    assert "write_lat_log=own" in lines


@pytest.mark.parametrize("name", ["", "a/b", "a]b"])
def test_a_name_that_names_no_job_is_told(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (tmp_path / "j.fio").write_text(f"[a]\nsize=1m\nname={name}\n")
    path.write_text(workloads("  w: { jobfile: j.fio }\n"))
    assert run_command(["validate", str(path)]) == ExitCode.USAGE
    assert "j.fio:3:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "warned"),
    [
        ("iodepth: 32", True),
        ("iodepth: 32, ioengine: mmap", True),
        ("iodepth: 1", False),
        ("iodepth: 32, ioengine: libaio", False),
    ],
)
def test_a_depth_that_a_synchronous_ioengine_does_not_have_is_warned_of(
    path: Path, capsys: pytest.CaptureFixture[str], options: str, warned: bool
) -> None:
    path.write_text(workloads(f"  w: {{ fio: {{ size: 1m, {options} }} }}\n"))
    assert run_command(["validate", str(path)]) == ExitCode.PASS
    said = capsys.readouterr().err
    assert ("workload 'w' has iodepth=32, but ioengine" in said) is warned
    assert ("is synchronous" in said) is warned


@pytest.mark.parametrize(
    ("options", "warned"),
    [
        ("rw: randread", True),
        ("ioengine: io_uring, rw: randrw", True),
        ("rw: randread, direct: 1", False),
        ("rw: randread, direct: 0", False),
        ("rw: randread, buffered: 1", False),
        ("rw: randread, invalidate: 0", False),
        ("rw: randwrite", False),
        ("ioengine: mmap, rw: read", False),
    ],
)
def test_reads_that_may_come_from_memory_are_warned_of_unless_the_spec_says_how_it_reads(
    path: Path, capsys: pytest.CaptureFixture[str], options: str, warned: bool
) -> None:
    path.write_text(workloads(f"  w: {{ fio: {{ size: 1m, {options} }} }}\n"))
    assert run_command(["validate", str(path)]) == ExitCode.PASS
    assert ("workload 'w' reads through the page cache" in capsys.readouterr().err) is warned


OUT_OF_RANGE = """\
version: 1
targets: { d: { device: /dev/nosuch, destroy: { serial: x } } }
precondition:
  fill: { bs: 1m, cpus_allowed: 0-99999999 }
workloads:
  w:
    jobs:
      a: { rw: randread, size: 1m, numa_mem_policy: "bind:0" }
      b: { rw: randread, size: 1m, numa_mem_policy: "bind:0-9999999" }
    strategy: { matrix: { blocksize_range: [4k-8k, 1-18446744073709551615] } }
"""


def test_what_the_engine_does_not_take_has_its_place(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path.write_text(OUT_OF_RANGE)
    assert run_command(["validate", str(path)]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert f"{path}:4:19: precondition: cpus_allowed: " in said
    assert f"{path}:9:36: workload 'w': numa_mem_policy: " in said
    assert run_command(["run", "--dry-run", str(path)]) == ExitCode.USAGE
    assert f"{path}:4:19: precondition: cpus_allowed: " in capsys.readouterr().err


def test_a_value_of_the_matrix_has_its_place(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path.write_text(
        workloads(
            "  w:\n    fio: { rw: read, size: 1m }\n"
            "    strategy: { matrix: { blocksize_range: [4k-8k, 1-18446744073709551615] } }\n"
        )
    )
    assert run_command(["validate", str(path)]) == ExitCode.USAGE
    assert f"{path}:6:27: workload 'w': bsrange: 18446744073709551615" in capsys.readouterr().err


@pytest.mark.parametrize("options", ["nrfiles: 4294967295", "iodepth: 2m", "bs: '4k,2g'"])
def test_numbers_have_their_bounds_without_an_engine(
    options: str,
    path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("iogate.engine.launcher.find_layers", lambda _: None)
    path.write_text(workloads(f"  a:\n    fio: {{ rw: read, size: 1m, {options} }}\n"))
    assert run_command(["validate", str(path)]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert f"{path}:5:32: workload 'a': {options.partition(':')[0]} is at most " in said
    assert "--engine fio" in said
    assert run_command(["validate", "--engine", "fio", str(path)]) == ExitCode.PASS


def test_without_an_engine_the_rest_is_checked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iogate.engine.launcher.find_layers", lambda _: None)
    path.write_text(OUT_OF_RANGE)
    assert run_command(["validate", str(path)]) == ExitCode.PASS
