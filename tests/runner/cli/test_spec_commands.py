"""init, validate and compile, called as a user calls them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from groovy_parser.parser import parse_groovy_content

from iogate.cli.entry import run_command
from iogate.errors import ExitCode
from iogate.spec import load_spec
from support.devices import fill, needs_root, tmpfs
from support.specs import fio, workloads

MATRIX = workloads(
    "  w:\n    fio: { size: 1m }\n    strategy: { matrix: { bs: [4k, 8k], iodepth: [1, 2] } }\n"
)
SCHEMAS = sorted((Path(__file__).parents[3] / "schemas").iterdir())


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


def test_init_writes_a_gate_and_what_makes_its_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command(["init", "--gate", "disk.yaml"]) == ExitCode.PASS
    spec = load_spec(tmp_path / "disk.yaml")
    assert (spec.on_inconclusive, spec.on_missing_baseline) == ("fail", "fail")
    assert spec.baseline.window >= 20
    limits = [each for workload in spec.workloads for each in workload.thresholds]
    assert {each.level for each in limits} == {"fail"}
    workflows = tmp_path / ".github" / "workflows"
    (seed,) = yaml.safe_load((workflows / "storage-baseline.yml").read_text())["jobs"].values()
    assert len(seed["strategy"]["matrix"]["run"]) == 20
    jobs = yaml.safe_load((workflows / "storage-gate.yml").read_text())["jobs"]
    for job in (seed, jobs["measure"]):
        assert job["steps"][0]["with"]["fetch-depth"] == 0
        assert job["steps"][1]["with"] == {"spec": "disk.yaml"}
    assert jobs["measure"]["if"].endswith("head.repo.full_name == github.repository")
    assert (jobs["gate"]["if"], jobs["gate"]["needs"]) == ("always()", "measure")
    assert '[ "$MEASURED" = success ]' in jobs["gate"]["steps"][0]["run"]
    programs = Path(sys.executable).parent
    for check in (
        ["actionlint", "-ignore", 'label "storage" is unknown'],
        ["zizmor", "--offline", "--no-progress", "--pedantic"],
    ):
        done = subprocess.run(
            [programs / check[0], *check[1:], *workflows.iterdir()],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
    assert run_command(["init", "--gate", "other.yaml"]) == ExitCode.USAGE


@pytest.mark.parametrize(
    ("system", "place"),
    [
        ("gitlab", ".gitlab/iogate.yml"),
        ("jenkins", "Jenkinsfile"),
        ("buildkite", ".buildkite/pipeline.yml"),
    ],
)
def test_init_writes_what_another_ci_system_takes(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    system: str,
    place: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command(["init", "disk.yaml", "--gate", "--ci", system]) == ExitCode.PASS
    assert load_spec(tmp_path / "disk.yaml").on_inconclusive == "fail"
    assert not (tmp_path / ".github").exists()
    text = (tmp_path / place).read_text()
    assert "iogate run disk.yaml --output storage --wait " in text
    assert "some twenty times first" in capsys.readouterr().out
    assert "storage/" in text
    if system == "jenkins":
        assert parse_groovy_content(text).children
        return
    schema = {"gitlab": "vendor.gitlab-ci", "buildkite": "vendor.buildkite"}[system]
    check = Path(sys.executable).parent / "check-jsonschema"
    done = subprocess.run(
        [check, "--builtin-schema", schema, place], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("--ci", "jenkins"), "Jenkinsfile"),
        (("--gate",), ".github/workflows/storage-baseline.yml"),
        (("--gate",), ".github/workflows/storage-gate.yml"),
    ],
)
def test_init_writes_all_or_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    there = tmp_path / place
    there.parent.mkdir(parents=True, exist_ok=True)
    there.write_text("mine")
    assert run_command(["init", "disk.yaml", *words]) == ExitCode.USAGE
    assert there.read_text() == "mine"
    assert not (tmp_path / "disk.yaml").exists()


@pytest.mark.parametrize("path", ["a b.yaml", "$(id).yaml", "--help;.yaml"])
def test_init_writes_no_path_that_a_shell_would_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command(["init", "--ci", "gitlab", "--", path]) == ExitCode.USAGE
    assert list(tmp_path.iterdir()) == []


@needs_root
def test_a_full_disk_leaves_no_part_of_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(fio("rw: read, size: 1m"))
    with tmpfs(tmp_path / "small", "1m") as small:
        (small / "mine.yaml").write_text("mine")
        fill(small)
        assert run_command(["init", str(small / "new.yaml")]) == ExitCode.REFUSED
        assert "No space left on device\n  make room there" in capsys.readouterr().err
        assert run_command(["init", "--force", str(small / "mine.yaml")]) == ExitCode.REFUSED
        assert run_command(["compile", str(spec), "--output", str(small)]) == ExitCode.REFUSED
        assert {path.name for path in small.iterdir()} == {"filler", "mine.yaml"}
        assert (small / "mine.yaml").read_text() == "mine"
        (small / "filler").unlink()
        assert run_command(["init", str(small / "new.yaml")]) == ExitCode.PASS


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


@pytest.mark.parametrize(
    ("link", "words"),
    [
        (".github", ["--gate"]),
        (".github/workflows", ["--gate"]),
        (".github/workflows", ["--gate", "--force"]),
        (".gitlab", ["--ci", "gitlab"]),
        (".buildkite", ["--ci", "buildkite"]),
    ],
)
def test_init_writes_into_no_folder_that_a_checkout_makes_a_link(
    link: str,
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    elsewhere, checkout = tmp_path / "elsewhere", tmp_path / "checkout"
    elsewhere.mkdir()
    (checkout / link).parent.mkdir(parents=True)
    (checkout / link).symlink_to(elsewhere)
    monkeypatch.chdir(checkout)
    assert run_command(["init", "disk.yaml", *words]) == ExitCode.USAGE
    assert f"{link} is a link" in capsys.readouterr().err
    assert not list(elsewhere.iterdir())
    assert not (checkout / "disk.yaml").exists()


@pytest.mark.parametrize("name", ["iogate.yaml", ".github/workflows/storage-gate.yml"])
def test_init_overwrites_no_file_that_a_link_of_a_checkout_leads_to(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, link = tmp_path / "mine", tmp_path / "checkout" / name
    mine.write_text("mine")
    link.parent.mkdir(parents=True)
    link.symlink_to(mine)
    monkeypatch.chdir(tmp_path / "checkout")
    assert run_command(["init", "--gate", "--force"]) == ExitCode.PASS
    assert mine.read_text() == "mine"
    assert link.is_file()
    assert not link.is_symlink()


def test_init_in_a_folder_and_where_it_cannot_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command(["init"]) == ExitCode.PASS
    assert (tmp_path / "iogate.yaml").exists()
    assert run_command(["init", str(tmp_path)]) == ExitCode.USAGE
    assert run_command(["init", "no/such/folder/a.yaml"]) == ExitCode.REFUSED
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
    assert "needs --trust: environment.drop_caches" in capsys.readouterr().out


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


@pytest.mark.parametrize(("number", "warns"), [(900, True), (1000, False)])
def test_validate_warns_of_percentiles_that_a_run_has_too_few_ios_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], number: int, warns: bool
) -> None:
    path = tmp_path / "a.yaml"
    limits = "read.clat.p99.9: ['< 1s', 'vs baseline < +10%'], read.clat.p50: 'vs baseline < +10%'"
    path.write_text(
        workloads(
            f"  w:\n    fio: {{ size: 100m, number_ios: {number} }}\n"
            f"    thresholds: {{ {limits} }}\n"
        )
    )
    assert run_command(["validate", str(path)]) == ExitCode.PASS
    said = capsys.readouterr().err
    told = "a run of 'w' has at most 900 I/Os, which cannot tell read.clat.p99.9 (999 are the least"
    assert said.count(told) == warns
    assert "p50" not in said


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


@pytest.mark.parametrize(("repetitions", "warns"), [("4", True), ("5", False)])
def test_validate_warns_of_too_few_repetitions_to_compare_cases(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], repetitions: str, warns: bool
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(
        workloads(
            f"  w:\n    fio: {{ size: 1m }}\n    repetitions: {repetitions}\n"
            "    strategy: { matrix: { bs: [4k, 8k] } }\n"
            "    thresholds: { read.iops: 'vs case bs=4k > -5%' }\n"
        )
    )
    assert run_command(["validate", str(path)]) == ExitCode.PASS
    told = "read.iops vs case bs=4k > -5%: set repetitions to 5 or more"
    assert (told in capsys.readouterr().err) == warns


@pytest.mark.parametrize(("window", "warns"), [(19, True), (20, False)])
def test_validate_warns_of_a_window_that_stays_young(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], window: int, warns: bool
) -> None:
    path = tmp_path / "a.yaml"
    limit = "    thresholds: { read.iops: vs baseline > -5% }\n"
    whole = workloads(f"  w:\n    fio: {{ size: 1m }}\n{limit}")
    path.write_text(f"{whole}baseline: {{ window: {window} }}\n")
    assert run_command(["validate", str(path)]) == ExitCode.PASS
    said = capsys.readouterr().err
    assert ("limits vs baseline cannot fail with baseline.window: 19" in said) == warns


WAITING = """\
version: 1
targets: { here: { directory: auto } }
workloads:
  w:
    target: here
    fio: { size: 1m, direct: 1 }
    jobs: { a: {}, b: { stonewall: %s } }
    thresholds: { read.iops: vs baseline > -5%% }
  other: { target: here, fio: { size: 2m, direct: 1 } }
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


@pytest.mark.parametrize("asked", [(10, 5, True), (10, 8, False), (1, 5, False)])
def test_a_comparison_of_few_blocks_and_many_limits_is_warned_of(
    asked: tuple[int, int, bool],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """By chance one of many limits has all runs of an arm in one of two states. A limit that only
    warns, or is absolute, does not count."""
    sizes, blocks, told = asked
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IOGATE_ENGINE", str(tmp_path / "none"))
    matrix = ", ".join(f"{2**n}k" for n in range(sizes))
    limits = 'read.iops: ["vs baseline > -2%", "> 1"], read.bw: "vs baseline > -2%"'
    (tmp_path / "a.yaml").write_text(
        workloads(
            f"  w:\n    fio: {{ rw: read, size: 1m }}\n    thresholds: {{ {limits} }}\n"
            f"    strategy: {{ matrix: {{ bs: [{matrix}] }} }}\n"
        )
    )
    words = ["--candidate", "iodepth=2", "--store", "history.sqlite", "--blocks", str(blocks)]
    run_command(["ab", "a.yaml", *words])
    err = capsys.readouterr().err
    assert ("5 blocks are few for 20 limits" in err) is told
    assert ("up to 1.9 % of comparisons" in err) is told
    assert ("; 7 keep it below 1 %" in err) is told


def test_a_comparison_says_that_it_leaves_limits_between_cases_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IOGATE_ENGINE", str(tmp_path / "none"))
    (tmp_path / "a.yaml").write_text(
        workloads(
            "  w:\n    fio: { rw: read, size: 1m }\n    strategy: { matrix: { bs: [4k, 8k] } }\n"
            "    thresholds: { read.iops: ['vs baseline > -20%', 'vs case bs=4k > -20%'] }\n"
        )
    )
    words = ["--candidate", "iodepth=2", "--store", "history.sqlite"]
    run_command(["ab", "a.yaml", *words])
    assert "vs case bs=4k > -20% is judged by iogate run" in capsys.readouterr().err


def test_validate_knows_what_the_engine_does_not_do_yet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pattern.yaml"
    path.write_text(fio("size: 1m, plids: 1"))
    assert run_command(["validate", str(path)]) == ExitCode.USAGE
    assert "plids" in capsys.readouterr().err
    assert run_command(["validate", "--engine", "fio", str(path)]) == ExitCode.PASS


def test_validate_asks_fio_for_its_bounds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "nice.yaml"
    path.write_text(fio("rw: read, size: 1m, nice: 77"))
    assert run_command(["validate", "--engine", "fio", str(path)]) == ExitCode.USAGE
    assert "nice: max value out of range: 77 (19 max)" in capsys.readouterr().err


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
    assert run_command(["compile", str(spec), "--output", str(spec)]) == ExitCode.REFUSED


def test_compile_writes_through_no_link_of_its_folder(spec: Path, tmp_path: Path) -> None:
    """A checkout may bring one: the names of job files are known to who wrote the spec."""
    folder, mine = tmp_path / "jobs", tmp_path / "mine"
    mine.write_text("precious")
    assert run_command(["compile", str(spec), "--output", str(folder)]) == ExitCode.PASS
    for number, path in enumerate(sorted(folder.iterdir())):
        path.unlink()
        path.symlink_to(mine if number else tmp_path / "new")
    assert run_command(["compile", str(spec), "--output", str(folder)]) == ExitCode.PASS
    assert mine.read_text() == "precious"
    assert not (tmp_path / "new").exists()
    assert all("[" in path.read_text() and not path.is_symlink() for path in folder.iterdir())


def test_compile_gives_the_plan_as_json(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["compile", str(spec), "--json"]) == ExitCode.PASS
    plan = json.loads(capsys.readouterr().out)
    assert plan["schema"] == "plan/1"
    assert [case["parameters"]["bs"] for case in plan["cases"]] == ["4k", "4k", "8k", "8k"]


def test_init_writes_the_schema_beside_and_spares_what_is_no_schema(tmp_path: Path) -> None:
    schema = tmp_path / "iogate.schema.json"
    assert run_command(["init", str(tmp_path / "a.yaml")]) == ExitCode.PASS
    assert json.loads(schema.read_text())["$id"] == "urn:iogate:schema:spec:1"
    schema.write_text(schema.read_text().replace("Which storage is", "Of old: what is"))
    assert run_command(["init", str(tmp_path / "b.yaml")]) == ExitCode.PASS
    assert "Of old" not in schema.read_text()
    for other in ("mine", '{"title": "mine"}', "[1]"):
        schema.write_text(other)
        assert run_command(["init", "--force", str(tmp_path / "b.yaml")]) == ExitCode.PASS
        assert schema.read_text() == other


@pytest.mark.parametrize("there", [False, True])
def test_init_writes_and_reads_no_schema_through_a_link(tmp_path: Path, *, there: bool) -> None:
    """A checkout may bring one, to a file that is not there yet, or that gives no end."""
    schema, other = tmp_path / "iogate.schema.json", tmp_path / "other"
    schema.symlink_to("/dev/zero" if there else other)
    assert run_command(["init", str(tmp_path / "a.yaml")]) == ExitCode.PASS
    assert schema.is_symlink()
    assert not other.exists()


def test_schema_prints_each_schema_that_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    for path in SCHEMAS:
        name = path.name.removesuffix(".schema.json")
        assert run_command(["schema", name]) == ExitCode.PASS
        assert capsys.readouterr().out == path.read_text()
    assert run_command(["schema", "--help"]) == ExitCode.PASS
    (offered,) = re.findall(r"\[(spec[^\]]*)\]", "".join(capsys.readouterr().out.split()))
    assert sorted(f"{name}.schema.json" for name in offered.split("|")) == [
        path.name for path in SCHEMAS
    ]


def test_a_packaged_spec_goes_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command(["validate", "quick", "seeds/random-read"]) == ExitCode.PASS
    assert "quick.yaml  3 workloads" in capsys.readouterr().out
    assert run_command(["compile", "quick"]) == ExitCode.PASS
    assert "rw=randread" in capsys.readouterr().out


def test_a_file_goes_before_a_packaged_spec(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quick").write_text(MATRIX)
    assert run_command(["validate", "quick"]) == ExitCode.PASS
    assert "ok  quick  1 workload, 4 cases" in capsys.readouterr().out


def test_what_is_neither_is_told_what_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command(["validate", "quik"]) == ExitCode.USAGE
    assert "did you mean 'quick'?" in capsys.readouterr().err
