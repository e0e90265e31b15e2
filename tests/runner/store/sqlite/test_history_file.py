"""The open file of a SQLite history."""

from pathlib import Path

import pytest

from iogate.errors import StoreError
from iogate.store.sqlite.history_file import HistoryFile


def opened(tmp_path: Path) -> HistoryFile:
    return HistoryFile(str(tmp_path / "history.sqlite"), 1.0, damaged=False)


def test_every_commit_reaches_the_disk(tmp_path: Path) -> None:
    file = opened(tmp_path)
    settings = {
        name: file.db.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "foreign_keys")
    }
    file.close()
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_one_that_was_put_aside_is_not_written_to(tmp_path: Path) -> None:
    file = opened(tmp_path)
    Path(file.path).rename(tmp_path / "aside.sqlite")
    with pytest.raises(StoreError, match="was put aside"), file.transaction():
        pytest.fail("it was written to")
    file.close()


def test_what_cannot_be_decoded_is_told_with_a_remedy(tmp_path: Path) -> None:
    file = opened(tmp_path)
    with pytest.raises(StoreError, match="something unreadable: torn") as caught, file.decoding():
        raise ValueError("torn")
    file.close()
    assert "iogate history verify --repair" in caught.value.remedy


def test_closed_twice_it_is_closed(tmp_path: Path) -> None:
    file = opened(tmp_path)
    file.close()
    file.close()
    with pytest.raises(StoreError, match="is closed"), file.using():
        pytest.fail("it was used")
