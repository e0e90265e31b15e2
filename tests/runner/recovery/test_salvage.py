"""A damaged run folder: which part is broken is told, and the rest is shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.errors import NewerError, RunError
from iogate.files.run_folder import RunFolder
from iogate.model.document import to_document
from iogate.model.measurement import Disturbance
from iogate.model.run import Run, RunStatus
from iogate.model.verdict import Outcome
from iogate.recovery.salvage import is_run_folder, read_run_folder
from iogate.store import open_store
from iogate.store.base import Store
from support import samples as s
from support.run_folders import make_run_folder

Damage = Callable[[Path], None]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(f"sqlite:///{tmp_path / 'history.sqlite'}")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_run_folder(tmp_path / "run")


def cut(name: str, share: float = 0.6) -> Damage:
    """The file ends early."""

    def damage(root: Path) -> None:
        text = (root / name).read_text("utf-8")
        (root / name).write_text(text[: int(len(text) * share)], "utf-8")

    return damage


def gone(name: str) -> Damage:
    return lambda root: (root / name).unlink()


def changed(name: str, change: Callable[[dict[str, object]], object]) -> Damage:
    """The file is JSON, of another shape."""

    def damage(root: Path) -> None:
        document = json.loads((root / name).read_text("utf-8"))
        change(document)
        (root / name).write_text(json.dumps(document), "utf-8")

    return damage


def test_a_whole_folder_has_nothing_broken(root: Path, store: Store) -> None:
    found = read_run_folder(root, store)
    assert found.broken == ()
    assert len(found.run.measurements) == 2
    assert found.run.folder == str(root)


RAW = f"raw/{s.CASE_ID}-2.json"
BROKEN: dict[str, tuple[Damage, str]] = {
    "run.json cut": (cut("run.json"), "run.json: it is not JSON"),
    "run.json gone": (gone("run.json"), "run.json is missing"),
    "run.json empty": (cut("run.json", 0), "run.json: it is not JSON"),
    "run.json a list": (lambda root: cut_to(root, "[]"), "run.json: it is no JSON object"),
    "plan.json cut": (cut("plan.json"), "plan.json: it is not JSON"),
    "environment.json cut": (cut("environment.json"), "environment.json: it is not JSON"),
    "verdict.json gone": (gone("verdict.json"), "verdict.json is missing"),
    "raw gone": (gone(RAW), f"{RAW} is missing"),
    "raw cut": (cut(RAW), f"{RAW} ends early"),
    "job file gone": (gone(f"jobs/{s.CASE_ID}.fio"), f"jobs/{s.CASE_ID}.fio is missing"),
    "a measurement of another shape": (
        changed("run.json", lambda d: d["measurements"][0].pop("jobs")),  # type: ignore[index]
        "run.json: 1 of 2 measurements cannot be read",
    ),
    "a verdict of another shape": (
        changed("run.json", lambda d: d["verdict"].update(outcome="splendid")),  # type: ignore[attr-defined]
        "run.json: the verdict cannot be read",
    ),
}


def cut_to(root: Path, text: str) -> None:
    (root / "run.json").write_text(text, "utf-8")


@pytest.mark.parametrize("name", BROKEN)
def test_the_broken_part_is_told_and_the_rest_is_read(root: Path, store: Store, name: str) -> None:
    damage, told = BROKEN[name]
    damage(root)
    found = read_run_folder(root, store)
    assert any(text.startswith(told) for text in found.broken), found.broken
    assert found.run.plan.cases[0].name == "oltp/bs=4k"
    assert found.run.measurements
    assert found.run.verdict is not None


def test_a_link_to_a_lost_raw_file_is_left_out(root: Path, store: Store) -> None:
    gone(RAW)(root)
    files = [m.raw_file for m in read_run_folder(root, store).run.measurements]
    assert files == [f"raw/{s.CASE_ID}-1.json", ""]


def test_a_run_whose_file_is_broken_comes_from_the_history(root: Path, store: Store) -> None:
    """By its id, wherever its folder was then."""
    kept = replace(s.run(measurements=(s.measurement(),) * 1), folder="/elsewhere")
    store.add_runs([kept])
    for damage in (cut("run.json"), gone("environment.json"), cut("run.json", 0.1)):
        damage(root)
        found = read_run_folder(root, store)
        assert found.named
        assert found.run.revision == kept.revision, "which no other part tells"


@pytest.mark.parametrize("name", ["environment.json", "run.json"])
def test_another_run_of_the_same_folder_is_not_taken_for_it(
    root: Path, store: Store, name: str
) -> None:
    store.add_runs([replace(s.run("older", outcome=s.verdict(Outcome.PASS)), folder=str(root))])
    RunFolder(root).write_json("verdict.json", to_document(s.verdict(Outcome.FAIL)))
    cut("run.json")(root)
    gone(name)(root)
    found = read_run_folder(root, store)
    assert (found.run.id, found.named) == ("run-1", True)
    assert found.run.verdict is not None
    assert found.run.verdict.outcome is Outcome.FAIL


NAMELESS: dict[str, Damage] = {
    "of an earlier version": changed("environment.json", lambda d: d.pop("run")),
    "gone": gone("environment.json"),
    "no id": changed("environment.json", lambda d: d.update(run=["run-1"])),
    "a way": changed("environment.json", lambda d: d.update(run="../x")),
}


@pytest.mark.parametrize("name", NAMELESS)
def test_a_folder_that_names_no_run_is_not_looked_for(root: Path, store: Store, name: str) -> None:
    store.add_runs([replace(s.run("older"), folder=str(root)), replace(s.run(), folder=str(root))])
    gone("run.json")(root)
    NAMELESS[name](root)
    found = read_run_folder(root, store)
    assert (found.run.id, found.named) == ("run", False)
    assert "no part that is left names the run, so no history is asked for it" in found.broken


def test_parts_that_name_two_runs_name_none(root: Path, store: Store) -> None:
    cut("run.json")(root)
    changed("environment.json", lambda d: d.update(run="run-2"))(root)
    assert not read_run_folder(root, store).named


def test_a_run_whose_verdict_is_lost_has_not_passed(root: Path, store: Store) -> None:
    gone("run.json")(root)
    gone("verdict.json")(root)
    run = read_run_folder(root, store).run
    assert run.status is RunStatus.FAILED
    assert run.verdict is not None
    assert run.verdict.outcome is Outcome.INCONCLUSIVE
    assert (run.verdict.exit_code, run.verdict.fault) == (4, "its verdict is lost")


@pytest.mark.parametrize(
    ("outcome", "fault", "status"),
    [
        (Outcome.PASS, "", RunStatus.COMPLETE),
        (Outcome.FAIL, "", RunStatus.COMPLETE),
        (Outcome.PASS, "the disk is full", RunStatus.COMPLETE),
        (Outcome.INCONCLUSIVE, "the disk is full", RunStatus.FAILED),
    ],
)
def test_a_verdict_tells_whether_its_run_got_to_its_end(
    root: Path, store: Store, outcome: Outcome, fault: str, status: RunStatus
) -> None:
    gone("run.json")(root)
    verdict = replace(s.verdict(outcome), fault=fault)
    RunFolder(root).write_json("verdict.json", to_document(verdict))
    assert read_run_folder(root, store).run.status is status


def test_without_run_json_and_history_the_other_files_say_what_they_can(
    root: Path, store: Store
) -> None:
    gone("run.json")(root)
    found = read_run_folder(root, store)
    run = found.run
    assert "raw: 1 of 3 repetitions are not there" in found.broken
    assert [m.repetition for m in run.measurements] == [1, 2]
    assert run.environment == {"a.b": 1}
    assert run.host.name == "not known"


def test_a_run_that_never_ended_takes_its_repetitions_from_the_raw_files(
    root: Path, store: Store
) -> None:
    begun = replace(s.run(status=RunStatus.RUNNING), measurements=())
    RunFolder(root).write_run(begun)
    found = read_run_folder(root, store)
    assert len(found.run.measurements) == 2
    assert any("never finished" in text for text in found.broken)


@pytest.mark.parametrize(
    ("text", "kind"), [(None, "cpu"), ("{", "unknown"), ('{"disturbances": 7}', "unknown")]
)
def test_a_disturbed_repetition_stays_one_when_only_raw_files_are_left(
    root: Path, store: Store, text: str | None, kind: str
) -> None:
    hogs = Disturbance("cpu", 0.6, 0.1, "%", "other processes used 60 % of the engine's CPUs")
    RunFolder(root).write_disturbances(s.CASE_ID, 2, (hogs,))
    if text is not None:
        (root / f"raw/{s.CASE_ID}-2.disturbances.json").write_text(text)
    (root / "run.json").unlink()
    run = read_run_folder(root, store).run
    assert [m.repetition for m in run.measurements if m.disturbed] == [2]
    assert run.measurements[1].disturbances[0].kind == kind
    assert [m.repetition for m in run.measurements_of(s.CASE_ID)] == [1]


def left_by_a_kill(root: Path) -> Path:
    """The second result where its engine wrote it, and no other record of it."""
    folder = RunFolder(root)
    written = folder.engine_folder(s.CASE_ID, 2) / f"{s.CASE_ID}-2.json"
    folder.raw_file(s.CASE_ID, 2).rename(written)
    (root / "run.json").unlink()
    return written


def test_a_result_that_iogate_did_not_live_to_take_is_found(root: Path, store: Store) -> None:
    written = left_by_a_kill(root)
    run = read_run_folder(root, store).run
    assert run.measurements[1].raw_file == str(written.relative_to(root))
    assert "before it told" in run.measurements[1].disturbances[0].text
    assert [m.repetition for m in run.measurements_of(s.CASE_ID)] == [1], "nobody looked at it"


def test_a_part_of_a_result_in_the_engines_folder_is_told(root: Path, store: Store) -> None:
    written = left_by_a_kill(root)
    document = json.loads(written.read_text())
    document["jobs"][0]["error"] = 4
    written.write_text(json.dumps(document))
    found = read_run_folder(root, store)
    assert len(found.run.measurements) == 1
    name = written.relative_to(root)
    assert f"{name}: the engine was interrupted, or a job failed" in found.broken


def test_no_link_in_the_engines_folders_is_followed(root: Path, store: Store) -> None:
    written = left_by_a_kill(root)
    aside = root.parent / "aside.json"
    written.rename(aside)
    written.symlink_to(aside)
    found = read_run_folder(root, store)
    assert len(found.run.measurements) == 1
    assert any("links are not followed" in text for text in found.broken)
    written.unlink()
    written.parent.rmdir()
    written.parent.parent.rmdir()
    (root.parent / "logs" / written.parent.name).mkdir(parents=True)
    aside.rename(root.parent / "logs" / written.parent.name / written.name)
    (root / "logs").symlink_to(root.parent / "logs")
    assert len(read_run_folder(root, store).run.measurements) == 1


def test_nothing_to_show_is_an_error_that_names_the_parts(root: Path, store: Store) -> None:
    cut("run.json")(root)
    gone("plan.json")(root)
    with pytest.raises(RunError, match=r"run\.json.*plan\.json is missing.*history has no run"):
        read_run_folder(root, store)


def test_a_newer_run_is_refused_not_guessed_at(root: Path, store: Store) -> None:
    changed("run.json", lambda d: d.update(schema="run/9"))(root)
    with pytest.raises(NewerError):
        read_run_folder(root, store)


def test_many_lost_files_are_counted(root: Path, store: Store) -> None:
    many = tuple(
        replace(s.measurement(repetition=n), raw_file=f"raw/{s.CASE_ID}-{n + 100}.json")
        for n in range(50)
    )
    made: Run = s.run(measurements=many, outcome=s.verdict(Outcome.PASS))
    RunFolder(root).write_run(made)
    broken = read_run_folder(root, store).broken
    assert len(broken) == 21
    assert broken[-1] == "and 30 more raw files"


def test_what_is_no_run_folder(tmp_path: Path, root: Path) -> None:
    assert is_run_folder(root)
    assert not is_run_folder(tmp_path / "nothing")
    (tmp_path / "other").mkdir()
    assert not is_run_folder(tmp_path / "other")
