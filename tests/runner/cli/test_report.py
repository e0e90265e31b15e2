"""``iogate report``: a folder that is whole, one that is damaged, and what is none."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from iogate.cli.entry import run_command
from iogate.host.facts import this_host
from iogate.model.document import to_document
from iogate.model.run import RunStatus
from iogate.store import open_store
from iogate.sut.local import LocalSut
from support import samples as s
from support.run_folders import make_run_folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_run_folder(tmp_path / "run")


def report(root: Path, *words: str) -> int:
    store = f"sqlite:///{root.parent / 'h.sqlite'}"
    open_store(store).close()
    return run_command(["report", str(root), "--store", store, *words])


def test_a_whole_folder_is_rendered_again(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(root) == 0
    assert capsys.readouterr().err == ""
    page = (root / "report.html").read_text("utf-8")
    assert "is damaged" not in page
    assert (root / "junit.xml").exists()


def test_a_run_that_nobody_measures_any_longer_is_not_called_running(
    root: Path, tmp_path: Path
) -> None:
    """As the history has it: whoever killed it let it say nothing more."""
    own = this_host(LocalSut()).machine_id
    killed = s.run("cut", status=RunStatus.RUNNING, machine_id=own)
    (root / "run.json").write_text(json.dumps(to_document(killed)), "utf-8")
    with closing(open_store(f"sqlite:///{tmp_path / 'h.sqlite'}")) as store:
        store.begin_run(killed)
    assert report(root) == 0
    page = (root / "report.html").read_text("utf-8")
    assert "This run was interrupted before it could be judged" in page
    assert "has not finished" not in page


def test_a_folder_is_rendered_where_the_history_of_its_host_is_not(root: Path) -> None:
    document = json.loads((root / "run.json").read_text("utf-8"))
    document["verdict"]["baseline"] = {"runs": ["0123456789abcdef"]}
    (root / "run.json").write_text(json.dumps(document), "utf-8")
    assert report(root) == 0
    assert "1 run, not in this history" in (root / "report.html").read_text("utf-8")


def test_elsewhere_it_has_the_jobs_that_ran_and_no_links_to_what_is_not_there(
    root: Path,
) -> None:
    assert report(root) == 0
    assert report(root, "--output", str(root.parent / "other")) == 0
    beside, elsewhere = (
        (folder / "report.html").read_text("utf-8") for folder in (root, root.parent / "other")
    )
    assert 'href="raw/' in beside
    assert 'href="raw/' not in elsewhere
    assert f"raw/{s.CASE_ID}-1.json</code>" in elsewhere
    for page in (beside, elsewhere):
        assert "<summary>Job file</summary>" in page, "the text that ran"


def test_a_damaged_folder_says_which_part_and_shows_the_rest(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "run.json").write_text("{", "utf-8")
    assert report(root) == 4
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith(f"iogate: {root}: run.json: it is not JSON")
    page = (root / "report.html").read_text("utf-8")
    assert "This run folder is damaged" in page
    assert "run.json: it is not JSON" in page
    assert "oltp/<wbr>bs=4k" in page


def test_each_document_of_a_damaged_folder_says_so(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever reads one alone does not take the rest for the whole."""
    (root / "run.json").unlink()
    (root / "raw" / f"{s.CASE_ID}-2.json").write_text("{", "utf-8")
    assert report(root) == 4
    assert "damaged: 3 parts of the run folder, exit code 4" in capsys.readouterr().out
    for name in ("summary.md", "comment.md", "junit.xml"):
        text = (root / name).read_text("utf-8")
        assert "3 parts of the run folder could not be read: run.json is missing; raw/" in text
    assert '<testcase classname="' in (root / "junit.xml").read_text("utf-8")
    assert 'errors="1"' in (root / "junit.xml").read_text("utf-8")
    page = (root / "report.html").read_text("utf-8")
    assert "the run folder is damaged (exit code 4)" in page
    assert "goes on (exit code" not in page


@pytest.mark.parametrize("named", [True, False])
def test_the_documents_of_another_run_stay(
    root: Path, capsys: pytest.CaptureFixture[str], *, named: bool
) -> None:
    (root / "run.json").unlink()
    if not named:
        (root / "environment.json").unlink()
    for name in ("summary.md", "junit.xml"):
        (root / name).write_text("before", "utf-8")
    assert report(root) == 4
    said = capsys.readouterr().err
    for name in ("summary.md", "junit.xml"):
        assert ((root / name).read_text("utf-8") == "before") is not named
    assert ("junit.xml and summary.md may be of another run, and stayed" in said) is not named
    assert (root / "comment.md").exists()
    assert "This run folder is damaged" in (root / "report.html").read_text("utf-8")


def test_it_is_the_run_folder_that_is_damaged_not_where_its_report_goes(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "run.json").unlink()
    other = root.parent / "other"
    assert report(root, "--output", str(other)) == 4
    out, err = capsys.readouterr()
    assert err.startswith(f"iogate: {root}: run.json is missing\n")
    assert str(other) not in err
    assert f"report: {other / 'report.html'}\nrun:    {root}  (id run-1)\n" in out
    assert "failed: pass" not in out
    assert report(root, "--output", str(other), "--json") == 4
    told = json.loads(capsys.readouterr().out)
    assert (told["folder"], told["report"]) == (str(root), str(other / "report.html"))
    assert (told["exit_code"], told["verdict"]["exit_code"]) == (4, 4)
    assert told["verdict"]["fault"] == "its folder is damaged: run.json is missing"


def test_a_run_without_a_folder_has_none(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"sqlite:///{root.parent / 'h.sqlite'}"
    with closing(open_store(url)) as store:
        store.add_runs([s.run("gone")])
    words = ["report", "gone", "--store", url, "--output", str(root.parent / "other")]
    assert run_command(words) == 0
    assert "run:    id gone\n" in capsys.readouterr().out
    assert run_command([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["folder"] is None


def test_a_rebuilt_report_has_the_date_of_the_results(root: Path) -> None:
    """Whoever copies a folder may change the times of its files."""
    (root / "run.json").unlink()
    for path in (root / "raw").iterdir():
        ended = {"timestamp_ms": 1_700_000_000_000 + int(path.stem[-1])}
        path.write_text(json.dumps({**json.loads(path.read_text()), **ended}), "utf-8")
    assert report(root) == 4
    assert "2023-11-14 22:13 UTC" in (root / "report.html").read_text("utf-8")


def test_nothing_to_show_is_one_message(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("run.json", "plan.json"):
        (root / name).write_text("", "utf-8")
    assert report(root) == 4
    assert "cannot be shown: run.json" in capsys.readouterr().err


def test_another_folder_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert report(other) == 2
    assert "it holds no part of a run" in capsys.readouterr().err


def test_where_no_run_was_made_it_is_told_how_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    open_store(str(tmp_path / "h.sqlite")).close()
    assert run_command(["report", "--store", str(tmp_path / "h.sqlite")]) == 2
    said = capsys.readouterr().err
    assert "there is no run here: no iogate-runs/latest\n" in said
    assert "iogate run SPEC makes one" in said
    assert run_command(["report", "gone/run", "--store", str(tmp_path / "h.sqlite")]) == 2
    assert "there is no folder gone/run" in capsys.readouterr().err
