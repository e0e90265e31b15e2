"""What the tests of the host share."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.sut.local import LocalSut


@pytest.fixture
def sut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalSut:
    """This machine, with a state folder of the test's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return LocalSut()
