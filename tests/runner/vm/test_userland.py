"""What a virtual machine is given of this one: nothing that an engine's file asks for."""

from __future__ import annotations

import io
import subprocess
import zipfile
from pathlib import Path

import pytest

from iogate.vm.engine import launcher, own_engine
from iogate.vm.userland import userland_archive

AUDITS = """
#include <fcntl.h>
unsigned la_version(unsigned version)
{{
	open("{ran}", O_CREAT | O_WRONLY, 0600);
	return version;
}}
"""


def agent() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("__main__.py", "pass\n")
    return data.getvalue()


def made(engine: Path) -> bytes:
    return userland_archive(engine, agent(), "pass\n").read_bytes()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_an_engine_that_is_under_test_has_no_program_run_and_no_file_taken(tmp_path: Path) -> None:
    """What it is linked with is asked of the loader, which loads what the file names to watch it,
    and repeats whatever else it names."""
    ran, secret = tmp_path / "ran", tmp_path / "secret"
    secret.write_text("hunter2-is-the-secret")
    (tmp_path / "audit.c").write_text(AUDITS.format(ran=ran))
    (tmp_path / "lib.c").write_text("int said;")
    (tmp_path / "engine.c").write_text("int main(void) { return 0; }")
    audit, library, engine = (tmp_path / name for name in ("audit.so", "lib.so", "engine"))
    named = ["-Wl,--no-as-needed", str(library), f"-Wl,--audit={audit}"]
    for words in (
        ["-shared", "-fPIC", "-o", str(audit), str(tmp_path / "audit.c")],
        ["-shared", "-o", str(library), str(tmp_path / "lib.c"), f"-Wl,-soname,x => {secret} (0x"],
        ["-o", str(engine), str(tmp_path / "engine.c"), *named],
    ):
        subprocess.run(["gcc", *words], check=True)
    archive = made(engine)
    assert not ran.exists()
    assert b"hunter2-is-the-secret" not in archive
    assert b"usr/lib" in archive
    assert b"libc.so.6" in archive


def test_the_engine_under_test_confines_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be run as it is, to say whether it can."""
    given = tmp_path / "engine"
    given.write_text("#!/bin/sh\n")
    given.chmod(0o755)
    monkeypatch.setenv("IOGATE_ENGINE", str(given))
    assert own_engine() == given
    assert launcher() != given
