"""What a run's engines may reach: derived from the case, from what stands at its target now."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.ci import is_pull_request
from iogate.environments import compared
from iogate.errors import RefusedError
from iogate.host.sandbox import SYSTEM, Sandbox, open_sandbox
from iogate.host.targets.places import place_of
from iogate.model.confinement import Layers, in_words, layers_of, plan_text
from iogate.model.plan import Case
from iogate.spec import load_spec_text, make_plan
from iogate.sut.access import needs_override
from iogate.sut.local import LocalSut
from support.devices import loop_device, needs_root

ALL = Layers("/bin/launcher", 7, namespaces=True, read_only=True, network=True, capabilities=True)
NONE = Layers("/bin/launcher")
NOBODY = 65534


def case_of(target: str, options: str = "rw: randwrite") -> Case:
    text = (
        f"version: 1\nname: t\ntargets: {{ disk: {{ {target} }} }}\nworkloads:\n  w:\n"
        f"    fio: {{ size: 1m, {options} }}\n"
    )
    return make_plan(load_spec_text(text, Path("t.yaml"))).cases[0]


@pytest.fixture
def sandbox(sut: LocalSut) -> Sandbox:
    return Sandbox(sut, ALL)


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    (tmp_path / "run/jobs").mkdir(parents=True)
    return tmp_path / "run"


def lines_of(sandbox: Sandbox, case: Case, target: Path | str, run_folder: Path) -> list[str]:
    place = place_of(sandbox.sut, str(target))
    found = sandbox.of(case, place, str(run_folder), str(run_folder / "jobs"))
    assert found is not None
    return plan_text(found).splitlines()


def numbers(path: Path) -> str:
    at = path.stat()
    return f"{os.major(at.st_dev)}:{os.minor(at.st_dev)} {at.st_ino}"


def test_a_directory_and_the_run_folder_are_all_that_is_written(
    sandbox: Sandbox, tmp_path: Path, run_folder: Path
) -> None:
    lines = lines_of(sandbox, case_of("directory: ."), tmp_path, run_folder)
    assert lines[0] == "confine/1"
    assert [line for line in lines if line.startswith("place ")] == [
        f"place directory rw {numbers(tmp_path)} 0:0 0 0 {tmp_path}",
        f"place directory rw {numbers(run_folder)} 0:0 0 0 {run_folder}",
    ]
    assert f"read {run_folder}/jobs" in lines, "a job cannot change that of the next repetition"
    words = {line.removeprefix("require ") for line in lines if line.startswith("require ")}
    assert words == {"landlock", "namespaces", "read-only", "network", "capabilities"}


def test_a_file_that_is_not_there_is_new_in_its_folder(
    sandbox: Sandbox, tmp_path: Path, run_folder: Path
) -> None:
    file = tmp_path / "file"
    case = case_of(f"file: {file}")
    new = f"place new rw {numbers(tmp_path)} 0:0 0 0 {file}"
    assert new in lines_of(sandbox, case, file, run_folder)
    file.write_text("x")
    there = f"place file rw {numbers(file)} 0:0 0 0 {file}"
    assert there in lines_of(sandbox, case, file, run_folder)


@needs_root
def test_a_device_is_told_by_number_sequence_and_size(
    sandbox: Sandbox, tmp_path: Path, run_folder: Path
) -> None:
    with loop_device(tmp_path) as path:
        at = Path(path).stat()
        device = f"{os.major(at.st_rdev)}:{os.minor(at.st_rdev)}"
        seq = Path(f"/sys/dev/block/{device}/diskseq").read_text().strip()
        said = f"{numbers(Path(path))} {device} {seq} {32 << 20} {path}"
        writes, reads = (case_of(f"device: {path}", f"rw: {rw}") for rw in ("randwrite", "read"))
        assert f"place block rw {said}" in lines_of(sandbox, writes, path, run_folder)
        assert f"place block ro {said}" in lines_of(sandbox, reads, path, run_folder)
        assert f"flush {path}" in lines_of(sandbox, reads, path, run_folder)
        kept = case_of(f"device: {path}", "rw: read, invalidate: 0")
        assert f"flush {path}" not in lines_of(sandbox, kept, path, run_folder)


@needs_root
@pytest.mark.parametrize(("options", "is_claimed"), [("rw: randwrite", True), ("rw: read", False)])
def test_what_is_written_is_claimed_for_an_engine_that_does_not_do_so(
    sandbox: Sandbox, tmp_path: Path, run_folder: Path, options: str, is_claimed: bool
) -> None:
    with loop_device(tmp_path) as path:
        case = case_of(f"device: {path}, destroy: {{ backing: x }}", options)
        where = str(run_folder), str(run_folder / "jobs")
        found = sandbox.of(case, place_of(sandbox.sut, path), *where)
        assert found is not None
        assert f"claim {path}" not in plan_text(found).splitlines()
        claiming = plan_text(replace(found, claims=True)).splitlines()
        assert [each for each in claiming if each.startswith("claim ")] == (
            [f"claim {path}"] if is_claimed else []
        )


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ("rw: read", []),
        ("rw: read, nice: -5", ["sys_nice"]),
        ("rw: read, prioclass: 1", ["sys_nice"]),
        ("rw: read, lockmem: 1m", ["ipc_lock"]),
        ("rw: read, mem: shmhuge", ["ipc_lock"]),
    ],
)
@needs_root
def test_capabilities_are_those_that_the_job_needs(
    sandbox: Sandbox, tmp_path: Path, run_folder: Path, options: str, kept: list[str]
) -> None:
    lines = lines_of(sandbox, case_of("directory: .", options), tmp_path, run_folder)
    found = [line.split()[1] for line in lines if line.startswith("capability ")]
    assert [name for name in found if name != "dac_override"] == kept


@needs_root
def test_root_overrides_modes_only_where_they_keep_it_out(sut: LocalSut, tmp_path: Path) -> None:
    os.chown(tmp_path, NOBODY, NOBODY)
    (tmp_path / "file").write_text("x")
    tmp_path.chmod(0o755)
    assert not needs_override(sut, f"{tmp_path}/file", 0)
    assert needs_override(sut, str(tmp_path), 0, writes=True)
    tmp_path.chmod(0o700)
    assert needs_override(sut, f"{tmp_path}/file", 0)


def test_nothing_of_any_user_may_be_read() -> None:
    private = ("/home", "/root", "/etc", "/var", "/tmp", "/run", "/dev", "/")
    assert not [path for path in SYSTEM if path in private or path.startswith("/etc/s")]


def test_a_name_that_could_end_a_line_is_refused(
    sandbox: Sandbox, tmp_path: Path, run_folder: Path
) -> None:
    odd = tmp_path / "a\nread /root"
    odd.mkdir(parents=True)
    with pytest.raises(RefusedError, match="not a letter"):
        lines_of(sandbox, case_of("directory: ."), odd, run_folder)


def test_a_file_that_is_there_after_all_is_refused(
    sandbox: Sandbox, tmp_path: Path, run_folder: Path
) -> None:
    file = tmp_path / "file"
    place = place_of(sandbox.sut, str(file))
    file.write_text("somebody else's")
    with pytest.raises(RefusedError, match="not what it was"):
        sandbox.of(case_of(f"file: {file}"), place, str(run_folder), str(run_folder / "jobs"))


def test_what_holds_is_a_fact_that_parts_no_series(sandbox: Sandbox, sut: LocalSut) -> None:
    facts = sandbox.facts()
    assert facts["confinement.landlock"] == 7
    assert compared(facts) == {}
    assert compared(Sandbox(sut, None, "why").facts()) == {}
    told = layers_of(facts)
    assert told is not None
    assert in_words(told) == (
        "Landlock 7, namespaces, read-only mounts, no network, dropped capabilities"
    )
    assert "lacking: namespaces" in in_words(replace(ALL, namespaces=False))


@pytest.mark.parametrize("layers", [None, NONE], ids=["no launcher", "no layer"])
@pytest.mark.parametrize(
    ("environment", "trusted", "refused"),
    [
        ({}, False, False),
        ({"GITHUB_EVENT_NAME": "push"}, False, False),
        ({"GITHUB_EVENT_NAME": "pull_request"}, False, True),
        ({"GITHUB_EVENT_NAME": "pull_request_target"}, False, True),
        ({"GITHUB_EVENT_NAME": "pull_request"}, True, False),
        ({"CI_PIPELINE_SOURCE": "merge_request_event"}, False, True),
        ({"BUILDKITE_PULL_REQUEST": "false"}, False, False),
        ({"BUILDKITE_PULL_REQUEST": "17"}, False, True),
        ({"CHANGE_ID": "3"}, False, True),
    ],
)
def test_without_confinement_a_pull_request_is_refused(
    sut: LocalSut,
    layers: Layers | None,
    environment: dict[str, str],
    trusted: bool,
    refused: bool,
) -> None:
    def opened(*, unconfined: bool = False) -> Sandbox:
        return open_sandbox(
            sut,
            layers,
            unconfined=unconfined,
            trusted=trusted,
            proposed=is_pull_request(environment),
        )

    assert is_pull_request(environment) == (refused or trusted)
    assert opened(unconfined=True).facts() == {"confinement.none": "--unconfined"}
    if refused:
        with pytest.raises(RefusedError, match="pull request") as caught:
            opened()
        assert "--unconfined" in caught.value.remedy
    else:
        assert opened().why_not


def test_with_confinement_a_pull_request_is_measured(sut: LocalSut) -> None:
    opened = open_sandbox(sut, ALL, unconfined=False, trusted=False, proposed=True)
    assert opened.layers is ALL
    assert not opened.why_not
