"""Arms that are libraries: an engine starts with the one of its arm, in its sandbox."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from .conftest import Iogate

SPEC = """\
version: 1
targets: { here: { directory: . } }
workloads:
  w:
    target: here
    fio: { ioengine: libaio, rw: write, size: 256k, bs: 64k }
    thresholds: { write.iops: "vs baseline > -50%" }
compare:
  arms: { broken: { library: ./broken.so } }
  candidate: broken
"""
# Fails each I/O: as it would for a bad disk, or by a permission where it can read the spec.
BROKEN = """\
#include <errno.h>
#include <fcntl.h>
static int status = -EIO;
__attribute__((constructor)) static void look(void)
{
	if (open("%s", O_RDONLY) >= 0)
		status = -EACCES;
}
int io_getevents(void *context, long least, long most, void *events, void *timeout)
{
	(void)context, (void)least, (void)most, (void)events, (void)timeout;
	return status;
}
"""


@pytest.fixture
def library(iogate: Iogate) -> Path:
    source, built = iogate.folder / "broken.c", iogate.folder / "broken.so"
    source.write_text(BROKEN % (iogate.folder / "spec.yaml"))
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", built, source], check=True)
    return built


def test_the_engine_runs_with_the_library_of_its_arm_and_sees_no_more(
    iogate: Iogate, library: Path
) -> None:
    kept = iogate.folder / "kept"
    argv = ("ab", iogate.spec(SPEC), "--trust", "--budget", "1s", "--output", kept)
    done = iogate(*argv)
    assert done.code == 4, done.text
    assert "arm broken" in done.text
    assert "Input/output error" in done.text
    facts = json.loads((kept / "run.json").read_text())["environment"]
    said = {name: facts[name] for name in facts if "library" in name}
    notes = subprocess.run(["readelf", "-n", library], check=True, capture_output=True, text=True)
    assert f"Build ID: {said['candidate.library.build_id']}" in notes.stdout
    summed = subprocess.run(["sha256sum", library], check=True, capture_output=True, text=True)
    assert summed.stdout.startswith(str(said["candidate.library.sha256"]))
    assert "library.sha256" not in said


def test_a_library_of_the_spec_needs_trust_and_a_sandbox(iogate: Iogate, library: Path) -> None:
    spec = iogate.spec(SPEC)
    refused = iogate("ab", spec)
    assert refused.code == 3
    assert "runs the library ./broken.so as you" in refused.err
    unconfined = iogate("ab", spec, "--trust", "--unconfined")
    assert unconfined.code == 3
    assert "nothing confines the engine" in unconfined.err
    assert library.exists()


@pytest.mark.parametrize(
    ("path", "code", "says"),
    [
        ("./nowhere.so", 3, "cannot read the library"),
        ("./spec.yaml", 4, "does not load"),
        ("./a b.so", 3, "the loader does not take"),
    ],
)
def test_what_cannot_be_loaded_is_told(
    iogate: Iogate, library: Path, path: str, code: int, says: str
) -> None:
    library.rename(iogate.folder / "a b.so")
    done = iogate("ab", iogate.spec(SPEC), "--candidate", f"library={path}")
    assert done.code == code, done.text
    assert says in done.err
