"""The files of docs/kernel-gate.md are what the commands beside them take."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from iogate.boot.description import read_host
from iogate.model.spec import TargetKind
from iogate.spec.load import load_spec
from iogate.vm.description import read_description
from repository.tree import ROOT
from support.pages import File, commands, steps

PAGE = (ROOT / "docs/kernel-gate.md").read_text(encoding="utf-8")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """What a reader of the page has."""
    written = {}
    for step in steps(PAGE):
        if isinstance(step, File):
            written[step.path] = tmp_path / step.path
            written[step.path].write_text(step.text)
    return written


def test_both_specs_measure_the_same_on_a_disk_of_their_own(files: dict[str, Path]) -> None:
    first, second = (load_spec(files[name]) for name in ("gate.yaml", "lab3-gate.yaml"))
    assert [each.name for each in first.workloads] == [each.name for each in second.workloads]
    disks = [each.targets["disk"] for each in (first, second)]
    assert all(disk.kind is TargetKind.DEVICE for disk in disks)
    assert disks[0].path != disks[1].path


def test_the_machine_has_the_disk_that_the_spec_names(files: dict[str, Path]) -> None:
    (disk,) = read_description(files["guest.yaml"]).disks
    assert load_spec(files["gate.yaml"]).targets["disk"].path == f"/dev/disk/by-id/{disk.name}"


def test_the_host_is_one_by_ssh(files: dict[str, Path]) -> None:
    host = read_host(files["lab3.yaml"])
    assert host.kernel("new").image
    assert f"ssh:{host.address}" in PAGE


def test_the_job_calls_the_action_with_what_it_has(files: dict[str, Path]) -> None:
    action = yaml.safe_load((ROOT / ".github/actions/iogate/action.yml").read_text())
    (job,) = yaml.safe_load(files["kernel-gate.yml"].read_text())["jobs"].values()
    given = job["steps"][-1]["with"]
    assert set(given) <= set(action["inputs"])
    assert Path(given["machine"].removeprefix("vm:")).name in files
    assert given["spec"] in files


def test_the_page_names_no_file_that_it_does_not_have(files: dict[str, Path]) -> None:
    named = {
        word.partition(":")[2] or word
        for command in commands(PAGE)
        for word in command.text.split()
        if word.endswith(".yaml")
    }
    assert named <= set(files)
