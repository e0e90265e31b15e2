"""Targets that are themselves the wrong thing: what is in use by another name, what is somebody
else's, what is no such thing. From inside of a sandbox they look right, so only the checks can
stop them: each is tried as a whole run, with both engines, and every byte stays."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from support.devices import needs_root
from support.wrong import Making
from support.wrong_devices import IN_USE
from support.wrong_files import FILES, KINDS
from support.wrong_identities import CONTENTS, IDENTITIES

from .conftest import Iogate

pytestmark = needs_root
ENGINES = ("native", "fio")


def digest(path: str | Path) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_refused(iogate: Iogate, make: Making) -> None:
    with make(iogate.folder) as wrong:
        before = [digest(each) for each in wrong.victims]
        spec = iogate.spec(wrong.spec)
        for engine in ENGINES:
            words = ("--engine", engine, *wrong.words)
            done = iogate("run", spec, *words, IOGATE_VAR_EMPTY="")
            assert done.code == wrong.code, done.text
            assert wrong.says in done.err
            assert str(spec) in done.err
            assert [digest(each) for each in wrong.victims] == before
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
