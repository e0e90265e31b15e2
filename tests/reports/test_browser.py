"""The page in a real browser: from disk, without a network, in both colour schemes."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from iogate.model.run import Run
from iogate.model.verdict import HostNoise, NoiseSource, Visible
from iogate_reports import render_report
from support.browsers import (
    Visit,
    cut_in_print,
    keep_picture,
    needs_chromium,
    needs_uplot,
    too_narrow,
)
from support.hostile import EVIL, hostile_run
from support.report_runs import Pace, case, failed_run, limit, measurement, plan, run

pytestmark = needs_chromium

WIDE, PHONE = 1280, 360


@pytest.fixture(scope="module")
def pages(
    tmp_path_factory: pytest.TempPathFactory, regressed: tuple[Run, tuple[Run, ...]], slower: Run
) -> dict[str, Path]:
    """Pages by name, written to disk as a CI artifact would be."""
    texts = {
        "regressed": render_report(*regressed),
        "compared": render_report(noisy(slower)),
        "failed": render_report(failed_run("the engine is gone")),
        "hostile": render_report(hostile_run("".join(EVIL[:6]) + EVIL[7])),
    }
    folder = tmp_path_factory.mktemp("pages")
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    return {name: folder / f"{name}.html" for name in texts}


def noisy(run: Run) -> Run:
    """The run, with what is known of the noise of its host."""
    assert run.verdict is not None
    seen = tuple(Visible(blocks, -0.031) for blocks in (6, 10, 20, 28))
    (one,) = run.plan.cases
    noise = HostNoise(one.id, "write.iops", 0.02, 12, NoiseSource.CANARY, "r", 1, seen, 11)
    return replace(run, verdict=replace(run.verdict, noise=(noise,)))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("name", ["regressed", "failed", "hostile"])
def test_a_page_opens_from_disk_and_fits(
    browser: Browser, pages: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    visit = Visit(browser, pages[name], width, scheme)
    assert visit.trouble == []
    needed = visit.page.evaluate("document.documentElement.scrollWidth")
    assert needed <= width, "nothing sticks out at the side"
    assert visit.page.locator("h1").is_visible()
    keep_picture(visit.page, f"{name}-{width}-{scheme}")
    visit.page.context.close()


@pytest.mark.parametrize("name", ["regressed", "failed", "hostile"])
def test_nothing_sticks_out_of_a_window_of_any_width(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    assert too_narrow(Visit(browser, pages[name])) == []


def test_both_schemes_have_readable_contrast(browser: Browser, pages: dict[str, Path]) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        visit = Visit(browser, pages["regressed"], scheme=scheme)
        pairs = visit.page.evaluate(CONTRAST)
        grounds.append(visit.page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert len(pairs) > 40
        weak = [pair for pair in pairs if pair["ratio"] < 4.5]
        assert weak == []
        visit.page.context.close()
    assert grounds[0] != grounds[1]


def test_paper_is_white_whatever_the_scheme(browser: Browser, pages: dict[str, Path]) -> None:
    inks = []
    for scheme in ("light", "dark"):
        page = Visit(browser, pages["regressed"], scheme=scheme).page
        page.emulate_media(media="print")
        inks.append(page.evaluate(CONTRAST))
        assert min(pair["ratio"] for pair in inks[-1]) >= 4.5
        page.context.close()
    assert inks[0] == inks[1]


def test_a_phone_names_the_values_as_the_table_does(
    browser: Browser, pages: dict[str, Path]
) -> None:
    expected = {"regressed": ["median", "baseline"], "compared": ["deep", "spec"]}
    for name, sides in expected.items():
        page = Visit(browser, pages[name], width=PHONE).page
        labels = page.locator("#limits tbody tr").first.locator("[data-l]")
        names = labels.evaluate_all(
            "all => all.map(one => getComputedStyle(one, '::before').content.slice(1, -1))"
        )
        assert names == ["limit", *sides, "change", "n"]
        page.context.close()


def test_marks_can_be_seen_where_the_reader_chose_the_colours(
    browser: Browser, pages: dict[str, Path]
) -> None:
    page = Visit(browser, pages["regressed"]).page
    page.emulate_media(forced_colors="active")
    ground, seal, badge = page.evaluate(
        """() => [
          getComputedStyle(document.body).backgroundColor,
          getComputedStyle(document.querySelector('.seal svg')).stroke,
          getComputedStyle(document.querySelector('.limits td b'), '::before').backgroundColor]"""
    )
    assert seal != ground
    assert badge != ground
    page.context.close()


def test_the_keyboard_reaches_the_report_and_opens_a_table(
    browser: Browser, pages: dict[str, Path]
) -> None:
    page = Visit(browser, pages["regressed"]).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the report"
    summary = page.locator("figure details summary").first
    summary.focus()
    page.keyboard.press("Enter")
    assert page.locator("figure details table").first.is_visible()
    page.context.close()


def test_a_link_leads_to_its_case(browser: Browser, pages: dict[str, Path]) -> None:
    page = Visit(browser, pages["regressed"]).page
    page.locator("table.results a").first.click()
    case_id = page.url.partition("#")[2]
    assert case_id.startswith("case-")
    assert page.locator(f"[id='{case_id}'] figure").first.is_visible()
    page.context.close()


def test_it_prints_on_a4_with_its_charts(browser: Browser, pages: dict[str, Path]) -> None:
    page = Visit(browser, pages["regressed"]).page
    page.emulate_media(media="print")
    assert page.locator("table.results thead").first.is_visible(), "a table, not cards"
    assert not page.locator("nav").is_visible()
    folded = page.evaluate(
        """() => [...document.querySelectorAll('details')].filter(one => one.checkVisibility()
            && !one.lastElementChild.checkVisibility()).map(one => one.textContent)"""
    )
    assert folded == [], "nothing can be unfolded on paper"
    document = page.pdf(format="A4", print_background=True)
    assert document.startswith(b"%PDF")
    assert 3 <= document.count(b"/Type /Page\n") + document.count(b"/Type /Page ") <= 40
    page.context.close()


def test_no_table_is_cut_on_paper(browser: Browser, pages: dict[str, Path]) -> None:
    for name in ("regressed", "compared"):
        page = Visit(browser, pages[name]).page
        assert cut_in_print(page) == []
        page.context.close()


def test_a_name_ends_its_lines_between_its_parts(browser: Browser, pages: dict[str, Path]) -> None:
    page = Visit(browser, pages["regressed"], width=PHONE).page
    headline = page.locator("h1").first
    assert "bs=4k,iodepth=32" in headline.inner_text().replace("\n", "")
    for width in range(280, 361, 10):
        page.set_viewport_size({"width": width, "height": 700})
        lines = headline.evaluate(LINES)
        assert any("iodepth=32" in line for line in lines), lines
    page.context.close()


# What stands on each line of an element.
LINES = """node => {
  const lines = new Map(), range = document.createRange();
  const walk = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) for (let i = 0; i < walk.currentNode.length; i++) {
    range.setStart(walk.currentNode, i);
    range.setEnd(walk.currentNode, i + 1);
    const top = range.getBoundingClientRect().top;
    lines.set(top, (lines.get(top) || '') + walk.currentNode.data[i]);
  }
  return [...lines.values()];
}"""


@needs_uplot
def test_rates_can_be_zoomed_once_they_are_scrolled_into_view(
    browser: Browser, pages: dict[str, Path]
) -> None:
    visit = Visit(browser, pages["regressed"])
    page = visit.page
    last = page.locator("figure[id]").last
    assert last.locator(".zoomed").count() == 0
    last.scroll_into_view_if_needed()
    last.locator(".zoomed canvas").wait_for()
    assert not last.locator("svg.chart").is_visible(), "the still picture made room"
    assert visit.trouble == []
    page.context.close()


@needs_uplot
def test_a_chart_that_can_be_zoomed_shows_what_was_at_a_time(
    browser: Browser, tmp_path: Path
) -> None:
    """Of the second repetition half of the intervals are one: what came later is where it was."""
    one = case("stall")
    paces = {"j": {"write": Pace(iops=1000)}}
    found = [measurement(one, n, paces, random.Random(n), seconds=20) for n in (1, 2)]
    (job,) = found[1].jobs
    assert job.series is not None
    late = replace(job.series, intervals=(*job.series.intervals[:5], *job.series.intervals[15:]))
    found[1] = replace(found[1], jobs=(replace(job, series=late),))
    path = tmp_path / "report.html"
    path.write_text(render_report(run(plan([one]), found)))
    page = Visit(browser, path).page
    chart = page.locator("figure[id]").first
    chart.scroll_into_view_if_needed()
    chart.locator("canvas").wait_for()
    over = chart.locator(".u-over").bounding_box()
    assert over is not None
    seen = {}
    for at in (8.5, 18.5):  # the axis ends with the last middle, at 19.5 s
        page.mouse.move(over["x"] + over["width"] * (at - 0.5) / 19, over["y"] + 20)
        page.wait_for_timeout(100)
        seen[at] = chart.locator(".u-legend .u-value").all_text_contents()
    assert [values[0] for values in seen.values()] == ["8.5 s", "18.5 s"]
    assert [values[2] == "–" for values in seen.values()] == [True, False]
    page.context.close()


@needs_uplot
def test_the_charts_of_a_case_zoom_together_by_keys(
    browser: Browser, pages: dict[str, Path]
) -> None:
    page = Visit(browser, pages["regressed"]).page
    case = page.locator("details.case", has=page.locator("h3", has_text="mixed"))
    both = case.locator("figure[id]")
    assert both.count() == 2
    both.first.scroll_into_view_if_needed()
    both.last.locator("canvas").wait_for()
    before = [both.nth(i).locator("canvas").screenshot() for i in (0, 1)]
    both.first.locator(".zoomed").focus()
    page.keyboard.press("+")
    page.wait_for_timeout(150)
    after = [both.nth(i).locator("canvas").screenshot() for i in (0, 1)]
    assert before[0] != after[0]
    assert before[1] != after[1], "the other direction of the case follows"
    page.keyboard.press("0")
    page.wait_for_timeout(150)
    assert both.nth(1).locator("canvas").screenshot() == before[1]
    page.context.close()


# Each element that has text of its own: its colour against the nearest opaque ground.
CONTRAST = """() => {
  const parse = text => {
    const n = text.match(/[\\d.]+/g).map(Number);
    const scale = text.startsWith('color(') ? 255 : 1;
    return {rgb: n.slice(0, 3).map(v => v * scale), alpha: n.length > 3 ? n[3] : 1};
  };
  const light = rgb => rgb.map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = node => {
    for (let at = node; at; at = at.parentElement) {
      const found = parse(getComputedStyle(at).backgroundColor);
      if (found.alpha === 1) return found.rgb;
    }
    return [255, 255, 255];
  };
  const own = node => [...node.childNodes].some(c => c.nodeType === 3 && c.data.trim());
  return [...document.querySelectorAll('main *:not(svg *), header *')]
    .filter(node => own(node) && node.checkVisibility())
    .map(node => {
      const a = light(parse(getComputedStyle(node).color).rgb), b = light(ground(node));
      return {text: node.textContent.trim().slice(0, 30),
              ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)};
    });
}"""


def shown(page: Page) -> list[str]:
    """The verdicts of the rows that can be seen, from top to bottom."""
    return page.locator("#limits tbody tr[id]:visible td:first-child").all_inner_texts()


def test_limits_are_filtered_by_words_verdict_and_metric(
    browser: Browser, pages: dict[str, Path]
) -> None:
    page = Visit(browser, pages["regressed"]).page
    everything = shown(page)
    page.keyboard.press("/")
    page.keyboard.type("bs=16k p99")
    few = shown(page)
    assert 0 < len(few) < len(everything)
    assert page.locator("#tools output").inner_text() == f"{len(few)} of {len(everything)}"
    page.keyboard.press("Escape")
    assert shown(page) == everything
    page.get_by_role("button", name="fail", exact=True).click()
    assert "fail" not in shown(page)
    page.get_by_label("Metric").select_option("write.iops")
    metrics = page.locator("#limits tbody tr:visible th code").all_inner_texts()
    assert set(metrics) == {"write.iops"}
    page.context.close()


def test_limits_are_sorted_by_value_not_by_text(browser: Browser, pages: dict[str, Path]) -> None:
    page = Visit(browser, pages["regressed"]).page
    head = page.locator("#limits thead th:nth-child(6)")
    head.get_by_role("button").press("Enter")
    texts = page.locator("#limits tbody tr[id] td:nth-child(6)").all_inner_texts()
    values = [float(t.split(" ")[0].replace("−", "-")) for t in texts if t[0] in "+−0"]
    assert values == sorted(values)
    assert head.get_attribute("aria-sort") == "ascending"
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    page.context.close()


def test_rows_are_walked_by_keys_and_have_links_of_their_own(
    browser: Browser, pages: dict[str, Path]
) -> None:
    page = Visit(browser, pages["regressed"]).page
    page.keyboard.press("j")
    page.keyboard.press("j")
    row = page.evaluate("location.hash")
    assert row == "#" + str(page.locator("#limits tbody tr[id]").nth(1).get_attribute("id"))
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_function("location.hash.startsWith('#case-')")
    page.context.close()


def test_what_is_shown_is_copied_as_markdown(browser: Browser, pages: dict[str, Path]) -> None:
    page = Visit(browser, pages["regressed"]).page
    page.evaluate("""() => {
        window.copied = null;
        navigator.clipboard.writeText = async text => { window.copied = text; };
    }""")
    page.get_by_label("Filter limits").fill("bs=4k,iodepth=32")
    page.get_by_role("button", name="Copy as Markdown").click()
    page.get_by_role("button", name="Copied").wait_for()
    lines = page.evaluate("window.copied").splitlines()
    assert "FAIL" in lines[0]
    assert lines[2] == "| verdict | case and metric | limit | median | baseline | change | n |"
    assert len(lines) == 4 + len(shown(page))
    assert {line.count("|") for line in lines[2:]} == {8}
    page.context.close()


def test_a_link_opens_a_case_that_was_folded(browser: Browser, tmp_path: Path) -> None:
    cases = [case(f"w/bs={n}k") for n in range(1, 13)]
    path = tmp_path / "folded.html"
    path.write_text(render_report(run(plan(cases), [])), "utf-8")
    page = Visit(browser, path).page
    target = f"case-{cases[5].id}"
    page.goto(f"{path.as_uri()}#{target}")
    page.reload()
    assert page.locator(f"[id='{target}'] pre").first.is_visible()
    page.context.close()


def test_ten_thousand_cases_open(browser: Browser, tmp_path: Path) -> None:
    limits = (limit("write.iops > 1", 1.0), limit("write.clat.p99 vs baseline < +10%", 0.1))
    cases = [case(f"w/bs={n}k,iodepth={n % 7}", limits) for n in range(10_000)]
    path = tmp_path / "huge.html"
    path.write_text(render_report(run(plan(cases), [])), "utf-8")
    assert path.stat().st_size < 4_000_000
    visit = Visit(browser, path)
    assert visit.trouble == []
    visit.page.get_by_label("Filter limits").fill("bs=77k")
    assert len(shown(visit.page)) >= 1
    visit.page.context.close()


def test_without_scripts_the_report_is_whole(browser: Browser, pages: dict[str, Path]) -> None:
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(pages["regressed"].as_uri())
    assert page.locator("#limits tbody tr[id]").count() > 10
    assert page.locator("figure svg").first.is_visible()
    assert not page.locator("#tools").is_visible()
    context.close()
