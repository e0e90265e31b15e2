"""``iogate site DIR`` on a history of nights."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from iogate.cli import site
from iogate.errors import UsageError
from iogate.model.run import Revision
from iogate.spec import expand_spec, load_spec
from iogate.store import open_store
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
    plan = expand_spec(load_spec(spec))
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


def test_an_empty_history_is_said(tmp_path: Path) -> None:
    empty = str(tmp_path / "empty.sqlite")
    with pytest.raises(UsageError, match="holds no run"):
        call(str(tmp_path / "site"), "--store", empty)
    assert not (tmp_path / "site").exists()
