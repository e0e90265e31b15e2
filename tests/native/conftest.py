"""The two engines that the tests of this folder compare."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.engine_runs import built_engine


@pytest.fixture(scope="session")
def engine() -> Path:
    """The native engine of this checkout."""
    return built_engine()


@pytest.fixture(scope="session")
def fio() -> str:
    """The system's fio."""
    found = shutil.which("fio")
    if not found:
        pytest.skip("fio is not installed: apt-get install fio")
    return found


@pytest.fixture
def named_fio(engine: Path, tmp_path: Path) -> Path:
    """A link of the name fio to the engine."""
    link = tmp_path / "bin" / "fio"
    link.parent.mkdir()
    link.symlink_to(engine)
    return link
