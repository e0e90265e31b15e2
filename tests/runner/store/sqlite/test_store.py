"""What is particular to the SQLite history: its file, and what can be wrong with it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from iogate.errors import StoreError, UsageError
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.store import Store, default_path, open_store
from iogate.store.sqlite.repair import opened_copy
from iogate.store.sqlite.schema import MIGRATIONS
from iogate.store.sqlite.store import SqliteStore
from support import samples as s
from support.devices import fill

EMPTY = "x'789c030000000001'"  # no text at all, compressed
NEWEST = len(MIGRATIONS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.sqlite"


def filled(path: Path) -> Run:
    whole = s.run(measurements=s.repetitions([100, 110, 120]))
    with closing(open_store(str(path))) as store:
        store.begin_run(whole)
    return whole


def query(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(sql).fetchall()
        connection.commit()
    return rows


def test_removing_many_runs_goes_once_through_the_numbers(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nights = [
        s.run(f"run-{n:03}", started_ns=n, measurements=s.repetitions([100.0] * 5))
        for n in range(120)
    ]
    with closing(open_store(str(path))) as store:
        store.add_runs(nights)
    steps: list[None] = []
    connect = sqlite3.connect

    def counting(*words: Any, **more: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*words, **more)
        connection.set_progress_handler(lambda: steps.append(None), 100)
        return connection

    monkeypatch.setattr(sqlite3, "connect", counting)
    costs = []
    for first, last in ((0, 1), (1, 41)):
        with closing(open_store(str(path))) as store:
            steps.clear()
            assert store.remove_runs([run.id for run in nights[first:last]]) == last - first
            costs.append(len(steps))
            assert not store.check()
    assert costs[1] < 10 * costs[0]
    for table in ("measurements", "metrics"):
        kept = f"SELECT min(run_id), count(DISTINCT run_id) FROM {table}"
        assert query(path, kept) == [("run-041", 79)]


@pytest.mark.parametrize("form", ["{}", "sqlite://{}", "sqlite:{}"])
def test_a_url_or_a_bare_path_names_the_file(form: str, path: Path) -> None:
    whole = filled(path)
    with closing(open_store(form.format(path))) as store:
        assert store.run(whole.id) == whole


def test_a_url_may_be_relative_and_escaped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    open_store("sqlite:deep/a%20b.sqlite").close()
    assert (path.parent / "deep" / "a b.sqlite").exists()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("sqlit:///tmp/x", "did you mean sqlite"),
        ("redis://host/0", "there are: sqlite"),
        ("sqlite://host/x", "three slashes"),
        ("sqlite:///", ""),
        ("sqlite:", "three slashes"),
    ],
)
def test_a_url_that_cannot_be_is_refused(url: str, words: str) -> None:
    with pytest.raises((UsageError, StoreError), match="(?s)" + words):
        open_store(url)


def test_the_default_is_in_the_users_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path() == tmp_path / "iogate" / "history.sqlite"
    open_store().close()
    assert default_path().exists()
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert default_path() == Path.home() / ".local" / "share" / "iogate" / "history.sqlite"


def test_metrics_are_rows_for_quick_queries(path: Path) -> None:
    filled(path)
    rows = query(
        path, "SELECT repetition, value FROM metrics WHERE metric = 'write.iops' ORDER BY 1"
    )
    assert rows == [(1, 100.0), (2, 110.0), (3, 120.0)]


def test_removing_a_run_removes_all_of_it(path: Path) -> None:
    filled(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("DELETE FROM runs")
        connection.commit()
    for table in ("measurements", "metrics", "failures"):
        assert query(path, f"SELECT count(*) FROM {table}") == [(0,)]


def test_a_file_of_a_newer_version_is_refused_and_left_alone(path: Path) -> None:
    filled(path)
    query(path, f"INSERT INTO schema_version VALUES ({NEWEST + 1}, 0)")
    with pytest.raises(StoreError, match=f"schema version {NEWEST + 1}") as refused:
        open_store(str(path))
    assert str(path) in refused.value.what
    assert "update this one" in refused.value.remedy
    assert query(path, "SELECT count(*) FROM measurements") == [(3,)]


def test_a_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    query(path, "CREATE TABLE photos (id INTEGER)")
    with pytest.raises(StoreError, match="another program"):
        open_store(str(path))
    assert query(path, "SELECT name FROM sqlite_master") == [("photos",)]


def test_a_file_with_more_than_tables_is_refused_by_a_name_cut_short(path: Path) -> None:
    filled(path)
    query(path, f"CREATE VIEW {'v' * 200} AS SELECT 1")
    with pytest.raises(StoreError, match=f"something called '{'v' * 80}'\n"):
        open_store(str(path))


@pytest.mark.parametrize(
    "column",
    [
        "large BLOB AS (zeroblob(260000000))",
        "large BLOB GENERATED ALWAYS AS (zeroblob(9))",
        f"large BLOB DEFAULT x'{'00' * 9999}'",
    ],
)
def test_a_column_that_makes_much_of_small_rows_is_refused(path: Path, column: str) -> None:
    filled(path)
    query(path, f"ALTER TABLE runs ADD COLUMN {column}")
    with pytest.raises(StoreError, match="it has a column called 'large'"):
        open_store(str(path))
    with opened_copy(path) as store:  # as what is damaged is read
        assert store is None


def test_a_table_whose_documents_are_made_while_it_is_read_is_refused(path: Path) -> None:
    filled(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'document BLOB NOT NULL',"
            " 'document BLOB AS (zeroblob(260000000))')"
        )
        connection.commit()
    with pytest.raises(StoreError, match="it has a column called 'document'"):
        open_store(str(path))


def test_an_empty_file_becomes_a_history(path: Path) -> None:
    path.touch()
    filled(path)
    assert query(path, "SELECT max(version) FROM schema_version") == [(NEWEST,)]


def test_every_version_migrates_to_the_newest_and_keeps_its_runs(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = filled(path)
    step = ("CREATE TABLE notes (run_id TEXT, note TEXT)",)
    monkeypatch.setattr("iogate.store.sqlite.schema.MIGRATIONS", (*MIGRATIONS, step))
    with closing(open_store(str(path))) as store:
        assert store.run(whole.id) == whole
    assert query(path, "SELECT count(*) FROM notes") == [(0,)]
    assert query(path, "SELECT max(version) FROM schema_version") == [(NEWEST + 1,)]


def test_a_migration_that_fails_changes_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = filled(path)
    step = ("CREATE TABLE notes (note TEXT)", "this is no SQL")
    with monkeypatch.context() as patched:
        patched.setattr("iogate.store.sqlite.schema.MIGRATIONS", (*MIGRATIONS, step))
        with pytest.raises(StoreError):
            open_store(str(path))
    with closing(open_store(str(path))) as store:
        assert store.run(whole.id) == whole


def test_a_file_that_is_no_database_is_named_with_a_remedy(path: Path) -> None:
    path.write_bytes(b"this was a diary, not a history\n" * 100)
    with pytest.raises(StoreError, match="not a SQLite database") as refused:
        open_store(str(path))
    assert str(path) in refused.value.what
    assert "another --store" in refused.value.remedy
    path.write_bytes(b"\xa5" * 3000)  # no text: its head may have been damaged
    with pytest.raises(StoreError, match="not a database") as refused:
        open_store(str(path))
    assert f"--repair --store {path}" in refused.value.remedy


def test_a_damaged_file_is_an_error_that_says_so(path: Path) -> None:
    whole = filled(path)
    damage(path)
    with pytest.raises(StoreError) as refused, closing(open_store(str(path))) as store:
        store.run(whole.id)
    assert str(path) in refused.value.what
    assert "aside" in refused.value.remedy


def damage(path: Path) -> None:
    """Overwrite all but the first page."""
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))


@pytest.mark.parametrize("value", ["x'00'", "'text'", "7", EMPTY])
def test_a_document_that_was_tampered_with_is_an_error(path: Path, value: str) -> None:
    filled(path)
    query(path, f"UPDATE measurements SET document = {value}")
    with (
        closing(open_store(str(path))) as store,
        pytest.raises(StoreError, match="unreadable"),
    ):
        store.run("run-1")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="folder of the history"):
        open_store(str(tmp_path / "file" / "history.sqlite"))
    with pytest.raises(StoreError) as refused:
        open_store(str(tmp_path))
    assert "it is not a file: name one with --store" in refused.value.remedy


def test_a_file_held_by_another_process_is_an_error_in_time(path: Path) -> None:
    filled(path)
    store = SqliteStore(str(path), busy_seconds=0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other, closing(store):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked") as refused:
            store.begin_run(s.run("run-2"))
        assert "another process" in refused.value.remedy
        other.execute("ROLLBACK")
        store.begin_run(s.run("run-2"))


def test_what_a_run_keeps_waits_for_who_holds_the_file_for_long(path: Path) -> None:
    """Such as who makes it smaller: what was measured would be lost."""
    filled(path)
    store = SqliteStore(str(path), busy_seconds=0.1)
    kept: list[Callable[[], object]] = [
        lambda: store.begin_run(s.run("run-2", status=RunStatus.RUNNING)),
        lambda: store.add_runs([s.run("run-3")]),
        lambda: store.add_measurement("run-2", s.measurement(s.job())),
        lambda: store.add_failure("run-2", CaseFailure("case-1", 2, "no space")),
        lambda: store.keep_preconditions("run-2", []),
        lambda: store.finish_run("run-2", status=RunStatus.COMPLETE, finished_ns=9, verdict=None),
    ]
    with closing(store):
        for keep in kept:
            with held_for(path, 0.5):
                keep()
        assert store.run("run-2").status is RunStatus.COMPLETE
        assert len(store.run("run-2").measurements) == 1


def test_a_run_that_is_to_end_at_once_waits_no_longer(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it still would keep at its end would each wait anew."""
    filled(path)
    store = SqliteStore(str(path), busy_seconds=0.1)
    with closing(sqlite3.connect(path, isolation_level=None)) as other, closing(store):
        other.execute("BEGIN IMMEDIATE")

        def pause(_seconds: float) -> None:
            monkeypatch.setattr(time, "sleep", lambda _seconds: other.execute("ROLLBACK"))
            raise KeyboardInterrupt

        monkeypatch.setattr(time, "sleep", pause)
        with pytest.raises(KeyboardInterrupt):
            store.begin_run(s.run("run-2"))
        with pytest.raises(StoreError, match="locked"):
            store.begin_run(s.run("run-2"))
        other.execute("ROLLBACK")
        store.begin_run(s.run("run-2"))


@contextmanager
def held_for(path: Path, seconds: float) -> Iterator[None]:
    """Another writer, which lets go by itself."""
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    ends = Timer(seconds, other.close)
    ends.start()
    try:
        yield
    finally:
        ends.join()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real filesystem of half a MiB."""
    if os.geteuid() != 0:
        pytest.skip("mounting a filesystem needs root")
    mount = tmp_path / "small"
    mount.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(mount)], check=False
    )
    if made.returncode:
        pytest.skip("no filesystem can be mounted here")
    try:
        yield mount
    finally:
        subprocess.run(["umount", str(mount)], check=True)


def fill_up(store: Store) -> Iterator[int]:
    """Adds repetitions without end; gives how many are kept."""
    big = s.direction(clat=s.latency(list(range(300, 120_000, 7))))
    for number in range(1, 10_000):
        store.add_measurement("run-1", s.measurement(s.job(write=big), repetition=number))
        yield number


def test_a_history_on_a_disk_that_cannot_be_written_says_how_it_is_read(small_disk: Path) -> None:
    path = small_disk / "history.sqlite"
    filled(path)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StoreError) as refused:
        open_store(str(path))
    assert "copy it" in refused.value.remedy
    copy = small_disk.parent / "copy.sqlite"
    copy.write_bytes(path.read_bytes())
    with closing(open_store(str(copy))) as store:
        assert len(store.run_ids()) == 1


def test_a_full_disk_loses_nothing_that_was_kept(small_disk: Path) -> None:
    path = small_disk / "history.sqlite"
    kept = 0
    with closing(open_store(str(path))) as store:
        store.begin_run(s.run())
        adding = fill_up(store)
        with pytest.raises(StoreError, match=r"history\.sqlite") as refused:
            for kept in adding:  # noqa: B007
                pass
        assert "space" in refused.value.remedy or "full" in refused.value.remedy
        assert len(store.run("run-1").measurements) == kept
    assert kept > 0
    with closing(open_store(str(path))) as store:
        assert len(store.run("run-1").measurements) == kept
    assert query(path, "PRAGMA integrity_check") == [("ok",)]


def test_a_disk_too_full_for_the_journals_is_told(small_disk: Path) -> None:
    path = small_disk / "history.sqlite"
    whole = filled(path)
    fill(small_disk)
    with pytest.raises(StoreError) as refused, closing(open_store(str(path))) as store:
        store.runs()
    assert "free some space" in refused.value.remedy
    (small_disk / "filler").unlink()
    with closing(open_store(str(path))) as store:
        assert store.run(whole.id) == whole


def compress(path: Path) -> None:
    """As earlier versions kept every document, however short."""
    with closing(sqlite3.connect(path)) as db:
        db.create_function("compressed", 1, lambda text: text and zlib.compress(text))
        db.execute("UPDATE runs SET document = compressed(document), verdict = compressed(verdict)")
        db.execute(
            "UPDATE measurements SET document = compressed(document), series = compressed(series)"
        )
        db.commit()


def test_short_documents_are_kept_as_text_and_long_ones_are_not(path: Path) -> None:
    short = s.measurement(s.job(write=s.direction(clat=s.latency([100]))))
    values = [1000 + 16 * n for n in range(2000)]
    long = s.measurement(s.job(write=s.direction(clat=s.latency(values))), repetition=2)
    with closing(open_store(str(path))) as store:
        store.begin_run(s.run(measurements=(short, long)))
        assert store.run("run-1").measurements == (short, long)
    first, second = (row[0] for row in query(path, "SELECT document FROM measurements"))
    assert isinstance(first, bytes)
    assert isinstance(second, bytes)
    assert json.loads(first)["repetition"] == 1
    assert json.loads(zlib.decompress(second))["repetition"] == 2


def test_runs_of_the_first_version_are_nights_and_a_baseline(path: Path) -> None:
    whole = filled(path)
    with closing(open_store(str(path))) as store:
        store.finish_run(whole.id, status=RunStatus.COMPLETE, finished_ns=9, verdict=s.verdict())
        whole = store.run(whole.id)
    for statement in (
        "ALTER TABLE runs DROP COLUMN facts",
        "ALTER TABLE runs DROP COLUMN ending",
        "ALTER TABLE failures DROP COLUMN document",
        "DROP TABLE decisions",
        "DROP TABLE settings",
        "CREATE INDEX metrics_by_run ON metrics (run_id, case_id, repetition)",
        "DELETE FROM schema_version WHERE version > 1",
    ):
        query(path, statement)
    compress(path)
    with closing(open_store(str(path))) as store:
        (night,) = store.nights([s.CASE_ID])
        (base,) = store.baseline([s.CASE_ID], machine_id="machine-a", before_ns=9, window=1)
        assert store.decisions() == []
        assert store.run(whole.id) == whole
    assert base == whole
    assert night.facts.environment == whole.environment
    assert (night.facts.run_id, night.facts.spec) == (whole.id, whole.plan.spec_name)
    assert night.values[s.CASE_ID, "write.iops"] == 110
