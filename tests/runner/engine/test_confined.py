"""Both engines, started by the launcher, on real files and devices."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.engine import ENGINES, open_engine
from iogate.engine.base import Engine, EngineJob, EngineResult, Stop
from iogate.engine.launcher import find_layers
from iogate.engine.native import NativeEngine, find_program
from iogate.errors import EngineError, RefusedError
from iogate.host.sandbox import SYSTEM
from iogate.host.targets.places import place_of
from iogate.model.confinement import Allowed, Confinement
from iogate.sut.local import LocalSut
from support.devices import needs_root

NOBODY = 65534
JOB = "[job]\nrw=randwrite\nsize=1m\nbs=4k\nioengine=psync\n"


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    return open_engine(request.param, LocalSut())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("data", "run"):
        (tmp_path / name).mkdir()
    return tmp_path


def job(folder: Path, where: str, *, run_folder: str = "run") -> EngineJob:
    """A job that writes at ``where``, and may write in data alone."""
    sut, run = LocalSut(), folder / run_folder
    (run / "job.fio").write_text(JOB + where + "\n")
    layers = find_layers(sut)
    assert layers is not None
    allowed = tuple(Allowed(place_of(sut, str(path))) for path in (folder / "data", run))
    return EngineJob(
        job_file=str(run / "job.fio"),
        result_file=str(run / "result.json"),
        log_file=str(run / "log"),
        folder=str(run),
        timeout_s=60,
        confinement=Confinement(layers, allowed, SYSTEM),
    )


def run(engine: Engine, what: EngineJob) -> EngineResult:
    return engine.run(what, on_progress=lambda _: None, stop=Stop())


def test_the_target_is_measured(engine: Engine, folder: Path) -> None:
    result = run(engine, job(folder, f"directory={folder}/data"))
    assert result.jobs[0].directions["write"].io_bytes == 1 << 20


@pytest.mark.parametrize("name", ["victim", "new"])
def test_a_job_that_leads_out_changes_nothing(engine: Engine, folder: Path, name: str) -> None:
    """The kernel alone: no check of the runner has seen this job."""
    victim = folder / "victim"
    victim.write_bytes(b"untouched" * 1000)
    with pytest.raises(EngineError):
        run(engine, job(folder, f"filename={folder}/{name}"))
    assert victim.read_bytes() == b"untouched" * 1000
    assert sorted(path.name for path in folder.iterdir()) == ["data", "run", "victim"]


def test_no_variable_of_the_runner_reaches_a_job(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    asked = job(folder, f"directory={folder}/data\nfilename=x${{SOME_TOKEN}}x")
    with suppress(EngineError):  # ours does not take it, fio finds an empty text
        run(engine, asked)
    assert not list((folder / "data").glob("*secret*"))
    assert "secret" not in (folder / "run/log").read_text()


def test_what_was_swapped_is_refused_in_the_launchers_words(engine: Engine, folder: Path) -> None:
    asked = job(folder, f"directory={folder}/data")
    (folder / "data").rename(folder / "old")
    (folder / "victim").mkdir()
    (folder / "data").symlink_to(folder / "victim")
    with pytest.raises(RefusedError, match="not what this run was allowed to use"):
        run(engine, asked)
    assert not list((folder / "victim").iterdir())


def test_an_engine_anywhere_is_started(folder: Path) -> None:
    """Its own file is all of its folder that it may read."""
    own = folder / "private"
    own.mkdir()
    shutil.copy(find_program(LocalSut()), own / "engine")
    (own / "secret").write_text("secret")
    engine = NativeEngine(LocalSut(), str(own / "engine"))
    run(engine, job(folder, f"directory={folder}/data"))
    with pytest.raises(EngineError, match="cannot lay out"):
        run(engine, job(folder, f"filename={own}/secret"))


def test_an_engine_is_not_given_what_it_says_that_it_loads(folder: Path) -> None:
    """The loader is asked for an engine's libraries, and repeats the names that stand in its file:
    one that looks like a line of the answer had the engine read that file."""
    own, secret = folder / "private", folder / "secret"
    own.mkdir()
    secret.write_text("hunter2")
    library = own / "lib.so"
    name = f"x => {secret} (0x"
    at_run = folder / "run" / name  # the loader looks for it where the engine starts
    at_run.parent.mkdir(parents=True)
    (own / "lib.c").write_text("int said;")
    (own / "engine.c").write_text(_TELLS.format(secret=secret))
    shared = ["-shared", "-o", str(library), f"-Wl,-soname,{name}", str(own / "lib.c")]
    linked = ["-Wl,--no-as-needed", "-o", str(own / "engine"), str(own / "engine.c"), str(library)]
    for words in (shared, linked):
        subprocess.run(["gcc", *words], check=True)
    shutil.copy(library, at_run)
    asked = job(folder, f"directory={folder}/data")
    with pytest.raises(EngineError):
        run(NativeEngine(LocalSut(), str(own / "engine")), asked)
    assert (folder / "run/log").read_text() == "started: nothing\n"


_TELLS = """
#include <stdio.h>
int main(void)
{{
	char text[80] = "nothing";
	FILE *file = fopen("{secret}", "r");
	if (file)
		fgets(text, sizeof(text), file);
	printf("started: %s\\n", text);
	return 0;
}}
"""


@needs_root
def test_root_reaches_what_is_another_users(engine: Engine, folder: Path) -> None:
    """Its program, too, may be where root may look only by overriding the modes."""
    own = folder / "private"
    own.mkdir()
    shutil.copy(find_program(LocalSut()), own / "engine")
    for path in (own, own / "engine"):
        path.chmod(0o700)
        os.chown(path, NOBODY, NOBODY)
    if engine.name == "native":
        engine = NativeEngine(LocalSut(), str(own / "engine"))
    run(engine, job(folder, f"directory={folder}/data"))


@pytest.fixture
def own_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    script = tmp_path / "engine"
    script.write_text("#!/bin/sh\nexit 0\n")
    script.chmod(0o755)
    monkeypatch.setenv("IOGATE_ENGINE", str(script))
    return script


def test_a_script_in_the_engines_place_is_no_launcher(own_engine: Path) -> None:
    layers = find_layers(LocalSut())
    assert layers is not None
    assert layers.launcher != str(own_engine)
    assert layers.confine


def test_a_layer_that_was_promised_must_hold(engine: Engine, folder: Path) -> None:
    asked = job(folder, f"directory={folder}/data")
    assert asked.confinement is not None
    none = replace(asked.confinement.layers, launcher="/bin/false")
    with pytest.raises(EngineError):
        run(engine, replace(asked, confinement=replace(asked.confinement, layers=none)))
    assert not list((folder / "data").iterdir()), "nothing starts beside the launcher"
