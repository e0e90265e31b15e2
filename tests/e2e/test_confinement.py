"""Whole runs whose engines are confined, and where a kernel cannot do it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import uuid
from pathlib import Path

import pytest

from support.devices import needs_root

from .conftest import Iogate

SPEC = """\
version: 1
name: kept
targets: {{ t: {{ {target} }} }}
workloads:
  io:
    fio: {{ ioengine: psync, size: 1m, bs: 4k, number_ios: 32, {options} }}
    repetitions: 2
"""
# A kernel without Landlock, and a user without namespaces.
BARE = (
    "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=landlock_create_ruleset,unshare",
    "-e", "inject=landlock_create_ruleset:error=EOPNOTSUPP", "-e", "inject=unshare:error=EPERM",
)  # fmt: skip
needs_strace = pytest.mark.skipif(
    not shutil.which("strace"), reason="strace is not installed: apt-get install strace"
)


def spec(iogate: Iogate, target: str = "directory: .", options: str = "rw: randrw") -> Path:
    return iogate.spec(SPEC.format(target=target, options=options))


def facts(iogate: Iogate) -> dict[str, object]:
    found: dict[str, object] = iogate.run_document()["environment"]
    return {name: value for name, value in found.items() if name.startswith("confinement.")}


@pytest.mark.parametrize("engine", ["native", "fio"])
@pytest.mark.parametrize("rw", ["randread", "randwrite", "randrw"])
@pytest.mark.parametrize("size", [None, 0, 65536, 1 << 20, 2 << 20])
def test_a_file_is_laid_out_in_its_own_place(
    iogate: Iogate, engine: str, rw: str, size: int | None
) -> None:
    """fio removes a file that is too small, and makes it anew: it may not."""
    file, beside = iogate.folder / "file", iogate.folder / "beside"
    beside.write_text("untouched")
    if size is not None:
        file.write_bytes(bytes(size))
    target = f"file: {file}, overwrite: true"
    done = iogate("run", spec(iogate, target, f"rw: {rw}"), "--engine", engine)
    assert done.code == 0, done.text
    assert file.stat().st_size == max(size or 0, 1 << 20)
    assert beside.read_text() == "untouched"
    assert len(iogate.run_document()["measurements"]) >= 2
    assert not [path for path in (iogate.latest / "raw").iterdir() if "layout" in path.name]


def test_what_holds_is_among_the_facts_and_in_the_report(iogate: Iogate) -> None:
    assert iogate("run", spec(iogate)).code == 0
    found = facts(iogate)
    assert found["confinement.landlock"]
    assert found["confinement.capabilities"] is True
    assert "engine kept to its targets" in (iogate.latest / "report.html").read_text()


CURIOUS = """\
#!/bin/sh
touch {folder}/escaped
echo "iogate-engine-$(cat {folder}/secret || echo 9.9)"
"""


@pytest.mark.parametrize("arm", [False, True])
def test_an_engine_that_is_asked_what_it_is_reaches_nothing(iogate: Iogate, arm: bool) -> None:
    folder = iogate.folder
    (folder / "secret").write_text("passphrase")
    (folder / "own").mkdir()
    engine = folder / "own/iogate-engine"
    engine.write_text(CURIOUS.format(folder=folder))
    engine.chmod(0o755)
    limits = "rw: randrw }\n    thresholds: { read.iops: 'vs baseline > -5%'"
    words = ("ab", spec(iogate, options=limits), "--candidate", f"engine={engine}")
    asked: dict[str, str] = {} if arm else {"IOGATE_ENGINE": str(engine)}
    called = words if arm else ("run", spec(iogate))
    done = iogate(*called, **asked)
    assert done.code == 4, done.text
    assert not (folder / "escaped").exists()
    assert "passphrase" not in done.text
    assert iogate(*called, "--unconfined", **asked).code == 4
    assert (folder / "escaped").exists()


def test_without_confinement_it_is_said(iogate: Iogate) -> None:
    done = iogate("run", spec(iogate), "--unconfined")
    assert done.code == 0
    assert facts(iogate) == {"confinement.none": "--unconfined"}
    assert "the engine is not confined: --unconfined" in done.err
    assert "not confined: --unconfined" in (iogate.latest / "report.html").read_text()


@needs_root
@needs_strace
def test_on_a_kernel_that_confines_nothing(iogate: Iogate) -> None:
    path = spec(iogate)
    done = iogate("run", path, before=BARE)
    assert done.code == 0, done.text
    assert "the engine is not confined: this kernel cannot" in done.err
    asked = {"GITHUB_EVENT_NAME": "pull_request"}
    refused = iogate("run", path, before=BARE, **asked)
    assert refused.code == 3
    assert "this is a pull request's run" in refused.err
    assert iogate("run", path, "--unconfined", before=BARE, **asked).code == 0
    assert iogate("run", path, "--trust", before=BARE, **asked).code == 0
    assert iogate("run", path, **asked).code == 0, "where it is confined, there is no question"


@needs_root
def test_an_engine_cannot_change_the_job_of_the_next_repetition(iogate: Iogate) -> None:
    """A script in fio's place, which does what a broken engine could."""
    programs = iogate.folder / "programs"
    programs.mkdir()
    script = programs / "fio"
    script.write_text(
        "#!/bin/sh\n"
        'for word; do case "$word" in\n'
        '*.fio) echo x >> "$word"; echo x > "${word%/*}/new" ;; esac; done\n'
        f'exec {shutil.which("fio")} "$@"\n'
    )
    script.chmod(0o755)
    way = f"{programs}:{os.environ['PATH']}"
    done = iogate("run", spec(iogate), "--engine", "fio", PATH=way)
    assert done.code == 0, done.text
    (job,) = (iogate.latest / "jobs").iterdir()
    assert not job.read_text().endswith("x\n")
    bare = iogate("run", spec(iogate), "--engine", "fio", "--unconfined", PATH=way)
    assert (iogate.latest / "jobs/new").exists(), bare.text


@needs_root
def test_an_engine_cannot_change_what_another_case_gave(iogate: Iogate) -> None:
    """A script in fio's place writes over everything in the run folder that it can."""
    programs = iogate.folder / "programs"
    programs.mkdir()
    script = programs / "fio"
    script.write_text(
        "#!/bin/sh\n"
        'for word; do case "$word" in *.fio) job=$word ;; esac; done\n'
        'run=${job%/jobs/*}; [ "$run" = "$job" ] || { cd "$run"\n'
        "for each in plan.json run.json run.jsonl verdict.json new jobs/new raw/new "
        "raw/*.json raw/*.log logs/new .room; do\n"
        '  echo hostile > "$each"; rm -f "$each"; done\n'
        "ln -sf ../plan.json raw/link; mv raw moved; }\n"
        'cd "$OLDPWD"\n'
        f'exec {shutil.which("fio")} "$@"\n'
    )
    script.chmod(0o755)
    way = f"{programs}:{os.environ['PATH']}"
    path = spec(iogate, options="rw: randread, write_bw_log: speed")
    path.write_text(path.read_text() + "    strategy: { matrix: { rw: [randread, randwrite] } }\n")
    done = iogate("run", path, "--engine", "fio", PATH=way)
    assert done.code == 0, done.text
    root = iogate.latest
    assert {"plan.json", "run.json", "jobs", "raw", "logs"} <= {p.name for p in root.iterdir()}
    for written in root.rglob("*"):
        assert written.name not in ("new", "link", "moved")
        assert not written.is_file() or b"hostile" not in written.read_bytes()
    assert len(list((root / "raw").glob("*.json"))) == 4, "two cases, twice"
    assert len(list(root.glob("logs/*-*/speed_bw.1.log"))) == 4


@needs_root
@pytest.mark.parametrize("asked", ["--version", "--output-format=json+"])
def test_an_engine_leaves_nobody_behind_who_could_slow_the_next(iogate: Iogate, asked: str) -> None:
    """Of two arms, the candidate would look the better."""
    programs, name = iogate.folder / "programs", f"iogate-{uuid.uuid4().hex}"
    programs.mkdir()
    script = programs / "fio"
    loop = "while :; do sleep 0.1; done"
    script.write_text(
        "#!/bin/sh\n"
        f'for word; do if [ "$word" = {asked} ]; then\n'
        f"setsid env -i sh -c '{loop}' {name} </dev/null >/dev/null 2>&1 &\nfi; done\n"
        f'{shutil.which("fio")} "$@"\n'
    )
    script.chmod(0o755)
    done = iogate("run", spec(iogate), "--engine", "fio", PATH=f"{programs}:{os.environ['PATH']}")
    left = subprocess.run(["pgrep", "-f", name], capture_output=True, text=True, check=False).stdout
    for pid in left.split():
        os.kill(int(pid), signal.SIGKILL)
    assert done.code == 0, done.text
    assert not left


@needs_root
@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_an_engine_that_leaves_no_file_of_its_own_gave_nothing(iogate: Iogate, kind: str) -> None:
    """A script in fio's place names a result that iogate may read, and it not."""
    path = spec(iogate)
    assert iogate("run", path, "--engine", "fio").code == 0
    real = iogate.folder / "real.json"
    shutil.copy(next((iogate.latest / "raw").glob("*-1.json")), real)
    programs = iogate.folder / "programs"
    programs.mkdir()
    script = programs / "fio"
    make = {"link": f'ln -s {real} "$out"', "folder": 'mkdir "$out"', "pipe": 'mkfifo "$out"'}
    script.write_text(
        "#!/bin/sh\n"
        'for word; do case "$word" in\n'
        f"--output=*) out=${{word#--output=}}; {make[kind]}; exit 0 ;; esac; done\n"
        f'exec {shutil.which("fio")} "$@"\n'
    )
    script.chmod(0o755)
    done = iogate("run", path, "--engine", "fio", PATH=f"{programs}:{os.environ['PATH']}")
    assert done.code == 4, done.text
    assert "gave no result" in done.text
    document = iogate.run_document()
    assert document["measurements"] == []
    assert list((iogate.latest / "raw").glob("*.json")) == []
