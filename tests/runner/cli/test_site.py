"""``iogate site DIR`` on a history of nights."""

from __future__ import annotations

import math
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from iogate.cli import site
from iogate.errors import ExitCode, StoreError, UsageError
from iogate.history.trends import Question, find_trend
from iogate.model.plan import Case, Plan
from iogate.model.run import Revision, RunStatus
from iogate.model.trend import Trend
from iogate.spec import load_spec, make_plan
from iogate.store import Store, open_store
from support import samples as s
from support.html_tree import read_html

SPEC = """\
version: 1
name: nightly
targets: { here: { directory: auto } }
workloads:
  log: { target: here, fio: { rw: write, bs: 4k, size: 4m }, thresholds: { write.iops: "> 1" } }
"""
DAY_NS = 86_400 * 10**9


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Forty nights; IOPS fall by a fifth at night 25."""
    path = tmp_path / "nightly.yaml"
    path.write_text(SPEC)
    keep(str(tmp_path / "history.sqlite"), path, range(40))
    return str(tmp_path / "history.sqlite")


def keep(url: str, spec: Path, nights: range) -> None:
    plan = make_plan(load_spec(spec))
    noise = np.random.default_rng(1).normal(size=(100, 3))
    with closing(open_store(url)) as store:
        for n in nights:
            level = 800 if n >= 25 else 1000
            values = [float(v) for v in level * (1 + noise[n] / 100)]
            measured = tuple(s.repetitions(values, case_id=plan.cases[0].id))
            run = s.run(f"{n:04}run", started_ns=n * DAY_NS, the_plan=plan, measurements=measured)
            store.begin_run(replace(run, revision=Revision(f"{n:040x}", "A night", "main")))


def call(*words: str) -> Result:
    result = CliRunner().invoke(site.command, words, catch_exceptions=False)
    assert result.exit_code == 0
    return result


def test_the_culprit_is_two_clicks_from_the_index(url: str, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    assert "3 pages written, 0 unchanged" in call(str(folder), "--store", url).output
    index = read_html((folder / "index.html").read_text())
    alert = index.all("article", "alert")[0]
    assert f"{24:040x}"[:12] in alert.text, "the last good night is there without a click"
    row = index.all("table", "series")[0].all("tr")[1]
    assert row.all("td")[0].text == "regressed"
    href = row.all("a")[0].attributes["href"]
    page, _, fragment = href.partition("#")
    case = read_html((folder / page).read_text())
    assert any(n.attributes.get("id") == fragment for n in case.walk())
    assert f"{25:040x}"[:12] in case.all("article", "alert")[0].text


def test_only_changed_pages_are_written_again(url: str, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    call(str(folder), "--store", url)
    assert "0 pages written, 3 unchanged" in call(str(folder), "--store", url).output
    keep(url, tmp_path / "nightly.yaml", range(40, 41))
    assert "3 pages written" in call(str(folder), "--store", url).output


def test_values_that_are_no_numbers_are_gaps(url: str, tmp_path: Path) -> None:
    with closing(open_store(url)) as store:
        plan = store.runs(limit=1)[0].plan
        for n, odd in enumerate((math.nan, math.inf, -math.inf), 40):
            measured = tuple(s.repetitions([odd, odd], case_id=plan.cases[0].id))
            run = s.run(f"{n:04}run", started_ns=n * DAY_NS, the_plan=plan, measurements=measured)
            store.begin_run(run)
    folder = tmp_path / "site"
    call(str(folder), "--store", url)
    for page in folder.rglob("*.html"):
        text = re.sub(r"<(script|style)>.*?</\1>", "", page.read_text("utf-8"), flags=re.DOTALL)
        assert not re.search(r"\b(nan|inf|infinity)\b", text, re.IGNORECASE), page


def test_a_night_that_cannot_be_read_is_named_and_leaves_the_pages(
    url: str, tmp_path: Path
) -> None:
    folder = tmp_path / "site"
    call(str(folder), "--store", url)
    before = {page: page.read_bytes() for page in folder.rglob("*.html")}
    with closing(sqlite3.connect(url)) as db:
        db.execute("UPDATE runs SET document = 'x', facts = 'x' WHERE id = '0007run'")
        db.commit()
    with pytest.raises(StoreError, match="unreadable") as error:
        call(str(folder), "--store", url)
    assert "history verify --repair" in error.value.remedy
    assert {page: page.read_bytes() for page in folder.rglob("*.html")} == before


def keep_part(url: str, name: str, case: Case, status: RunStatus, value: float = 5.0) -> None:
    """A run of one repetition of one case, a hundred days on."""
    measured = tuple(s.repetitions([value], case_id=case.id))
    plan = s.plan(case, spec_name=name)
    start = (100 + len(name)) * DAY_NS
    run = s.run(f"part-{name}", started_ns=start, the_plan=plan, measurements=measured)
    with closing(open_store(url)) as store:
        store.begin_run(replace(run, status=status))


def test_one_night_of_one_repetition_is_shown(tmp_path: Path) -> None:
    url = str(tmp_path / "one.sqlite")
    keep_part(url, "single", s.case(), RunStatus.COMPLETE)
    assert "3 pages written" in call(str(tmp_path / "site"), "--store", url).output


@pytest.mark.parametrize("status", [RunStatus.COMPLETE, RunStatus.RUNNING, RunStatus.INTERRUPTED])
def test_a_newest_run_of_other_cases_hides_no_history(
    url: str, tmp_path: Path, status: RunStatus
) -> None:
    folder = tmp_path / "site"
    call(str(folder), "--store", url)
    before = {page.relative_to(folder) for page in folder.rglob("*.html")}
    keep_part(url, "nightly", s.case(id="f" * 16, name="log/bs=8k"), status)
    call(str(folder), "--store", url)
    assert before <= {page.relative_to(folder) for page in folder.rglob("*.html")}
    rows = read_html((folder / "index.html").read_text()).all("table", "series")[0].all("tr")[1:]
    gone = [row.text for row in rows if "not measured since 1970-02-09" in row.text]
    assert len(gone) == (1 if status is RunStatus.COMPLETE else 0)
    assert all("bs=8k" not in text for text in gone)


def test_a_spec_without_a_night_is_said(url: str, tmp_path: Path) -> None:
    keep_part(url, "killed", s.case(), RunStatus.RUNNING)
    for words in (["--spec", "killed"], ["--spec", "night*", "--spec", "none"], ["--host", "none"]):
        with pytest.raises(UsageError, match="holds no night") as error:
            call(str(tmp_path / "site"), "--store", url, *words)
        assert "nightly" in error.value.remedy
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    ("option", "says"),
    [("--metric", r"zz\*: no metric that was kept"), ("--across", r"zz\*: no run here knows")],
)
def test_a_pattern_that_nothing_matches_is_said(
    url: str, tmp_path: Path, option: str, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        call(str(tmp_path / "site"), "--store", url, option, "zz*")
    assert not (tmp_path / "site").exists()


def test_a_spec_that_cannot_be_shown_leaves_the_others(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_part(url, "odd", s.case(), RunStatus.COMPLETE)
    folder = tmp_path / "site"
    call(str(folder), "--store", url)

    def find(store: Store, plan: Plan, question: Question) -> Trend:
        if plan.spec_name == "odd":
            raise TypeError("no such thing")
        return find_trend(store, plan, question)

    monkeypatch.setattr("iogate.history.trends.find_trend", find)
    keep(url, tmp_path / "nightly.yaml", range(40, 41))
    done = CliRunner().invoke(site.command, [str(folder), "--store", url], standalone_mode=False)
    assert done.return_value == ExitCode.RUN_FAILED
    assert "odd is left out: internal error: TypeError: no such thing" in done.stderr
    assert "3 pages written, 0 unchanged, 0 removed" in done.output
    assert (folder / "odd" / "index.html").exists(), "what cannot be made stays as it was"


def test_an_empty_history_is_said(tmp_path: Path) -> None:
    empty = str(tmp_path / "empty.sqlite")
    open_store(empty).close()
    with pytest.raises(UsageError, match="holds no run"):
        call(str(tmp_path / "site"), "--store", empty)
    assert not (tmp_path / "site").exists()
