"""The trend site in a real browser, from disk: charts appear when they are looked at, zoom
together, and nothing is asked of anybody.

The tests of zooming want uPlot, which the build fetches into build/web.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, sync_playwright

from iogate_reports.site import Site, write_site
from iogate_reports.vendor import uplot
from support.years import Story, year

CHROMIUM = os.environ.get("IOGATE_CHROMIUM") or shutil.which("chromium") or ""
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")
needs_uplot = pytest.mark.skipif(uplot() is None, reason="built without uPlot")
METRICS = ("read.iops", "read.clat.p99", "read.clat.p50", "read.bw")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as engine:
        found = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("site")
    hosts = [f"lab-{n}" for n in range(5)]
    fleet = year(2, name="fleet", hosts=hosts, odd_host="lab-3", story=Story(60, (), (99, 9), 99))
    write_site(found, Site([year(4, metrics=METRICS), fleet]).pages())
    return found


class Visit:
    """A page with what it asked for and complained about."""

    def __init__(
        self, browser: Browser, path: Path, width: int = 1280, scheme: str = "light"
    ) -> None:
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            offline=True,
            color_scheme="dark" if scheme == "dark" else "light",
        )
        self.page: Page = context.new_page()
        self.trouble: list[str] = []
        self.page.on("console", lambda message: self.trouble.append(message.text))
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("request", self._request)
        self.own = path.as_uri()
        self.page.goto(self.own)

    def _request(self, request: Request) -> None:
        if request.url != self.own:
            self.trouble.append(request.url)


def case_page(folder: Path) -> Path:
    """The case that regressed and did not recover."""
    pages = (folder / "xfs-nightly").glob("case-*.html")
    return next(page for page in pages if ">regressed<" in page.read_text("utf-8"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("name", ["index", "spec", "case", "fleet"])
def test_pages_open_fit_and_ask_for_nothing(
    browser: Browser, folder: Path, name: str, width: int, scheme: str
) -> None:
    path = {
        "index": folder / "index.html",
        "spec": folder / "xfs-nightly" / "index.html",
        "case": case_page(folder),
        "fleet": folder / "fleet" / "fleet.html",
    }[name]
    visit = Visit(browser, path, width, scheme)
    visit.page.wait_for_timeout(150)
    assert visit.trouble == []
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    shots = os.environ.get("IOGATE_SCREENSHOTS")
    if shots:
        visit.page.screenshot(path=Path(shots) / f"site-{name}-{width}-{scheme}.png")
    visit.page.context.close()


def test_from_the_index_to_the_range_in_two_clicks(browser: Browser, folder: Path) -> None:
    page = Visit(browser, folder / "index.html").page
    page.locator("#series tbody tr", has_text="regressed").locator("a").first.click()
    assert page.locator("article.alert pre", has_text="git log --oneline").first.is_visible()
    page.context.close()


def test_series_are_filtered_and_sorted(browser: Browser, folder: Path) -> None:
    page = Visit(browser, folder / "index.html").page
    page.get_by_label("spec", exact=True).select_option("fleet")
    page.get_by_label("host", exact=True).select_option("lab-3")
    page.get_by_label("metric", exact=True).select_option("read.iops")
    rows = page.locator("#series tbody tr:visible")
    assert rows.count() == 2
    page.get_by_label("host", exact=True).select_option("")
    page.locator("#series thead th", has_text="level").get_by_role("button").click()
    levels = page.locator("#series tbody tr:visible .c-level").all_inner_texts()
    values = [float(text.split()[0]) for text in levels]
    assert len(values) == 10
    assert values == sorted(values)
    page.context.close()


@needs_uplot
def test_a_chart_is_made_once_it_is_scrolled_into_view(browser: Browser, folder: Path) -> None:
    visit = Visit(browser, case_page(folder))
    visit.page.locator(".zoomed").first.wait_for()
    assert visit.page.locator(".uplot").count() < 4
    visit.page.locator(".one").last.scroll_into_view_if_needed()
    visit.page.locator(".one").last.locator(".uplot").wait_for()
    assert not visit.page.locator(".one").last.locator("svg.chart").is_visible()
    assert visit.trouble == []
    visit.page.context.close()


@needs_uplot
def test_brushing_one_chart_zooms_all_and_keys_move_them(browser: Browser, folder: Path) -> None:
    page = Visit(browser, case_page(folder)).page
    first, second = (page.locator(".one").nth(i) for i in (0, 1))
    second.scroll_into_view_if_needed()
    second.locator(".uplot").wait_for()
    first.locator(".zoomed").focus()
    page.keyboard.press("0")
    page.wait_for_timeout(100)
    whole = ticks(page, 1)
    first.locator(".u-over").scroll_into_view_if_needed()
    box = first.locator(".u-over").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 40, steps=5)
    page.mouse.up()
    page.wait_for_timeout(100)
    zoomed = ticks(page, 1)
    assert zoomed != whole, "the second chart follows the first"
    first.locator(".zoomed").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(100)
    assert ticks(page, 1) not in (whole, zoomed)
    page.keyboard.press("0")
    page.wait_for_timeout(100)
    assert ticks(page, 1) == whole
    page.context.close()


def ticks(page: Page, index: int) -> str:
    """What a chart shows: its picture, as text."""
    found = page.locator(".one").nth(index).locator("canvas")
    return str(found.evaluate("canvas => canvas.toDataURL()"))


@needs_uplot
def test_a_cursor_over_one_chart_reads_the_same_night_in_all(
    browser: Browser, folder: Path
) -> None:
    page = Visit(browser, case_page(folder)).page
    page.locator(".one").nth(1).scroll_into_view_if_needed()
    page.locator(".one").nth(1).locator(".uplot").wait_for()
    page.locator(".one").nth(0).locator(".u-over").hover(position={"x": 200, "y": 50})
    page.wait_for_timeout(100)
    times = page.locator(".u-legend tr:first-child .u-value").all_inner_texts()[:2]
    assert times[0] == times[1]
    assert times[0].startswith("202")
    page.context.close()


@needs_uplot
def test_the_chart_shows_the_values_that_were_packed(browser: Browser, folder: Path) -> None:
    page = Visit(browser, case_page(folder)).page
    first = page.locator(".one").first
    first.locator(".uplot").wait_for()
    first.locator(".u-over").hover(position={"x": 1, "y": 50})
    page.wait_for_timeout(100)
    value = page.locator(".u-legend").first.locator(".u-value").nth(1).inner_text()
    assert value.endswith("k/s")
    assert float(value.split()[0]) == pytest.approx(90, rel=0.06)
    page.context.close()


def test_without_scripts_the_still_pictures_stand(browser: Browser, folder: Path) -> None:
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(case_page(folder).as_uri())
    assert page.locator("svg.nights").first.is_visible()
    page.goto((folder / "index.html").as_uri())
    assert page.locator("#series tbody tr").first.is_visible()
    context.close()
