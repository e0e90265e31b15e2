"""Ways for a spec to reach what it does not name: all are refused, nobody's bytes are touched.

Each that leads out of the target is tried twice: as a spec, which the runner's checks refuse; and
as the job file that those checks keep from being written, in the sandbox of a proper target: there
the kernel alone keeps every byte, whatever the engine makes of the job.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from iogate.engine import open_engine
from iogate.engine.base import EngineJob, Stop
from iogate.engine.launcher import find_layers
from iogate.errors import IogateError
from iogate.host.sandbox import open_sandbox
from iogate.host.targets.places import place_of
from iogate.spec import load_spec_text, make_plan
from iogate.sut.local import LocalSut
from support.attacks import OUTSIDE, SECRET, SPECS, TOPS
from support.devices import needs_root
from support.grounds import Ground, ground

from .conftest import Done, Iogate

pytestmark = needs_root
ENGINES = ("native", "fio")
HEAD = (
    "version: 1\nname: attack\n{top}targets: {{ d: {{ directory: target }} }}\nworkloads:\n  w:\n"
)
LEADS = {"filename", "filename_format"}
PLAIN = {"rw": "write", "bs": "4k", "size": "64k", "ioengine": "psync"}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with ground(tmp_path_factory.mktemp("ground")) as made:
        yield made


def attacked(scene: Ground, text: str, *words: str) -> Done:
    """A run of a spec by somebody who holds secrets, and who trusts it."""
    iogate = Iogate(scene.root)
    iogate.env |= {
        "HOME": str(scene.root / "home"),
        "IOGATE_VAR_VICTIM": str(scene.root / "victim"),
        "IOGATE_VAR_EMPTY": "",
        "DB_PWD": SECRET,
    }
    return iogate("run", iogate.spec(text), "--trust", *words)


def check_refused(scene: Ground, text: str, engine: str) -> None:
    before = scene.state()
    done = attacked(scene, text, "--engine", engine)
    assert done.code in {2, 3}, done.text
    assert scene.state() == before
    assert not scene.heard()
    assert SECRET not in done.text
    assert scene.leaks() == []


def options_of(scene: Ground, name: str) -> dict[str, str]:
    found = {key: value.format(**scene.names) for key, value in OUTSIDE[name].items()}
    return {**PLAIN, **found}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", OUTSIDE)
def test_no_option_leads_out_of_the_target(scene: Ground, name: str, engine: str) -> None:
    pairs = ", ".join(
        f"{key}: {json.dumps(value)}" for key, value in options_of(scene, name).items()
    )
    check_refused(scene, HEAD.format(top="") + f"    fio: {{ {pairs} }}\n", engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", SPECS)
def test_no_workload_leads_out_of_the_target(scene: Ground, name: str, engine: str) -> None:
    body = SPECS[name].format(**scene.names)
    check_refused(scene, HEAD.format(top="") + body.replace("      ", "    "), engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", TOPS)
def test_nothing_else_of_a_spec_leads_out(scene: Ground, name: str, engine: str) -> None:
    head = HEAD.format(top=TOPS[name].format(**scene.names))
    check_refused(scene, head + "    fio: { rw: write, size: 64k }\n", engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", OUTSIDE)
def test_the_kernel_alone_keeps_what_is_outside(scene: Ground, name: str, engine: str) -> None:
    before = scene.state()
    run_unchecked(scene, options_of(scene, name), engine)
    assert scene.state() == before
    assert not scene.heard()
    assert scene.leaks() == []


def run_unchecked(
    scene: Ground, options: dict[str, str], engine: str, *, confined: bool = True
) -> None:
    """The job as it is, confined to a folder of the target. No check of the runner's sees it."""
    sut = LocalSut()
    own, folder = scene.root / "target/own", scene.root / "run/now"
    for each in (own, folder / "jobs"):
        each.mkdir(parents=True, exist_ok=True)
    job = folder / "jobs/job.fio"
    # A directory would stand before each name.
    place = [] if LEADS & set(options) else [f"directory={own}"]
    lines = ["[job]", *place, *(f"{key}={value}" for key, value in options.items())]
    job.write_text("\n".join(lines) + "\n")
    text = HEAD.format(top="") + "    fio: { rw: write, size: 64k }\n"
    case = make_plan(load_spec_text(text, scene.root / "spec.yaml")).cases[0]
    box = open_sandbox(sut, find_layers(sut), unconfined=not confined, trusted=True, proposed=False)
    asked = EngineJob(
        job_file=str(job),
        result_file=str(folder / "result.json"),
        log_file=str(folder / "log"),
        folder=str(folder),
        timeout_s=20,
        confinement=box.of(case, place_of(sut, str(own)), str(folder), str(job.parent)),
    )
    assert bool(asked.confinement) is confined
    with suppress(IogateError):
        open_engine(engine, sut).run(asked, on_progress=lambda _now: None, stop=Stop())


def test_without_the_sandbox_they_get_through(tmp_path: Path) -> None:
    """The job files above are real attacks, and what is compared is not blind."""
    for name, engine in (
        ("an absolute file name", "native"),
        ("an absolute file name", "fio"),
        ("dots in a file name", "native"),
        ("an absolute device", "native"),
        ("a log of bandwidth", "native"),
        ("a command before", "fio"),
        ("a file that is unlinked", "native"),
        ("a connection", "fio"),
        ("a file that is read as a pattern", "fio"),
    ):
        root = tmp_path / f"{name} {engine}".replace(" ", "-")
        root.mkdir()
        with ground(root) as made:
            before = made.state()
            run_unchecked(made, options_of(made, name), engine, confined=False)
            reached = (made.state() != before, made.heard(), bool(made.leaks()))
            assert any(reached), name
