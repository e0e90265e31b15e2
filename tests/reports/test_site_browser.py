"""The trend site in a real browser, from disk: charts appear when they are looked at, zoom
together, and nothing is asked of anybody.

The tests of zooming want uPlot, which the build fetches into build/web.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, Page

from iogate.model.decision import Action, Decision, SeriesKey
from iogate.model.trend import AlertState
from iogate_reports.site import Site, SpecTrend, write_site
from support.browsers import (
    Visit,
    cut_in_print,
    keep_picture,
    needs_chromium,
    needs_uplot,
    too_narrow,
)
from support.hostile import EVIL
from support.hostile import hostile_trend as hostile
from support.nightly import History
from support.report_runs import START_NS
from support.years import DAY_NS, Story, year

pytestmark = needs_chromium
METRICS = ("read.iops", "read.clat.p99", "read.clat.p50", "read.bw")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("site")
    hosts = [f"lab-{n}" for n in range(5)]
    fleet = year(2, name="fleet", hosts=hosts, odd_host="lab-3", story=Story(60, (), (99, 9), 99))
    write_site(found, Site([year(4, metrics=METRICS), fleet]).pages())
    return found


def case_page(folder: Path) -> Path:
    """The case that regressed and did not recover."""
    pages = (folder / "xfs-nightly").glob("case-*.html")
    return next(page for page in pages if ">regressed<" in page.read_text("utf-8"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280, 3840])
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
    keep_picture(visit.page, f"site-{name}-{width}-{scheme}")
    if (width, scheme) == (1280, "light"):
        assert too_narrow(visit) == []
    visit.page.context.close()


def test_a_long_word_leaves_the_name_of_a_spec_its_room(browser: Browser, folder: Path) -> None:
    page = Visit(browser, folder / "index.html").page
    page.evaluate(
        """() => { const list = document.querySelector('.specs');
            for (let n = 0; n < 4; n++) list.append(list.firstElementChild.cloneNode(true));
            for (const one of list.querySelectorAll('.badge'))
                one.textContent = 'last run with a warning'; }"""
    )
    for width in (360, 800, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        found = page.evaluate(
            """() => [...document.querySelectorAll('.specs .tile')].map(one =>
                [one, one.firstElementChild].map(each => each.getBoundingClientRect().width))"""
        )
        assert min(name for _, name in found) > 140
        assert len({round(whole) for whole, _ in found}) == 1, "all are equally wide"
    page.context.close()


def test_no_table_is_cut_on_paper(browser: Browser, folder: Path) -> None:
    for name in ("index.html", "xfs-nightly/index.html", "fleet/fleet.html"):
        page = Visit(browser, folder / name).page
        assert cut_in_print(page) == []
        page.context.close()


def test_many_hosts_leave_their_cases_room(browser: Browser, tmp_path: Path) -> None:
    hosts = [f"lab-nvme-{n:02}" for n in range(12)]
    many = year(2, name="fleet", hosts=hosts, story=Story(20, (), (99, 9), 99))
    write_site(tmp_path / "many", Site([many]).pages())
    visit = Visit(browser, tmp_path / "many" / "fleet" / "fleet.html")
    metric = visit.page.locator(".glimpse tbody th code").first
    assert box(metric)["height"] < 20, "on one line"
    assert too_narrow(visit) == []
    assert cut_in_print(visit.page) == []
    visit.page.context.close()


def test_heads_stand_over_their_columns_and_nothing_is_cut(browser: Browser, folder: Path) -> None:
    page = Visit(browser, folder / "index.html").page
    heads = [box(page.locator("#series thead th").nth(i)) for i in range(9)]
    cells = [box(page.locator("#series tbody tr").first.locator("th, td").nth(i)) for i in range(9)]
    table = box(page.locator("#series"))
    for head, cell in zip(heads, cells, strict=True):
        assert abs(head["x"] - cell["x"]) < 1
        assert cell["x"] + cell["width"] <= table["x"] + table["width"] + 1
    page.context.close()


def test_a_phone_names_what_it_shows(browser: Browser, folder: Path) -> None:
    page = Visit(browser, folder / "index.html", width=360).page
    names = (
        page.locator("#series tbody tr")
        .first.locator("[data-l]")
        .evaluate_all("all => all.map(one => getComputedStyle(one, '::before').content)")
    )
    assert names == [f'"{n}"' for n in ("spec", "host", "last night", "level", "change", "nights")]
    page.context.close()


def box(found: Locator) -> FloatRect:
    rectangle = found.bounding_box()
    assert rectangle
    return rectangle


def test_each_regression_of_the_demo_is_found_in_two_clicks(
    browser: Browser, demo: tuple[Path, str]
) -> None:
    folder, text = demo
    told = re.findall(r"^  (\S+) is .* slower since (\w{12})\.\.(\w{12})", text, re.MULTILINE)
    assert len(told) == 2, "one goes on, one has recovered"
    for case, good, bad in told:
        page = Visit(browser, folder / "site" / "index.html").page
        marked = page.locator("#series tbody tr", has=page.locator("path.worse"))
        marked.filter(has_text=case).locator("a").first.click()  # the first click
        alert = page.locator("article.alert", has_text=f"git log --oneline {good}..{bad}")
        alert.first.wait_for()
        alert.first.locator("summary").click()  # the second: how much it was
        assert alert.first.get_by_text("worse").first.is_visible()
        page.context.close()


def test_the_recovery_of_the_demo_is_told_with_its_revision(
    browser: Browser, demo: tuple[Path, str]
) -> None:
    folder, text = demo
    found = re.search(r"has recovered with (\w{12})", text)
    assert found
    page = Visit(browser, folder / "site" / "nightly" / "index.html").page
    assert page.get_by_text(f"Recovered with {found[1]}").is_visible()
    page.context.close()


def test_the_keyboard_alone_leads_to_a_range(browser: Browser, folder: Path) -> None:
    page = Visit(browser, folder / "index.html").page
    page.keyboard.press("/")
    page.keyboard.type("xfs-nightly regressed read.iops")
    assert page.locator("#series tbody tr:visible").count() == 1
    page.keyboard.press("Tab")
    for _ in range(12):
        if page.evaluate("document.activeElement.closest('tbody') !== null"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("article.alert pre", has_text="git log --oneline").first.wait_for()
    page.context.close()


def test_rows_are_walked_with_j_and_k(browser: Browser, folder: Path) -> None:
    page = Visit(browser, folder / "index.html").page
    seen = []
    for key in "jjjk":
        page.keyboard.press(key)
        seen.append(page.evaluate("document.activeElement.closest('tr').rowIndex"))
    assert seen == [1, 2, 3, 2]
    page.context.close()


def test_what_is_chosen_stands_in_the_address(browser: Browser, folder: Path) -> None:
    page = Visit(browser, folder / "index.html").page
    page.get_by_label("spec", exact=True).select_option("fleet")
    page.get_by_label("state", exact=True).select_option("steady")
    page.get_by_label("Filter series").fill("read.iops")
    page.locator("#series thead th", has_text="level").get_by_role("button").click(click_count=2)
    shown = page.locator("#series tbody tr:visible").all_inner_texts()
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert page.locator("#series tbody tr:visible").all_inner_texts() == shown
    assert 1 < len(shown) <= 10
    assert page.locator("[aria-sort=descending]", has_text="level").count() == 1
    page.context.close()


def test_a_link_leads_to_a_case_and_a_metric(browser: Browser, folder: Path) -> None:
    row = Visit(browser, folder / "index.html").page.locator("#series tbody tr").nth(3)
    href, metric = row.locator("a").get_attribute("href"), row.locator("code").inner_text()
    page = browser.new_context(offline=True).new_page()
    page.goto(f"{folder.as_uri()}/{href}")
    place = page.locator(":target")
    assert metric in place.inner_text()
    assert place.evaluate("one => one.getBoundingClientRect().top < innerHeight")
    page.context.close()


def test_the_rows_that_are_shown_are_copied_as_markdown(browser: Browser, folder: Path) -> None:
    page = Visit(browser, folder / "index.html").page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("navigator.clipboard.writeText = text => { window.copied = text; }")
    page.get_by_label("Filter series").fill("regressed read.iops")
    page.get_by_label("Filter series").blur()
    page.keyboard.press("c")
    lines = str(page.evaluate("window.copied")).splitlines()
    assert lines[0] == (
        "| state | spec | case and metric | host | last night | level | change | nights |"
    )
    assert lines[1] == "|---|---|---|---|---|---|---|---|"
    assert len(lines) == 3
    assert lines[2].startswith("| regressed | xfs-nightly | oltp/bs=16k,iodepth=1 read.iops |")
    page.context.close()


def test_notes_are_on_the_index_the_spec_and_the_case(browser: Browser, tmp_path: Path) -> None:
    quiet = year(4)
    alert = next(a for a in quiet.trend.alerts if a.state is AlertState.OPEN)
    known = Decision(
        alert.id, Action.ACK, "Ann", "waits for 6.19", START_NS, "xfs-nightly", alert.machine_id,
        alert.environment, alert.last_good.started_ns, alert.first_bad.started_ns,
        tuple(SeriesKey(c.case_id, c.metric) for c in alert.changes), START_NS + 900 * DAY_NS,
    )  # fmt: skip
    write_site(tmp_path, Site([year(4, decisions=[known])]).pages())
    note = re.compile(r"acknowledged by Ann, \d{4}-.*, until \d{4}-.*: “waits for 6.19”")
    page = Visit(browser, tmp_path / "index.html").page
    assert page.get_by_text(note).is_visible()
    page.locator("#series tbody tr", has_text="acknowledged").locator("a").first.click()
    page.get_by_text(note).wait_for()
    page.get_by_role("navigation").get_by_text("xfs-nightly").click()
    page.get_by_text(note).wait_for()
    page.context.close()


@pytest.mark.parametrize("text", EVIL, ids=lambda text: ascii(text[:12]))
def test_hostile_names_run_nothing_and_fit(browser: Browser, tmp_path: Path, text: str) -> None:
    nasty = hostile(year(1).trend, text)
    fleet = hostile(
        year(1, hosts=["a", "b", "c", "d"], story=Story(20, (), (99, 9), 99)).trend, text
    )
    write_site(tmp_path, Site([SpecTrend(nasty), SpecTrend(fleet)]).pages())
    for path in sorted(tmp_path.rglob("*.html")):
        visit = Visit(browser, path, width=360)
        visit.page.wait_for_timeout(50)
        assert visit.trouble == []
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 360, path.name
        visit.page.context.close()


def test_series_are_filtered_and_sorted(browser: Browser, folder: Path) -> None:
    page = Visit(browser, folder / "index.html").page
    page.get_by_label("spec", exact=True).select_option("fleet")
    page.get_by_label("host", exact=True).select_option("lab-3")
    page.get_by_label("metric", exact=True).select_option("read.iops")
    rows = page.locator("#series tbody tr:visible")
    assert rows.count() == 2
    page.get_by_label("host", exact=True).select_option("")
    page.locator("#series thead th", has_text="level").get_by_role("button").click()
    levels = page.locator("#series tbody tr:visible [data-l=level]").all_inner_texts()
    values = [float(text.split()[0]) for text in levels]
    assert len(values) == 10
    assert values == sorted(values)
    page.context.close()


def test_what_has_no_value_comes_last_both_ways(browser: Browser, folder: Path) -> None:
    page = Visit(browser, folder / "index.html").page
    head = page.locator("#series thead th", has_text="change").get_by_role("button")
    for _ in ("ascending", "descending"):
        head.click()
        changes = page.locator("#series tbody [data-l=change]").all_text_contents()
        missing = [text == "–" for text in changes]
        assert any(missing)
        assert missing == sorted(missing)
        assert not all(missing)
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
def test_the_number_of_a_marker_stands_beside_its_line(browser: Browser, folder: Path) -> None:
    numbers = [align for text, align in written(browser, case_page(folder)) if text == "1"]
    assert set(numbers) == {"left"}


RECORD = """window.written = []; const draw = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    written.push([`${text}`, this.textAlign]);
    return draw.call(this, text, ...place);
}"""


@needs_uplot
@pytest.mark.parametrize("later_s", [None, 60])
def test_the_first_runs_have_an_axis_of_their_own_days(
    browser: Browser, tmp_path: Path, later_s: int | None
) -> None:
    """One run alone, and another a minute later."""
    history = History(tmp_path, since_ns=1_700_000_000 * 10**9)
    history.add(1000.0)
    if later_s:
        history.since_ns += later_s * 10**9 - DAY_NS
        history.add(1100.0)
    history.pages()
    texts = written(browser, next(history.site.glob("*/case-*.html")))
    assert {text[-4:] for text, _ in texts if text.endswith(("2023", "2024"))} == {"2023"}
    assert any(text.startswith("14 Nov") for text, _ in texts)
    minutes = [text for text, _ in texts if re.fullmatch(r"\d\d:\d\d", text)]
    assert minutes
    if later_s:
        assert len(minutes) == len(set(minutes))


def written(browser: Browser, path: Path) -> list[tuple[str, str]]:
    """What the first chart of a page writes beside its lines, and how it is aligned."""
    page = Visit(browser, path).page
    page.add_init_script(RECORD)
    page.reload()
    page.locator(".uplot").first.wait_for()
    page.wait_for_timeout(100)
    found: list[tuple[str, str]] = page.evaluate("written")
    page.context.close()
    return found


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


@needs_uplot
def test_the_axis_of_a_few_nights_has_their_days(browser: Browser, tmp_path: Path) -> None:
    few = year(1, story=Story(3, (), (99, 9), 99, 99))
    write_site(tmp_path / "young", Site([few]).pages())
    (path,) = (tmp_path / "young").glob("*/case-*.html")
    page = Visit(browser, path).page
    page.locator(".zoomed canvas").first.wait_for()
    page.evaluate(
        """() => {
        window.written = [];
        const write = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
          window.written.push(text);
          return write.call(this, text, ...more);
        };
        document.querySelector('.zoomed').focus();
    }"""
    )
    page.keyboard.press("0")
    page.wait_for_function("window.written.length > 8")
    written = page.evaluate("window.written")
    assert "22 Nov" in written
    assert "00:00" not in written, "of which day?"
    page.context.close()
