"""init, validate and compile, called as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iogate.cli.entry import run_command
from iogate.errors import ExitCode
from support.specs import fio, workloads

MATRIX = workloads(
    "  w:\n    fio: { size: 1m }\n    strategy: { matrix: { bs: [4k, 8k], iodepth: [1, 2] } }\n"
)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "a.yaml"
    path.write_text(MATRIX)
    return path


def test_init_writes_a_spec_that_is_valid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "new.yaml"
    assert run_command(["init", str(path)]) == ExitCode.PASS
    assert "#" in path.read_text()
    assert run_command(["validate", str(path)]) == ExitCode.PASS
    out = capsys.readouterr().out
    assert f"wrote {path}" in out
    assert f"ok  {path}  3 workloads, 4 cases" in out


def test_init_overwrites_nothing_unless_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "new.yaml"
    path.write_text("mine")
    assert run_command(["init", str(path)]) == ExitCode.USAGE
    assert path.read_text() == "mine"
    assert "--force" in capsys.readouterr().err
    assert run_command(["init", str(path), "--force"]) == ExitCode.PASS
    assert path.read_text() != "mine"


def test_init_in_a_folder_and_where_it_cannot_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command(["init"]) == ExitCode.PASS
    assert (tmp_path / "iogate.yaml").exists()
    assert run_command(["init", str(tmp_path)]) == ExitCode.USAGE
    assert run_command(["init", "no/such/folder/a.yaml"]) == ExitCode.RUN_FAILED
    assert "Traceback" not in capsys.readouterr().err


def test_validate_goes_on_after_a_bad_file(
    spec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text(fio("size: 1m, iodeph: 1, runtime: 1:30"))
    status = run_command(["validate", str(bad), str(tmp_path / "none.yaml"), str(spec)])
    assert status == ExitCode.USAGE
    out, err = capsys.readouterr()
    assert out == f"ok  {spec}  1 workload, 4 cases\n"
    assert f"{bad}:4:25: unknown fio option 'iodeph'" in err
    assert f"{bad}:4:45: runtime is a duration" in err
    assert "none.yaml" in err


def test_validate_tries_every_arm(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec.write_text(MATRIX + "compare: { arms: { good: { set: { rw: write } } } }\n")
    assert run_command(["validate", str(spec)]) == ExitCode.PASS
    spec.write_text(MATRIX + "compare: { arms: { bad: { set: { iodpth: 3 } } } }\n")
    assert run_command(["validate", str(spec)]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert "arm bad: iodpth=3: 'iodpth' is no option of fio" in said
    assert "did you mean 'iodepth'" in said


def test_validate_says_what_needs_trust(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "env.yaml"
    path.write_text(fio("size: 1m") + "environment: { drop_caches: before-run }\n")
    assert run_command(["validate", str(path)]) == ExitCode.PASS
    assert "needs --trust, to change the host: environment.drop_caches" in capsys.readouterr().out


@pytest.mark.parametrize(("first", "second", "warns"), [(0, 1, True), (1, 0, False)])
def test_validate_warns_of_jobs_that_never_run_together(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    first: int,
    second: int,
    warns: bool,
) -> None:
    path = tmp_path / "a.yaml"
    (tmp_path / "jobs.fio").write_text(
        f"[global]\nsize=1m\n[a]\nstonewall={first}\n[b]\nstonewall={second}\n"
    )
    path.write_text(workloads("  w:\n    jobfile: jobs.fio\n"))
    assert run_command(["validate", str(path)]) == ExitCode.PASS
    said = capsys.readouterr().err
    assert ("workload 'w' wait for each other (stonewall, wait_for)" in said) == warns


@pytest.mark.parametrize(
    ("repetitions", "confidence", "warns"),
    [
        ("6", 0.99, True),
        ("7", 0.99, False),
        ("{ min: 5, max: 6 }", 0.99, True),
        ("{ min: 5, max: 7 }", 0.99, False),
        ("{ min: 3, max: 4 }", 0.9, True),
        ("4", 0.9, False),
    ],
)
def test_validate_warns_of_limits_that_no_repetitions_decide(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    repetitions: str,
    confidence: float,
    warns: bool,
) -> None:
    path = tmp_path / "a.yaml"
    limits = f"read.iops: {{ limit: '> 1', confidence: {confidence} }}, read.bw: '> 1MB/s'"
    path.write_text(
        workloads(
            f"  w:\n    fio: {{ size: 1m }}\n    repetitions: {repetitions}\n"
            f"    thresholds: {{ {limits} }}\n"
        )
    )
    assert run_command(["validate", str(path)]) == ExitCode.PASS
    said = capsys.readouterr().err
    assert ("cannot decide read.iops > 1 at a confidence of" in said) == warns
    assert "read.bw" not in said


WAITING = """\
version: 1
targets: { here: { directory: auto } }
workloads:
  w:
    target: here
    fio: { size: 1m }
    jobs: { a: {}, b: { stonewall: %s } }
    thresholds: { read.iops: vs baseline > -5%% }
  other: { target: here, fio: { size: 2m } }
compare: { arms: { slow: { set: { thinktime: 1ms } }, waits: { set: { b.stonewall: 1 } } } }
"""


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--dry-run"],
        ["run"],
        ["ab", "--candidate", "slow"],
        ["canary"],
        ["plan"],
        ["compile"],
    ],
    ids=" ".join,
)
def test_whatever_compiles_a_spec_warns_as_validate_does(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Without an engine: it is said before anything runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IOGATE_ENGINE", str(tmp_path / "none"))
    (tmp_path / "a.yaml").write_text(WAITING % 1)
    own = [] if words[0] == "compile" else ["--store", "history.sqlite"]
    assert run_command(["validate", "a.yaml"]) == ExitCode.PASS
    (warning,) = capsys.readouterr().err.splitlines()
    run_command([words[0], "a.yaml", *words[1:], *own])
    assert capsys.readouterr().err.splitlines().count(warning) == 1


def test_an_arm_is_warned_of_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IOGATE_ENGINE", str(tmp_path / "none"))
    (tmp_path / "a.yaml").write_text(WAITING % 0)
    run_command(["compile", "a.yaml"])
    assert "warning" not in capsys.readouterr().err
    for words in (["validate"], ["ab", "--candidate", "waits", "--store", "history.sqlite"]):
        run_command([words[0], "a.yaml", *words[1:]])
        assert "jobs of workload 'w' wait for each other" in capsys.readouterr().err


def test_validate_knows_what_the_engine_does_not_do_yet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pattern.yaml"
    path.write_text(fio("size: 1m, buffer_pattern: 0xff"))
    assert run_command(["validate", str(path)]) == ExitCode.USAGE
    assert "buffer_pattern" in capsys.readouterr().err
    assert run_command(["validate", "--engine", "fio", str(path)]) == ExitCode.PASS


def test_compile_prints_every_job_file(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["compile", str(spec)]) == ExitCode.PASS
    out = capsys.readouterr().out
    assert out.count("[w]") == 4
    assert "; w/bs=8k,iodepth=2" in out


def test_compile_can_choose_and_change(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compile", str(spec), "--case", "w/bs=4k*", "--set", "size=3m"]
    assert run_command(words) == ExitCode.PASS
    out = capsys.readouterr().out
    assert out.count("[w]") == 2
    assert out.count("size=3m") == 2
    assert run_command(["compile", str(spec), "--case", "nope"]) == ExitCode.USAGE
    assert "w/bs=4k,iodepth=1" in capsys.readouterr().err
    assert run_command(["compile", str(spec), "--set", "sise=3m"]) == ExitCode.USAGE
    assert "--set sise=3m" in capsys.readouterr().err


def test_compile_writes_files(
    spec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "jobs"
    assert run_command(["compile", str(spec), "--output", str(folder)]) == ExitCode.PASS
    files = sorted(folder.iterdir())
    assert len(files) == 4
    out = capsys.readouterr().out
    assert all(str(path) in out for path in files)
    assert run_command(["compile", str(spec), "--output", str(spec)]) == ExitCode.RUN_FAILED


def test_compile_gives_the_plan_as_json(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["compile", str(spec), "--json"]) == ExitCode.PASS
    plan = json.loads(capsys.readouterr().out)
    assert plan["schema"] == "plan/1"
    assert [case["parameters"]["bs"] for case in plan["cases"]] == ["4k", "4k", "8k", "8k"]
