"""The open file of a SQLite history."""

from contextlib import closing
from pathlib import Path

import pytest

from iogate.errors import StoreError
from iogate.store import open_kept, open_store
from iogate.store.sqlite.history_file import HistoryFile
from support import samples as s
from support.devices import fill, needs_root, sh, tmpfs


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


@needs_root
@pytest.mark.parametrize("how", ["full", "read-only"])
def test_reading_needs_no_space_and_writes_nothing(tmp_path: Path, how: str) -> None:
    """A history on such a disk is read as it stands; what would change it is told, and does not."""
    with tmpfs(tmp_path / "small", "1m") as folder:
        url = str(folder / "h.sqlite")
        with closing(open_store(url)) as store:
            store.begin_run(s.run("aaaa", measurements=s.repetitions([100, 101])))
        before = (folder / "h.sqlite").read_bytes()
        if how == "full":
            fill(folder)
        else:
            sh("mount", "-o", "remount,ro", str(folder))
        with pytest.raises(StoreError):
            open_store(url)
        with closing(open_kept(url)) as store:
            assert [run.id for run in store.runs()] == ["aaaa"]
            assert len(store.run("aaaa").measurements) == 2
            assert store.decisions() == []
            assert store.run_ids() == ["aaaa"]
            with pytest.raises(StoreError, match="cannot be used"):
                store.remove_runs(["aaaa"])
            with pytest.raises(StoreError, match="cannot be used"):
                store.set_setting("a", "b")
        assert (folder / "h.sqlite").read_bytes() == before


@needs_root
def test_what_only_the_journal_holds_is_not_passed_over(tmp_path: Path) -> None:
    """A writer that was killed left it: without it, the history would be an older one."""
    with tmpfs(tmp_path / "small", "1m") as folder:
        url = str(folder / "h.sqlite")
        with closing(open_store(url)) as store:
            store.begin_run(s.run("aaaa"))
        (folder / "h.sqlite-wal").write_bytes(b"x" * 4096)
        fill(folder)
        with pytest.raises(StoreError, match="cannot be used"):
            open_kept(url)
