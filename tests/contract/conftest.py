"""Every test of a store runs with each of the registry. Spools of the tests are not the user's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from iogate.store import Store, open_store
from support.stores import URLS


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture(params=sorted(URLS))
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty history of each kind."""
    return URLS[request.param](tmp_path)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """The same, opened."""
    opened = open_store(url)
    yield opened
    opened.close()
