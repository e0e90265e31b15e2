"""Programs of others that run fio or read what it writes, with our engine under the name fio."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

TIMEOUT_S = 120
DOCUMENTS = Path("/usr/share/doc/fio")


def installed_folder() -> Path:
    """Where scripts/test keeps the programs of requirements-programs.lock."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "iogate-tools/programs/bin"


@dataclass(frozen=True, slots=True)
class Ground:
    """A folder to work in, and an environment whose PATH begins with our fio."""

    folder: Path
    environment: dict[str, str]

    def run(self, program: str | Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The program as it came, to its end, whatever that is."""
        return subprocess.run(
            [str(program), *arguments],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )

    def succeed(self, program: str | Path, *arguments: str) -> str:
        """Its standard output; it must have worked, and found nothing to complain of."""
        done = self.run(program, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        assert not done.stderr, done.stderr
        return done.stdout

    def of_pypi(self, name: str) -> Path:
        """A program of requirements-programs.lock. Loud where it is missing."""
        program = installed_folder() / name
        if not program.exists():
            pytest.fail(f"{name} is not in {program.parent}: scripts/test installs it there")
        return program

    def of_debian(self, name: str) -> str:
        """A program of Debian's package of fio."""
        program = shutil.which(name, path="/usr/bin")
        if program is None:
            pytest.fail(f"{name} is missing: apt-get install fio")
        return program

    def script_of_debian(self, name: str) -> list[str]:
        """A Python script that Debian's package keeps beside its documentation: how to call it."""
        packed = DOCUMENTS / f"{name}.gz"
        if not packed.exists():
            pytest.skip(f"this machine installs no documentation: there is no {packed}")
        script = self.folder / name
        script.write_bytes(gzip.decompress(packed.read_bytes()))
        return [sys.executable, str(script)]


def ground(engine: Path, folder: Path) -> Ground:
    """A ground in ``folder``, where the name fio leads to ``engine``."""
    for name in ("bin", "tmp", "work"):
        (folder / name).mkdir()
    (folder / "bin" / "fio").symlink_to(engine)
    environment = {
        "PATH": f"{folder / 'bin'}:/usr/bin:/bin",
        "HOME": str(folder / "tmp"),
        "TMPDIR": str(folder / "tmp"),
        "LANG": "C.UTF-8",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": str(folder / "tmp"),
    }
    return Ground(folder / "work", environment)
