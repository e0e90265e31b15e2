"""`make docs`: the pages as a site, whose links lead somewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from repository.tree import ROOT

TOOLS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "iogate-tools"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("docs") / "site"
    done = subprocess.run(
        [ROOT / "scripts/docs", folder], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_in_the_site_and_in_its_contents(site: Path) -> None:
    pages = [path.relative_to(ROOT).with_suffix(".html") for path in ROOT.glob("docs/**/*.md")]
    index = (site / "index.html").read_text(encoding="utf-8")
    assert len(pages) > 30
    assert [page for page in pages if not (site / page).is_file() or str(page) not in index] == []


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    text = (site / "docs/gating.html").read_text(encoding="utf-8")
    assert 'src="http' not in text
    assert '<link rel="stylesheet" type="text/css" href="http' not in text


@pytest.mark.parametrize("link", ["missing.md", "index.md#missing", "#missing"])
def test_a_link_that_leads_nowhere_is_noticed(site: Path, link: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / "scripts/docs_site/conf.py", tmp_path)
    (tmp_path / "index.md").write_text(f"# A page\n\nSee [there]({link}).\n")
    words = ["-q", "--fail-on-warning", str(tmp_path), str(tmp_path / "out")]
    words = [str(TOOLS / "docs/bin/sphinx-build"), *words]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "missing" in done.stderr
