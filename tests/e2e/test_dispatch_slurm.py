"""A spec on the nodes of a Slurm of the test's own, into one history and one verdict."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from support.lineage import who_asked
from support.pages import File, steps
from support.quiet import never_disturbed
from support.slurm import NODES, Slurm, needs_slurm, running_slurm

from .conftest import ROOT, Done, Iogate, engines_of, wait_for

pytestmark = needs_slurm
PAGE = ROOT / "docs/how-to/measure-on-several-hosts.md"
IOGATE = Path(sys.executable).with_name("iogate")
SPEC = """\
version: 1
name: queue
runner: { labels: [nvme] }
targets:
  here: { directory: auto }
workloads:
  reads:
    target: here
    strategy: { matrix: { bs: [4k, 8k, 16k] } }
    fio: { rw: randread, size: 1m, ioengine: psync }
    repetitions: 2
    thresholds: { read.iops: [">= 1", "vs baseline > -99%"] }
"""
LONG = SPEC.replace("ioengine: psync", "ioengine: psync, time_based: 1, runtime: 600")
FEW_SECONDS = LONG.replace("runtime: 600", "runtime: 4").replace("repetitions: 2", "repetitions: 1")


@pytest.fixture
def slurm(tmp_path: Path, iogate: Iogate) -> Iterator[Slurm]:
    for node in NODES:
        never_disturbed(Path(iogate.env["XDG_STATE_HOME"]) / "iogate-nodes" / node)
    folder = tmp_path / "slurm"
    folder.mkdir(mode=0o755)
    with running_slurm(folder) as there:
        yield there


def asked(iogate: Iogate, *words: object) -> Done:
    return iogate("dispatch", *words, SLURM_CONF=os.environ.get("SLURM_CONF", ""))


def document(done: Done) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.out)
    return found


def begun(iogate: Iogate, slurm: Slurm, text: str, *words: str) -> Any:
    """A dispatch whose engines run on both nodes that fit."""
    env = dict(slurm.variables)
    running = iogate.start("dispatch", iogate.spec(text), "--to=slurm", *words, **env)
    wait_for(lambda: slurm.busy() == {"n1", "n3"} and len(measuring(iogate)) == 2)
    return running


def measuring(iogate: Iogate) -> set[str]:
    """The nodes, each by what its processes have in common, on which engines run."""
    found = set()
    for pid in engines_of(iogate.folder):
        with suppress(OSError):
            found.add(str(Path(f"/proc/{who_asked(pid)}/ns/pid").readlink()))
    return found


def test_cases_go_to_the_nodes_that_fit_and_come_back_as_one(iogate: Iogate, slurm: Slurm) -> None:
    done = asked(iogate, iogate.spec(SPEC), "--to=slurm", "--share", "--json")
    assert done.code == 0, done.text
    parts = document(done)["parts"]
    assert [len(part["cases"]) for part in parts] == [1, 1, 1]
    assert {part["host"] for part in parts} == {"n1", "n3"}
    assert {part["name"] for part in parts} == {"node-n1", "node-n3"}
    assert "n1: [1/2] reads/bs=" in done.err
    listed = iogate("history", "list")
    assert all(part["run"][:12] in listed.out for part in parts)
    assert all((Path(part["folder"]) / "report.html").exists() for part in parts)


def test_an_epilog_puts_in_order_what_a_killed_job_leaves(iogate: Iogate, tmp_path: Path) -> None:
    state = Path(iogate.env["XDG_STATE_HOME"])
    for node in NODES:
        never_disturbed(state / "iogate-nodes" / node)
    folder = tmp_path / "slurm"
    folder.mkdir(mode=0o755)
    (said,) = (step for step in steps(PAGE.read_text()) if isinstance(step, File))
    script = said.text.replace("$home/.local/state", str(state))
    epilog = folder / "epilog"
    epilog.write_text(script.replace("/opt/iogate/.venv/bin/iogate", str(IOGATE)))
    epilog.chmod(0o755)
    with running_slurm(folder, f"Epilog={epilog}") as slurm:
        running = begun(iogate, slurm, LONG)
        assert list(state.glob("iogate-nodes/*/iogate/scratch/*"))
        for pid in {who_asked(engine) for engine in engines_of(iogate.folder)} - {0}:
            os.kill(pid, signal.SIGKILL)
        assert running.wait(timeout=120) == 4
        wait_for(lambda: not list(state.glob("iogate-nodes/*/iogate/scratch/*")))


def test_every_node_that_fits_measures_every_case(iogate: Iogate, slurm: Slurm) -> None:
    spec = iogate.spec(SPEC.replace(">= 1", ">= 1G"))
    done = asked(iogate, spec, "--to=slurm:storage", "--json")
    assert done.code == 1, done.text
    parts = document(done)["parts"]
    assert [(part["host"], len(part["cases"])) for part in parts] == [("n1", 3), ("n3", 3)]
    assert [part["outcome"] for part in parts] == ["fail", "fail"]


def test_a_killed_nodes_cases_are_measured_again_elsewhere(iogate: Iogate, slurm: Slurm) -> None:
    running = begun(iogate, slurm, FEW_SECONDS, "--share", "--json")
    slurm.kill("n3")
    done = iogate.end(running)
    assert done.code == 0, done.text
    parts = document(done)["parts"]
    (lost,) = (part for part in parts if part["left"])
    (moved,) = (part for part in parts if part["came_from"])
    assert (lost["host"], moved["host"], moved["came_from"]) == ("n3", "n1", "n3")
    assert lost["cases"] == lost["left"] == moved["cases"]
    assert {part["exit_code"] for part in parts} == {0}
    run = json.loads((Path(moved["folder"]) / "run.json").read_text())
    limits = [each["threshold"]["limit"]["text"] for each in run["verdict"]["thresholds"]]
    assert limits == [">= 1"]


def test_a_killed_node_that_was_to_measure_itself_fails_the_whole(
    iogate: Iogate, slurm: Slurm
) -> None:
    running = begun(iogate, slurm, FEW_SECONDS)
    slurm.kill("n3")
    done = iogate.end(running)
    assert done.code == 4, done.text
    assert "n3 was lost (NODE_FAIL)" in done.out


def test_interrupted_it_cancels_its_jobs(iogate: Iogate, slurm: Slurm) -> None:
    running = begun(iogate, slurm, LONG, "--share")
    running.send_signal(signal.SIGINT)
    done = iogate.end(running)
    assert done.code == 4, done.text
    assert "stopped before the end" in done.out
    wait_for(lambda: not slurm.jobs())
    assert not engines_of(iogate.folder)
    assert not iogate.left_behind()


def test_a_label_that_no_node_has(iogate: Iogate, slurm: Slurm) -> None:
    done = asked(iogate, iogate.spec(SPEC.replace("[nvme]", "[nvme, tape]")), "--to=slurm")
    assert done.code == 3, done.text
    assert "no node of Slurm's default partition has tape" in done.err
    assert "fast, hdd, nvme, slow" in done.err
    assert not slurm.jobs()


def test_drained_nodes(iogate: Iogate, slurm: Slurm) -> None:
    slurm.drain("n1", "fan")
    running = begun_on(iogate, slurm, "n3")
    slurm.drain("n3", "disk | smells")
    done = iogate.end(running)
    assert done.code == 3, done.text
    told = r"can be used: n1 is drained \(fan\); n3 is drain(ed|ing) \(disk \| smells\)"
    assert re.search(told, done.out), done.text
    assert not slurm.jobs()
    done = asked(iogate, iogate.spec(SPEC), "--to=slurm")
    assert done.code == 3, done.text
    assert "no node that fits can be used" in done.err


def begun_on(iogate: Iogate, slurm: Slurm, node: str) -> Any:
    """A dispatch that runs on the one node that is left."""
    spec = iogate.spec(FEW_SECONDS)
    running = iogate.start("dispatch", spec, "--to=slurm", "--share", **slurm.variables)
    wait_for(lambda: slurm.busy() == {node} and engines_of(iogate.folder))
    return running


@pytest.mark.parametrize("where", ["slurm:--uid=0", "slurm:a b", "slurm:a,b"])
def test_what_is_no_partition_reaches_no_command_line(iogate: Iogate, where: str) -> None:
    done = asked(iogate, iogate.spec(SPEC), f"--to={where}")
    assert done.code == 2
    assert "is no partition of Slurm" in done.err


@pytest.mark.parametrize("label", ["nvme|hdd", "--uid=0", "[nvme*2]", "a b"])
def test_what_is_no_label_reaches_no_command_line(iogate: Iogate, label: str) -> None:
    spec = iogate.spec(SPEC.replace("[nvme]", f'["{label}"]'))
    done = asked(iogate, spec, "--to=slurm")
    assert done.code == 2
    assert "is no label of Slurm" in done.err


def test_without_slurm_it_says_what_to_install(iogate: Iogate) -> None:
    done = iogate("dispatch", iogate.spec(SPEC), "--to=slurm", PATH="/nowhere")
    assert done.code == 3
    assert "slurm-client" in done.err
