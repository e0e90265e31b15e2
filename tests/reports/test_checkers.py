"""The pages before checkers from npm: html-validate for the markup, axe-core for accessibility.

scripts/test brings both. Without them these tests fail; IOGATE_SKIP_NODE=1 leaves them out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from iogate.model.run import Run
from iogate_reports import render_report
from iogate_reports.live import make_live
from iogate_reports.runs import render_runs
from repository.tree import ROOT
from support.hostile import EVIL, hostile_run
from support.report_runs import failed_run
from support.run_pasts import trend_of

VENV = Path(sys.executable).parents[1]
CONFIG = ROOT / "scripts" / "npm" / "htmlvalidate.json"
NAMES = [
    "regressed",
    "past",
    "compared",
    "damaged",
    "first",
    "failed",
    "hostile",
    "index",
    "spec",
    "case",
    "fleet",
    "runs",
    "live",
]
BROKEN = "<!doctype html><html><head><title>x</title></head><body><p><div></p><img></body></html>"

pytestmark = pytest.mark.skipif(
    os.environ.get("IOGATE_SKIP_NODE") == "1",
    reason="IOGATE_SKIP_NODE=1: nothing looks at markup and accessibility",
)


@pytest.fixture(scope="module")
def pages(
    tmp_path_factory: pytest.TempPathFactory,
    regressed: tuple[Run, tuple[Run, ...]],
    slower: Run,
    first_run: Run,
    demo: tuple[Path, str],
) -> dict[str, Path]:
    """Pages by name, those of the demo's trend site, and one that is wrong on purpose."""
    texts = {
        "regressed": render_report(*regressed),
        "past": render_report(*regressed, trend=trend_of(regressed[0])),
        "compared": render_report(slower),
        "damaged": render_report(*regressed, broken=["run.json: it is not JSON"]),
        "first": render_report(first_run),
        "failed": render_report(failed_run("the engine is gone")),
        "hostile": render_report(hostile_run("".join(EVIL[:6]) + EVIL[7])),
        "runs": render_runs([regressed[0], hostile_run("".join(EVIL[:6]))]),
        "live": live_page(regressed[0]),
        "broken": BROKEN,
    }
    folder = tmp_path_factory.mktemp("checked")
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    site = demo[0] / "site"
    return {name: folder / f"{name}.html" for name in texts} | {
        "index": site / "index.html",
        "spec": site / "nightly" / "index.html",
        "case": next(site.glob("nightly/case-*.html")),
        "fleet": site / "nightly" / "fleet.html",
    }


def live_page(run: Run) -> str:
    """A report as it is served while the same host measures again."""
    odd = hostile_run("".join(EVIL[:6]))
    return make_live(render_report(run), [(run, 3, ""), (odd, 1, "evidence <b>")], ["x: <b>"]).text


def package(*parts: str) -> Path:
    """A file of a package that scripts/test installs."""
    path = VENV.joinpath("node_modules", *parts)
    assert path.exists(), f"{path} is missing: run scripts/test, which installs it"
    return path


def wrong_markup(path: Path) -> list[str]:
    """What html-validate says, a line each."""
    tool = package("html-validate", "bin", "html-validate.mjs")
    done = subprocess.run(
        [VENV / "bin" / "node", tool, "--config", CONFIG, "--formatter", "json", path],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return [
        f"{said['ruleId']} {said['line']}:{said['column']} {said['message']}"
        for file in json.loads(done.stdout)
        for said in file["messages"]
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_markup_is_valid(pages: dict[str, Path], name: str) -> None:
    assert wrong_markup(pages[name]) == []


def test_wrong_markup_is_found(pages: dict[str, Path]) -> None:
    assert wrong_markup(pages["broken"])


def faults(browser: Browser, path: Path, *, dark: bool = False, opened: bool = False) -> list[str]:
    """What axe-core finds, be it ever so small: the rule, and the first place."""
    context = browser.new_context(offline=True, color_scheme="dark" if dark else "light")
    page = context.new_page()
    page.goto(path.as_uri())
    if opened:
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    page.evaluate(package("axe-core", "axe.min.js").read_text("utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    context.close()
    return [
        f"{one['id']} ({len(one['nodes'])}): {one['help']}: {one['nodes'][0]['html'][:200]}"
        for one in found
    ]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_nothing_keeps_people_out(
    browser: Browser, pages: dict[str, Path], name: str, *, dark: bool
) -> None:
    assert faults(browser, pages[name], dark=dark) == []
    assert faults(browser, pages[name], dark=dark, opened=True) == []


def test_what_keeps_people_out_is_found(browser: Browser, pages: dict[str, Path]) -> None:
    assert faults(browser, pages["broken"])
