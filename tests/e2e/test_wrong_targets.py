"""Targets that are themselves the wrong thing: what is in use by another name, what is somebody
else's, what is no such thing. From inside of a sandbox they look right, so only the checks can
stop them: each is tried as a whole run, with both engines, and every byte stays."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.devices import image_of, loop_device, loop_over, needs_root, own_loop, sh
from support.wrong import Making
from support.wrong_devices import IN_USE
from support.wrong_files import FILES, KINDS, somebodys
from support.wrong_identities import CONTENTS, IDENTITIES

from .conftest import Done, Iogate, engines_of, wait_for

pytestmark = needs_root
ENGINES = ("native", "fio")


def digest(path: str | Path, first: int | None = None) -> str:
    """Of its first bytes, or of all."""
    with Path(path).open("rb") as file:
        return hashlib.sha256(file.read(first)).hexdigest()


def check_refused(iogate: Iogate, make: Making) -> None:
    with make(iogate.folder) as wrong:
        before = [digest(each, wrong.stays) for each in wrong.victims]
        spec = iogate.spec(wrong.spec)
        for engine in ENGINES:
            words = ("--engine", engine, *wrong.words)
            done = iogate("run", spec, *words, IOGATE_VAR_EMPTY="")
            assert done.code == wrong.code, done.text
            assert wrong.says in done.err
            assert str(spec) in done.err
            assert [digest(each, wrong.stays) for each in wrong.victims] == before
            assert not (iogate.folder / "iogate-runs").exists()
            assert iogate.left_behind() == []


@pytest.mark.parametrize("name", IN_USE)
def test_a_device_that_is_in_use(iogate: Iogate, name: str) -> None:
    check_refused(iogate, IN_USE[name])


@pytest.mark.parametrize("name", IDENTITIES)
def test_a_device_that_is_not_the_one_that_is_meant(iogate: Iogate, name: str) -> None:
    check_refused(iogate, IDENTITIES[name])


@pytest.mark.parametrize("name", CONTENTS)
def test_a_device_with_something_on_it(iogate: Iogate, name: str) -> None:
    check_refused(iogate, CONTENTS[name])


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_somebodys(iogate: Iogate, name: str) -> None:
    check_refused(iogate, FILES[name])


@pytest.mark.parametrize("name", KINDS)
def test_what_is_no_such_thing(iogate: Iogate, name: str) -> None:
    check_refused(iogate, KINDS[name])


# Between two repetitions: what was right becomes the wrong thing, and the first is measured.

CHANGING = """\
version: 1
name: changing
targets:
  t: {{ {target} }}
workloads:
  w:
    target: t
    repetitions: 2
    fio: {{ rw: write, bs: 4k, size: 64k, ioengine: psync, runtime: 2s, time_based: true }}
"""


def check_stopped(iogate: Iogate, target: str, engine: str, change: Callable[[], object]) -> Done:
    """The change comes while the first repetition is measured; the second is refused, and the
    run ends with its documents."""
    spec = iogate.spec(CHANGING.format(target=target))
    running = iogate.start("run", spec, "--engine", engine, "--trust")
    wait_for(lambda: engines_of(iogate.folder))
    change()
    done = iogate.end(running)
    assert done.code == 3, done.text
    assert len(iogate.run_document()["measurements"]) <= 1
    for name in ("report.html", "junit.xml", "verdict.json"):
        assert (iogate.latest / name).stat().st_size
    assert iogate.left_behind() == []
    return done


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_that_becomes_the_image_of_a_loop_device(iogate: Iogate, engine: str) -> None:
    file = somebodys(iogate.folder / "file")
    with ExitStack() as stack:
        target = f"file: {file}, overwrite: true"
        check_stopped(iogate, target, engine, lambda: stack.enter_context(loop_over(file)))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_that_gets_a_second_name(iogate: Iogate, engine: str) -> None:
    file, second = somebodys(iogate.folder / "file"), iogate.folder / "second"
    target = f"file: {file}, overwrite: true"
    check_stopped(iogate, target, engine, lambda: second.hardlink_to(file))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_device_that_gets_a_second_loop_over_its_image(iogate: Iogate, engine: str) -> None:
    with loop_device(iogate.folder, 8) as device, ExitStack() as stack:
        image = image_of(device)
        target = f"device: {device}, destroy: {{ backing: {image} }}"
        check_stopped(iogate, target, engine, lambda: stack.enter_context(loop_over(image)))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_loop_device_that_is_to_get_another_image(iogate: Iogate, engine: str) -> None:
    """The run keeps the image that it has found there, or fails: the other is never written."""
    one, other = (somebodys(iogate.folder / name, 8 << 20) for name in ("one", "other"))
    before = digest(other)
    with own_loop() as device:
        sh("losetup", device, str(one))
        target = f"device: {device}, destroy: {{ backing: {one} }}"
        spec = iogate.spec(CHANGING.format(target=target))
        running = iogate.start("run", spec, "--engine", engine)
        wait_for(lambda: engines_of(iogate.folder))
        sh("losetup", "--detach", device)
        wait_for(lambda: attached(device, other))
        try:
            done = iogate.end(running)
            assert (iogate.latest / "report.html").stat().st_size, done.text
            assert digest(other) == before
        finally:
            sh("losetup", "--detach", device)


def attached(device: str, image: Path) -> bool:
    done = subprocess.run(["losetup", device, str(image)], check=False, capture_output=True)
    return done.returncode == 0
