"""A damaged history is kept aside, and made anew."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from iogate.cli.history import command
from iogate.errors import ExitCode, RefusedError, StoreError, UsageError
from iogate.files.run_folder import RunFolder
from iogate.host.locks.host_lock import host_lock
from iogate.model.comparison import Arm, Comparison
from iogate.model.document import to_document
from iogate.model.run import Run, RunStatus
from iogate.recovery.repair import repair
from iogate.recovery.salvage import read_run_folder
from iogate.store import open_store
from iogate.sut.local import LocalSut
from support import samples as s
from support.fio_outputs import document
from support.year import year


def history(*arguments: object) -> Result:
    return CliRunner().invoke(command, [*map(str, arguments)])


class Place:
    """A history, and the folders of its runs."""

    def __init__(self, root: Path) -> None:
        self.path = root / "history.sqlite"
        self.folders = root / "runs"
        self.runs = [self._run(run) for run in year(nights=4, series=1)]
        with closing(open_store(str(self.path))) as store:
            store.add_runs(self.runs)
            store.set_setting("retention", "30d:none")

    def _run(self, run: Run) -> Run:
        run = replace(run, folder=str(self.folders / run.id))
        RunFolder.create(run, Path(run.folder)).write_run(run)
        return run

    def verify(self, *more: object) -> Result:
        return history("verify", "--store", self.path, *more)

    def kept(self) -> list[Run]:
        with closing(open_store(str(self.path))) as store:
            return [store.run(run_id) for run_id in store.run_ids()]

    def asides(self) -> list[Path]:
        return sorted(self.path.parent.glob("history.sqlite.damaged-*[ZX]"))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.chdir(tmp_path)  # run folders in the working directory are looked at too
    return Place(tmp_path)


def test_a_sound_history_is_left_alone(place: Place) -> None:
    result = place.verify("--repair")
    assert result.stdout == f"sound: {len(place.runs)} runs read\n"
    assert place.asides() == []
    assert place.kept() == place.runs


NOTHING = "which runs it held cannot be read"
LOST = "what was decided on alerts cannot be read"  # their table can be seen, and no more


@pytest.mark.parametrize(
    ("keep", "lost"), [(0, NOTHING), (100, NOTHING), (4096, LOST), (3 * 4096, LOST)]
)
def test_a_damaged_file_is_kept_aside_and_made_anew(place: Place, keep: int, lost: str) -> None:
    content = place.path.read_bytes()
    broken = content[:keep] + b"\xa5" * (len(content) - keep)
    place.path.write_bytes(broken)
    found = place.verify()
    assert isinstance(found.exception, StoreError)
    assert "--repair" in found.exception.remedy
    assert place.asides() == []
    result = place.verify("--repair", "--folders", place.folders)
    assert isinstance(result.exception, StoreError)  # nobody knows whether this is all
    assert result.exception.exit_code is ExitCode.RUN_FAILED
    assert lost in result.stderr.splitlines()
    (aside,) = place.asides()
    assert aside.read_bytes() == broken
    assert str(aside) in result.stdout
    assert place.kept() == place.runs
    assert "sound" in place.verify().stdout


def test_a_file_that_was_cut_off_gives_what_is_left_of_it(place: Place) -> None:
    shutil.rmtree(place.folders)
    with closing(open_store(str(place.path))) as store:
        store.add_runs(year(nights=30))
        store.compact()  # one run after the other
        names = set(store.run_ids())
    content = place.path.read_bytes()
    place.path.write_bytes(content[: len(content) * 3 // 4])
    result = place.verify("--repair")
    assert isinstance(result.exception, StoreError)
    kept = {run.id for run in place.kept()}
    assert len(kept) > len(names) / 4
    lost = {line.split()[1] for line in result.stderr.splitlines() if line.startswith("run ")}
    assert lost == names - kept


def pages(path: Path) -> dict[str, int]:
    with closing(sqlite3.connect(path)) as db:
        found = db.execute("SELECT name, rootpage FROM sqlite_master WHERE rootpage > 0")
        return dict(found.fetchall())


@pytest.mark.parametrize(
    ("index", "doubt"),
    [
        ("runs_by_start", ""),
        ("runs_by_machine", ""),
        ("sqlite_autoindex_measurements_1", "the list of repetitions cannot be read"),
        ("sqlite_autoindex_failures_1", "which repetitions gave nothing cannot be read"),
        ("schema_version", ""),
    ],
)
def test_a_damaged_index_costs_no_run(place: Place, index: str, doubt: str) -> None:
    shutil.rmtree(place.folders)
    start = (pages(place.path)[index] - 1) * 4096
    content = place.path.read_bytes()
    place.path.write_bytes(content[:start] + b"\xa5" * 4096 + content[start + 4096 :])
    result = place.verify("--repair")
    assert (result.exception is None) == (not doubt)
    assert doubt in result.stderr
    assert [replace(run, failures=()) for run in place.kept()] == [
        replace(run, failures=()) for run in place.runs
    ]
    assert "sound" in place.verify().stdout


def test_one_damaged_repetition_comes_from_its_folder(place: Place) -> None:
    with closing(sqlite3.connect(place.path)) as db:
        db.execute("UPDATE measurements SET document = x'00' WHERE rowid = 1")
        db.commit()
    assert isinstance(place.verify().exception, StoreError)
    result = place.verify("--repair")  # the folders are where the other runs say
    assert f"{len(place.runs) - 1} runs added" in result.stdout
    assert "1 run added" in result.stdout
    assert sorted(place.kept(), key=lambda run: run.started_ns) == place.runs
    with closing(open_store(str(place.path))) as store:
        assert store.setting("retention") == "30d:none"


def damage_one(place: Place) -> tuple[Run, str]:
    """Damage a repetition; the answer is the run without it, and what is said of it."""
    run = place.runs[1]
    lost = run.measurements[0]
    with closing(sqlite3.connect(place.path)) as db:
        changed = db.execute(
            "UPDATE measurements SET document = x'00'"
            " WHERE run_id = ? AND case_id = ? AND repetition = ?",
            (run.id, lost.case_id, lost.repetition),
        )
        assert changed.rowcount == 1
        db.commit()
    name = run.plan.cases[0].name
    said = f"repetition {lost.repetition} of {name} in run {run.id} cannot be read"
    return replace(run, measurements=run.measurements[1:]), said


def test_a_damaged_repetition_costs_itself_alone_and_is_named(place: Place) -> None:
    export = place.path.with_name("all.jsonl")
    history("export", export, "--store", place.path)
    rest, said = damage_one(place)
    shutil.rmtree(place.folders)
    result = place.verify("--repair")
    assert isinstance(result.exception, StoreError)
    assert result.exception.exit_code is ExitCode.RUN_FAILED
    assert said in result.stderr
    assert f"what could be read of it: {len(place.runs)} runs added" in result.stdout
    assert place.kept() == [rest if run.id == rest.id else run for run in place.runs]
    assert history("import", export, "--store", place.path).stderr.endswith(", 1 completed\n")
    (kept,) = [run for run in place.kept() if run.id == rest.id]
    assert len(kept.measurements) == len(rest.measurements) + 1


def test_a_run_and_decisions_that_nothing_gives_back_are_named(place: Place) -> None:
    shutil.rmtree(place.folders)
    with closing(sqlite3.connect(place.path)) as db:
        db.execute("UPDATE runs SET document = x'00' WHERE id = ?", (place.runs[0].id,))
        db.execute("INSERT INTO decisions (alert, at_ns, document) VALUES ('a', 1, x'00')")
        db.commit()
    result = place.verify("--repair")
    assert isinstance(result.exception, StoreError)
    assert f"run {place.runs[0].id} cannot be read" in result.stderr.splitlines()
    assert LOST in result.stderr.splitlines()
    assert place.kept() == place.runs[1:]


def test_nothing_is_put_aside_while_a_run_measures(place: Place) -> None:
    place.path.write_bytes(b"\xa5" * 5000)
    with host_lock(LocalSut(), "night-7"):
        result = place.verify("--repair")
    assert isinstance(result.exception, RefusedError)
    assert result.exception.exit_code is ExitCode.REFUSED
    assert "run night-7" in result.exception.what
    assert place.asides() == []
    assert place.path.read_bytes() == b"\xa5" * 5000


def test_who_had_it_open_does_not_write_into_what_was_put_aside(place: Place) -> None:
    damage_one(place)
    with closing(open_store(str(place.path))) as other:
        place.verify("--repair")
        with pytest.raises(StoreError, match="was put aside"):
            other.set_setting("late", "1")
    (aside,) = place.asides()
    for path in (aside, place.path):
        with closing(open_store(str(path))) as store:
            assert store.setting("late") is None


def test_a_killed_run_comes_from_the_engine_s_results(place: Place) -> None:
    run = s.run("killed", the_plan=s.plan(s.case()), status=RunStatus.RUNNING)
    folder = RunFolder.create(run, place.folders / "killed")
    folder.write_run(run)
    folder.raw_file(s.CASE_ID, 1).write_text(json.dumps(document()))
    folder.raw_file(s.CASE_ID, 2).write_text('{"cut off')
    place.path.write_bytes(b"")
    place.path.write_bytes(b"\0" * 5000)
    place.verify("--repair", "--folders", place.folders)
    (killed,) = [each for each in place.kept() if each.id == "killed"]
    assert killed.status is RunStatus.INTERRUPTED
    assert [(m.case_id, m.repetition) for m in killed.measurements] == [(s.CASE_ID, 1)]
    assert killed.measurements[0].jobs[0].directions["read"].total_ios == 100


def test_a_killed_comparison_comes_back_with_its_arms(place: Place) -> None:
    rule = Comparison(Arm("base"), Arm("deep"), seed=1, most_blocks=9)
    plan = replace(s.plan(s.case()), comparison=rule)
    run = s.run("killed", the_plan=plan, status=RunStatus.RUNNING)
    folder = RunFolder.create(run, place.folders / "killed")
    folder.write_run(run)
    failed = document()
    failed["jobs"][0]["error"] = 5
    raw = [document(), document(), document(), document(), failed]
    for repetition, result in enumerate(raw, start=1):
        path = folder.raw_file(s.CASE_ID, repetition)
        del result["timestamp_ms"]  # so it ended when its file was written
        path.write_text(json.dumps(result))
        os.utime(path, ns=(0, repetition * 10**12))
    place.path.write_bytes(b"\0" * 5000)
    place.verify("--repair", "--folders", place.folders)
    (killed,) = [each for each in place.kept() if each.id == "killed"]
    arms = [(m.repetition, m.arm, m.block) for m in killed.measurements]
    assert arms == [(1, "base", 1), (2, "deep", 1), (3, "base", 2), (4, "deep", 2)]
    assert killed.measurements[0].started_ns == 10**12 - killed.measurements[0].duration_ns
    with closing(open_store(str(place.path.with_name("empty.sqlite")))) as empty:
        shown = read_run_folder(folder.root, empty)
    assert shown.run.measurements == killed.measurements
    assert f"raw/{s.CASE_ID}-5.json: the engine was interrupted, or a job failed" in shown.broken


def test_a_folder_of_a_run_that_measured_nothing_is_left_out(place: Place) -> None:
    run = s.run("refused", the_plan=s.plan(s.case()), status=RunStatus.RUNNING)
    RunFolder.create(run, place.folders / "refused").write_run(run)
    place.path.write_bytes(b"\0" * 5000)
    place.verify("--repair", "--folders", place.folders)
    assert place.kept() == place.runs


def test_a_folder_that_cannot_be_read_is_named(place: Place) -> None:
    (place.folders / place.runs[0].id / "run.json").write_text("[")
    place.path.write_bytes(b"\xa5" * 5000)
    result = place.verify("--repair", "--folders", place.folders)
    assert place.runs[0].id in result.stderr
    assert place.kept() == place.runs[1:]


def test_what_only_a_newer_version_can_read_is_no_damage(place: Place) -> None:
    from iogate.store.packing import pack

    newer = pack({**to_document(place.runs[0]), "schema": "run/99"})
    with closing(sqlite3.connect(place.path)) as db:
        db.execute("UPDATE runs SET document = ? WHERE id = ?", (newer, place.runs[0].id))
        db.commit()
    result = place.verify("--repair")
    assert result.exception is None
    assert "1 run only a newer iogate can read" in result.stdout
    assert place.asides() == []


def test_a_history_of_a_newer_version_is_never_put_aside(place: Place) -> None:
    with closing(sqlite3.connect(place.path)) as db:
        db.execute("INSERT INTO schema_version VALUES (999, 0)")
        db.commit()
    result = place.verify("--repair")
    assert isinstance(result.exception, StoreError)
    assert "newer" in result.exception.remedy
    assert place.asides() == []


def test_prune_asks_for_a_policy_and_tells_what_would_go(place: Place) -> None:
    told = history("prune", "--dry-run", "--store", place.path)
    assert "240 intervals of 240 would go" in told.stdout
    assert history("prune", "--configure", "off", "--store", place.path).exit_code == 0
    refused = history("prune", "--store", place.path)
    assert isinstance(refused.exception, UsageError)
    assert "--series" in refused.exception.remedy
    lines = history("prune", "--series", "1d:10s", "--json", "--store", place.path)
    assert len(lines.stdout.splitlines()) == 2 * len(place.runs)
    assert "went" in lines.stderr
    again = history("prune", "--series", "1d:10s", "--store", place.path)
    assert again.stdout == "nothing is old enough to be thinned\n"


TEXT = "Buy milk.\nö\n" * 900


@pytest.mark.parametrize("name", ["notes.txt", "history.sqlite"])
def test_what_never_was_a_database_is_left_alone(place: Place, name: str) -> None:
    path = place.path.with_name(name)
    path.write_text(TEXT)
    for more in ([], ["--repair"]):
        result = history("verify", "--store", path, *more)
        assert isinstance(result.exception, StoreError)
        assert result.exception.exit_code is ExitCode.REFUSED
        assert "not a SQLite database" in result.exception.what
        assert "--repair" not in result.exception.remedy
    with pytest.raises(StoreError, match="not a SQLite database"):
        repair(str(path), (), LocalSut())
    assert path.read_text() == TEXT
    assert place.asides() == []


def test_a_damaged_head_needs_the_name_of_a_history(place: Place) -> None:
    other = place.path.with_name("photo.jpg")
    other.write_bytes(b"\xff\xd8\0" * 3000)
    result = history("verify", "--store", other, "--repair")
    assert isinstance(result.exception, StoreError)
    assert result.exception.exit_code is ExitCode.REFUSED
    assert other.read_bytes() == b"\xff\xd8\0" * 3000


def test_run_folders_of_another_history_are_not_its_own(place: Place, tmp_path: Path) -> None:
    (tmp_path / "iogate-runs").symlink_to(place.folders)
    said = [place.path, tmp_path / "other.sqlite", None, None]
    for run, history_path in zip(place.runs, said, strict=True):
        if history_path:
            folder = RunFolder(Path(run.folder))
            folder.write_json("environment.json", {"history": str(history_path)})
    place.path.write_bytes(b"\xa5" * 5000)
    result = place.verify("--repair")
    assert [run.id for run in place.kept()] == [place.runs[0].id]
    assert f"iogate-runs: 1 run of {place.runs[0].plan.spec_name}" in result.stdout
    assert "3 run folders left out" in result.stderr
    place.path.write_bytes(b"\xa5" * 5000)
    place.verify("--repair", "--folders", place.folders)
    assert place.kept() == place.runs
