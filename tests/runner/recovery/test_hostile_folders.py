"""Run folders, sites and histories from elsewhere: nothing follows a link, an id leads nowhere
else, and what is read is bounded."""

from __future__ import annotations

import csv
import io
import json
import os
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.archive import open_format
from iogate.cli.entry import run_command
from iogate.errors import IogateError, RunError, StoreError, UsageError
from iogate.files import bounds
from iogate.files.run_folder import RunFolder, own_folder, read_document
from iogate.model.document import run_from_document, to_document
from iogate.recovery.salvage import read_run_folder
from iogate.store import open_store
from iogate_reports.site import write_site
from support import samples as s
from support.run_folders import make_run_folder

MEMORY = 1 << 30
GENEROUS_S = 100
SECRET = "hunter2hunter2"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_run_folder(tmp_path / "run")


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.fio"
    path.write_text(f"[{SECRET}]\n")
    return path


def url(root: Path) -> str:
    """A history beside the folder, which is there."""
    path = f"sqlite:///{root.parent / 'h.sqlite'}"
    open_store(path).close()
    return path


def change(path: Path, apply: Callable[[dict[str, object]], object]) -> None:
    document = json.loads(path.read_text("utf-8"))
    apply(document)
    path.write_text(json.dumps(document), "utf-8")


def page(root: Path) -> str:
    """The report of a folder, which is there whatever is broken."""
    assert run_command(["report", str(root), "--store", url(root)]) in (0, 4)
    return (root / "report.html").read_text("utf-8")


@pytest.mark.parametrize("name", ["jobs", "raw", "run.json", "plan.json", "environment.json"])
def test_a_report_follows_no_link(root: Path, name: str) -> None:
    """Each part of another folder, which is as good as ours."""
    other = make_run_folder(root.parent / "other")
    change(other / "environment.json", lambda d: d.update(facts={"a.b": SECRET}))
    (other / "jobs" / f"{s.CASE_ID}.fio").write_text(f"[{SECRET}]\n")
    moved = root.parent / "moved"
    (root / name).rename(moved)
    (root / name).symlink_to(other / name)
    found = read_run_folder(root, open_store(url(root)))
    assert any(name in part for part in found.broken)
    assert SECRET not in page(root)


def test_a_job_file_that_is_a_link_is_not_shown(root: Path, secret: Path) -> None:
    path = root / "jobs" / f"{s.CASE_ID}.fio"
    path.unlink()
    path.symlink_to(secret)
    assert SECRET not in page(root)


@pytest.mark.parametrize("case_id", ["../../secret", "../secret", "/etc/x", "", "a/b", "..", "a\0"])
def test_an_id_leads_nowhere_else(root: Path, secret: Path, case_id: str) -> None:
    for name in ("run.json", "plan.json"):
        text = (root / name).read_text("utf-8")
        (root / name).write_text(text.replace(f'"{s.CASE_ID}"', json.dumps(case_id)), "utf-8")
    folder = RunFolder(root)
    assert folder.job_texts([case_id]) == {}
    for file in (
        folder.job_file,
        lambda one: folder.raw_file(one, 1),
        lambda o: folder.log_file(o, 1),
    ):
        with pytest.raises(RunError):
            file(case_id)
    assert run_command(["report", str(root), "--store", url(root)]) == 4
    assert not (root / "report.html").exists(), "neither document can be read"
    assert secret.read_text() == f"[{SECRET}]\n"


@pytest.mark.parametrize(
    "raw", ["../secret.json", "/etc/passwd", "raw/../../secret.json", "raw/.x"]
)
def test_a_raw_file_elsewhere_is_not_looked_at(root: Path, raw: str) -> None:
    (root.parent / "secret.json").write_text("{}")
    change(root / "run.json", lambda d: d["measurements"][0].update(raw_file=raw))  # type: ignore[index]
    found = read_run_folder(root, open_store(url(root)))
    assert found.run.measurements[0].raw_file == ""
    assert any("not a file of a run folder" in part for part in found.broken)
    assert f'href="{raw}' not in page(root)


@pytest.mark.parametrize("name", ["report.html", "junit.xml", "summary.md", "comment.md"])
def test_a_report_is_written_through_no_link(root: Path, secret: Path, name: str) -> None:
    (root / name).symlink_to(secret)
    page(root)
    assert secret.read_text() == f"[{SECRET}]\n"
    assert not (root / name).is_symlink()


def test_a_history_cannot_have_reports_written_anywhere(root: Path) -> None:
    """The folder that it names is that of another run, or of none."""
    whole = run_from_document(json.loads((root / "run.json").read_text("utf-8")))
    assert own_folder(replace(whole, folder=str(root))) == root
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()
    for folder in ("", str(elsewhere), "relative", "/nope", "a\0b", str(root)):
        assert own_folder(replace(whole, id="another", folder=folder)) is None
    with closing(open_store(url(root))) as store:
        store.begin_run(replace(whole, folder=str(elsewhere)))
    assert run_command(["report", whole.id, "--store", url(root)]) == 2
    assert not list(elsewhere.iterdir())


@pytest.mark.parametrize("kind", ["fifo", "device", "sparse", "deep", "wide", "number"])
def test_a_document_that_is_none(root: Path, kind: str) -> None:
    path = root / "run.json"
    path.unlink()
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "sparse":
        with path.open("wb") as sparse:
            sparse.truncate(1 << 40)
    else:
        text = {
            "deep": "[" * 10**6,
            "wide": "[" + "0," * bounds.DOCUMENT_VALUES,
            "number": "1" * 10**6,
        }
        path.write_text(text[kind])
    with pytest.raises(RunError) as caught:
        read_document(path)
    assert str(path) in caught.value.what
    page(root)


@pytest.mark.parametrize("schema", ["run/" + "1" * 5000, "run/\u0661", "run/-1", "run/1_0"])
def test_versions_that_are_none(schema: str) -> None:
    with pytest.raises(RunError):
        run_from_document({**to_document(s.run()), "schema": schema})


def test_a_time_that_is_none() -> None:
    with pytest.raises(RunError, match="not a time"):
        run_from_document({**to_document(s.run()), "started_ns": 10**30})


def test_a_site_is_written_through_no_link(tmp_path: Path) -> None:
    folder, outside = tmp_path / "site", tmp_path / "outside"
    outside.mkdir()
    victims = [outside / name for name in ("list", "index", "page.html")]
    for victim in victims:
        victim.write_text("mine")
    folder.mkdir()
    (folder / ".iogate-site").symlink_to(outside / "list")
    with pytest.raises(UsageError):
        write_site(folder, [("index.html", "new")])
    (folder / ".iogate-site").unlink()
    (folder / ".iogate-site").write_text("index.html\nspec/page.html\nspec/gone.html\n")
    (folder / "index.html").symlink_to(outside / "index")
    (folder / ".index.html.partial").symlink_to(outside / "index")
    (folder / "spec").symlink_to(outside)
    with pytest.raises(UsageError):
        write_site(folder, [("index.html", "new"), ("spec/page.html", "new")])
    write_site(folder, [("index.html", "new")])
    assert [victim.read_text() for victim in victims] == ["mine"] * 3
    assert (folder / "index.html").read_text() == "new"
    assert not (folder / "index.html").is_symlink()


def bomb() -> bytes:
    """A blob of some kilobytes that unpacks to more than is read."""
    packer = zlib.compressobj()
    zeros = b" " * (1 << 20)
    steps = (bounds.DOCUMENT_BYTES >> 20) + 1
    return b"".join([*(packer.compress(zeros) for _ in range(steps)), packer.flush()])


def test_a_compressed_bomb_in_a_history_is_told(tmp_path: Path) -> None:
    path = tmp_path / "h.sqlite"
    with closing(open_store(str(path))) as store:
        store.begin_run(s.run(measurements=s.repetitions([1.0])))
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE measurements SET document = ?", (bomb(),))
        db.commit()
    code = "import sys; from iogate.store import open_store; open_store(sys.argv[1]).run('run-1')"
    words = ["prlimit", f"--as={MEMORY}", sys.executable, "-c", code, str(path)]
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=GENEROUS_S, check=False, env=env
    )
    assert "StoreError" in done.stderr
    assert "unpacks to more than" in done.stderr
    assert "MemoryError" not in done.stderr


def test_a_history_with_views_or_triggers_is_none(tmp_path: Path) -> None:
    for n, sql in enumerate(
        (
            "CREATE VIEW v AS SELECT 1",
            "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END",
        )
    ):
        path = tmp_path / f"{n}.sqlite"
        open_store(str(path)).close()
        with closing(sqlite3.connect(path)) as db:
            db.execute(sql)
            db.commit()
        with pytest.raises(StoreError):
            open_store(str(path))


def test_a_number_that_no_column_holds_is_told(tmp_path: Path) -> None:
    with closing(open_store(str(tmp_path / "h.sqlite"))) as store, pytest.raises(StoreError):
        store.begin_run(replace(s.run(), finished_ns=10**30))


@pytest.mark.parametrize("name", ["jsonl", "csv"])
def test_a_line_without_an_end_is_not_read_whole(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, before = open_format(name), csv.field_size_limit()
    monkeypatch.setattr(module, "DOCUMENT_BYTES", 1000)
    with pytest.raises(IogateError, match="more than"):
        list(module.read(io.BytesIO(b"x" * 100_000), "file"))
    assert csv.field_size_limit() == before, "others of this process read CSV, too"


@pytest.mark.parametrize("words", [["history", "import"], ["history", "import", "fio"]])
def test_an_import_is_a_regular_file(tmp_path: Path, words: list[str]) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "link.jsonl").symlink_to("real.jsonl")
    (tmp_path / "real.jsonl").write_text("")
    for name in ("pipe.jsonl", "link.jsonl", "/dev/zero"):
        store = str(tmp_path / "h.sqlite")
        assert run_command([*words, str(tmp_path / name), "--store", store]) == 2
