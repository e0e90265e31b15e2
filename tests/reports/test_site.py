"""The trend site says what moved, where, and between which revisions; and stays in its place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.errors import UsageError
from iogate.model.decision import Action, Decision
from iogate.model.trend import AlertState, FactChange, Marker
from iogate.trend.decisions import new_decision
from iogate_reports.charts import nights, spark
from iogate_reports.series.packing import packed, unit_of, whole
from iogate_reports.site import Site, SpecTrend, write_site
from iogate_reports.site.fleet import members
from iogate_reports.text import signed
from iogate_reports.trend_lines import file_name
from support.hostile import EVIL, hostile_trend
from support.html_tree import Node, read_html
from support.report_runs import START_NS
from support.unpacking import unpacked
from support.years import DAY_NS, Story, year


@pytest.fixture(scope="module")
def nightly() -> SpecTrend:
    return year(4)


@pytest.fixture(scope="module")
def fleet() -> SpecTrend:
    hosts = [f"lab-{n}" for n in range(5)]
    return year(2, name="fleet", hosts=hosts, odd_host="lab-3", story=Story(40, (), (99, 9), 99, 7))


@pytest.fixture(scope="module")
def pages(nightly: SpecTrend, fleet: SpecTrend) -> dict[str, str]:
    return dict(Site([nightly, fleet]).pages())


def body(page: Node) -> str:
    return " ".join(page.all("body")[0].text.split())


def test_every_link_leads_to_a_page_and_a_place(pages: dict[str, str]) -> None:
    trees = {name: read_html(text) for name, text in pages.items()}
    ids = {name: {n.attributes.get("id") for n in tree.walk()} for name, tree in trees.items()}
    for name, tree in trees.items():
        for link in tree.all("a"):
            page, _, fragment = link.attributes["href"].partition("#")
            folder = name.rpartition("/")[0]
            target = f"{folder}/{page}".lstrip("/") if folder else page
            if page.startswith("../"):
                target = page.removeprefix("../")
            target = target if page else name
            assert target in pages, f"{name} links to {target}"
            assert not fragment or fragment in ids[target], f"{name} links to {page}#{fragment}"


def test_the_open_regression_is_on_the_index_with_its_range(
    pages: dict[str, str], nightly: SpecTrend
) -> None:
    (alert,) = (a for a in nightly.trend.alerts if a.state is AlertState.OPEN)
    index = read_html(pages["index.html"])
    card = next(a for a in index.all("article") if alert.id in a.text)
    assert alert.last_good.commit[:12] in card.text
    assert alert.first_bad.commit[:12] in card.text
    around = alert.changes[0].effect_interval
    assert around is not None
    told = f"{signed(around.low)[:-2]} … {signed(around.high)}"
    assert card.all("h3")[0].text.endswith(f" % CI {told}"), "how sure, beside how much"
    assert card.all("pre")[0].text == (
        f"git log --oneline {alert.last_good.commit[:12]}..{alert.first_bad.commit[:12]}"
    )
    first = index.all("table", "series")[0].all("tr")[1]
    assert first.all("td")[0].text == "regressed", "what wants a look comes first"


def test_an_alert_on_the_index_leads_to_its_spec_and_the_newest_is_first() -> None:
    def moved(night: int) -> SpecTrend:
        story = Story(60, ((night, 0.12, 1),), (99, 9), 99, 7)
        return year(2, name=f"night-{night}", story=story)

    specs = [moved(20), moved(35)]
    cards = read_html(dict(Site(specs).pages())["index.html"]).all("article", "alert")
    told = [next(a for a in card.all("a") if a.text.startswith("night-")) for card in cards]
    assert [link.text for link in told] == ["night-35", "night-20"]
    for spec, link in zip(reversed(specs), told, strict=True):
        place = f"#alert-{spec.trend.alerts[0].id}"
        assert link.attributes["href"] == f"{spec.name}/index.html{place}"


def test_a_spec_that_has_fallen_silent_is_not_green() -> None:
    quiet = [
        year(1, name=name, story=Story(count, (), (99, 9), 99, 7))
        for name, count in (("still-here", 40), ("late", 38), ("gone", 31))
    ]
    index = read_html(dict(Site(quiet).pages())["index.html"])
    tiles = {
        tile.all("a")[0].text: tile.all("span", "badge")[0] for tile in index.all("li", "tile")
    }
    assert [tiles[name].text for name in ("still-here", "late")] == ["0 open"] * 2
    assert tiles["gone"].text == "no night for 9 days"
    assert tiles["gone"].attributes["class"] == "badge b-missing"
    assert "But look at gone (no night for 9 days)." in body(index)


def test_runs_of_one_day_are_no_nights(nightly: SpecTrend) -> None:
    def told(spec: SpecTrend) -> str:
        return "".join(text for _, text in Site([spec]).pages())

    nights = nightly.trend.nights
    often = tuple(
        replace(each, started_ns=START_NS + n * 600 * 10**9) for n, each in enumerate(nights)
    )
    within = replace(nightly, trend=replace(nightly.trend, nights=often))
    assert f"series, {len(nights)} runs, last run" in told(within)
    assert f"series, {len(nights)} nights, last night" in told(nightly)


def test_of_many_specs_the_index_says_first_which_want_a_look() -> None:
    quiet = Story(60, (), (99, 9), 99, 7)
    moved = Story(60, ((30, 0.12, 1),), (99, 9), 99, 7)
    specs = [year(2, name=f"lab-{n}", story=moved if n == 7 else quiet) for n in range(9)]
    index = read_html(dict(Site(specs).pages())["index.html"])
    assert "1 of 9 specs wants a look." in body(index)
    assert [tile.all("a")[0].text for tile in index.all("li", "tile")][:2] == ["lab-7", "lab-0"]
    places = [
        n.attributes["id"] for n in index.walk() if n.tag == "section" and "id" in n.attributes
    ]
    assert places == ["alerts", "specs", "guide"]


def test_an_improvement_is_not_marked_as_what_got_worse() -> None:
    better = year(4, story=Story(60, ((20, -0.12, 1),), (99, 9), 99, 7))
    (alert,) = better.trend.alerts
    assert alert.state is AlertState.OPEN
    index = read_html(dict(Site([better]).pages())["index.html"])
    (card,) = index.all("article", "alert")
    assert card.attributes["class"] == "alert b-pass"
    assert card.all("span", "badge")[0].text == "improved"
    assert index.all("li", "tile")[0].text.endswith("0 open, 1 improved")


def test_the_index_says_how_many_alerts_it_leaves_out(
    pages: dict[str, str], nightly: SpecTrend
) -> None:
    (alert,) = (a for a in nightly.trend.alerts if a.state is AlertState.OPEN)
    many = tuple(replace(alert, id=f"{n:08x}") for n in range(23))
    site = Site([SpecTrend(replace(nightly.trend, alerts=many))])
    index = read_html(dict(site.pages())["index.html"])
    assert len(index.all("article", "alert")) == 20
    assert "3 more, none more urgent than these, are on the pages of their specs." in body(index)
    assert "more urgent" not in pages["index.html"]


def test_what_recovered_is_on_the_specs_page_only(
    pages: dict[str, str], nightly: SpecTrend
) -> None:
    closed = [a for a in nightly.trend.alerts if a.state is AlertState.RECOVERED]
    assert closed
    assert f"alert-{closed[0].id}" in pages["xfs-nightly/index.html"]
    assert "Recovered with" in body(read_html(pages["xfs-nightly/index.html"]))
    assert "1 that is over" in body(read_html(pages["index.html"]))
    assert closed[0].id not in body(read_html(pages["index.html"]))


def test_the_firmware_change_is_a_marker_with_both_versions(
    pages: dict[str, str], nightly: SpecTrend
) -> None:
    told = body(read_html(pages["xfs-nightly/index.html"]))
    assert "target.scratch.firmware GDC5602Q → GDC5702Q" in told
    case = next(text for name, text in pages.items() if name.startswith("xfs-nightly/case"))
    assert 'class="ln marker"' in case


def test_the_numbers_in_a_chart_are_of_its_own_host() -> None:
    spec = year(1, hosts=("a", "b"), story=Story(30, (), (99, 9), 99, 7))
    ids = {one.host: one.machine_id for one in spec.trend.series}
    markers = tuple(
        Marker(host, ids[host], night, (FactChange("kernel.release", "6.1", new),))
        for host, night, new in (("a", 10, "6.2-a"), ("b", 21, "6.3-b"), ("b", 31, "6.4-b"))
    )
    pages = dict(Site([SpecTrend(replace(spec.trend, markers=markers))]).pages())
    page = read_html(next(text for name, text in pages.items() if "case-" in name))
    cut = " The axis does not begin at 0."
    notes = {
        chart.all("p", "state")[0].text.split()[2]: chart.all("p", "note")[0].text.removesuffix(cut)
        for chart in page.all("div", "one")
    }
    assert notes["a"] == "The host changed. 1: 2025-11-25 kernel.release 6.1 → 6.2-a."
    assert re.fullmatch(
        r"The host changed\. 1: \S+ kernel.release 6.1 → 6.3-b\. 2: \S+ .* → 6.4-b\.", notes["b"]
    )


def test_of_many_changes_of_a_host_the_newest_are_told(nightly: SpecTrend) -> None:
    (firmware,) = nightly.trend.markers
    many = tuple(replace(firmware, night=night) for night in range(200, 220))
    line = replace(nightly.lines[0], markers=many)
    note = nights.figure(line, [n.started_ns // 60_000_000_000 for n in nightly.trend.nights]).note
    assert note.startswith("The host changed; its first 8 changes left out here. 9: 2026-")
    assert ". 20: 2026-" in note


def test_a_broken_night_is_a_gap(nightly: SpecTrend) -> None:
    line = nightly.lines[0]
    points = [(float(i), 0.0) for i in range(len(line.times))]
    parts = list(spark.unbroken(line.times, points))
    assert [len(part) for part in parts] == [77, 287]


def test_levels_lie_between_changes_and_their_band_holds_them(nightly: SpecTrend) -> None:
    moved = next(line for line in nightly.lines if line.moves)
    assert len(moved.segments) == len(moved.moves) + 1
    for one in moved.segments:
        assert one.low <= one.level <= one.high
    assert moved.segments[0].first == 0
    assert moved.segments[-1].last == len(moved.times) - 1
    figure = nights.figure(moved, [n.started_ns // 60_000_000_000 for n in nightly.trend.nights])
    assert figure.table.rows[1][-1].startswith(("+", "−"))


def test_an_accepted_change_is_where_the_level_of_today_begins() -> None:
    story = Story(120, ((60, 0.15, 1),), (500, 1), 500, 20)
    (alert,) = year(2, story=story).trend.alerts
    accepted = new_decision(alert, "xfs-nightly", Action.ACCEPT, at_ns=START_NS + 119 * DAY_NS)
    after = year(2, story=story, decisions=(accepted,))
    line = next(line for line in after.lines if line.series.start)
    assert [move.change.accepted for move in line.moves] == [True]
    old, new = line.segments
    assert new.first == line.series.start
    assert new.level == pytest.approx(line.series.level, rel=0.001)
    assert not old.low <= new.level <= old.high
    figure = nights.figure(line, [n.started_ns // 60_000_000_000 for n in after.trend.nights])
    assert "1 change of level" in figure.svg
    assert len(figure.table.rows) == 2


def test_an_acknowledgement_says_who_why_and_until_when(nightly: SpecTrend) -> None:
    alert = next(a for a in nightly.trend.alerts if a.state is AlertState.OPEN)
    known = Decision(
        alert.id, Action.ACK, "Ann", "waits for <b>6.19</b>", START_NS, "xfs-nightly", "", "",
        0, 0, (), START_NS + 30 * DAY_NS,
    )  # fmt: skip
    noted = replace(alert, decision=known, state=AlertState.ACKNOWLEDGED)
    trend = replace(nightly.trend, alerts=(noted,), accepted=(known,))
    text = dict(Site([SpecTrend(trend)]).pages())["xfs-nightly/index.html"]
    note = read_html(text).all("p", "decision")[0].text
    assert note.startswith("acknowledged by Ann, 2025-11-20")
    assert "until 2025-12-20" in note
    assert "“waits for <b>6.19</b>”" in note


def test_a_host_that_stands_out_is_named(fleet: SpecTrend, pages: dict[str, str]) -> None:
    lines = [line for line in fleet.lines if line.series.metric == "read.iops"]
    found = members([line for line in lines if line.series.case_id == lines[0].series.case_id])
    assert [m.line.series.host for m in found if m.stands_out] == ["lab-3"]
    page = read_html(pages["fleet/fleet.html"])
    first = page.all("section", "group")[0].all("tr")[1]
    assert first.all("th")[0].text == "lab-3"
    assert "stands out" in first.text
    assert re.search(r"−8\.\d % ▼ worse", first.text) or "worse" in first.text


def test_a_host_that_stands_out_is_on_the_index(pages: dict[str, str]) -> None:
    tiles = read_html(pages["index.html"]).all("li", "tile")
    told = {link.text: link.attributes["href"] for tile in tiles for link in tile.all("a", "odd")}
    assert told == {"lab-3 stands out": "fleet/fleet.html"}


def test_how_far_a_host_is_has_an_interval(fleet: SpecTrend, pages: dict[str, str]) -> None:
    lines = [line for line in fleet.lines if line.series.metric == "read.iops"]
    found = members([line for line in lines if line.series.case_id == lines[0].series.case_id])
    assert all(m.sure and m.sure.low < (m.away or 0.0) < m.sure.high for m in found)
    odd = next(m for m in found if m.stands_out)
    assert odd.sure
    assert odd.sure.high < 0 or odd.sure.low > 0
    cells = read_html(pages["fleet/fleet.html"]).all("section", "group")[0].all("td")
    shown = next(cell.text for cell in cells if cell.attributes.get("data-l") == "95 % interval")
    assert re.fullmatch(r"−\d+\.\d % … −\d+\.\d %", shown)


def test_a_host_beside_hosts_that_agree_exactly_stands_out(fleet: SpecTrend) -> None:
    lines = list({line.series.machine_id: line for line in fleet.lines}.values())
    same = [
        replace(
            line,
            series=replace(
                line.series, level=level, values=(level,) * 9, nights=line.series.nights[:9]
            ),
        )
        for line, level in zip(lines, (5.0, 5.0, 5.0, 5.0, 4.0), strict=True)
    ]
    odd = [m for m in members(same) if m.stands_out]
    assert [m.away for m in odd] == [pytest.approx(-0.2)]
    assert odd[0].sure
    assert odd[0].sure.low == odd[0].sure.high == pytest.approx(-0.2)


def test_no_host_is_below_nothing(fleet: SpecTrend) -> None:
    """However far apart hosts are."""
    lines = list({line.series.machine_id: line for line in fleet.lines}.values())
    apart = [
        replace(line, series=replace(line.series, level=level))
        for line, level in zip(lines, (1.0, 30.0, 60.0, 120.0, 250.0), strict=True)
    ]
    found = members(apart)
    assert all(m.sure and -1 <= m.sure.low <= (m.away or 0.0) <= m.sure.high for m in found)
    assert min(m.sure.low for m in found if m.sure) == -1


def test_machines_of_one_name_are_told_apart(fleet: SpecTrend) -> None:
    same = {"lab-1": "debian", "lab-3": "debian"}
    series = tuple(replace(s, host=same.get(s.host, s.host)) for s in fleet.trend.series)
    pages = dict(Site([SpecTrend(replace(fleet.trend, series=series))]).pages())
    page = read_html(pages["fleet/fleet.html"])
    ids = {s.host: s.machine_id[:8] for s in fleet.trend.series}
    twins = [f"debian {ids[host]}" for host in ("lab-1", "lab-3")]
    heads = [head.text for head in page.all("table", "glimpse")[0].all("thead")[0].all("th")]
    assert heads[1:] == sorted([*twins, "lab-0", "lab-2", "lab-4"])
    for row in page.all("table", "glimpse")[0].all("tr")[1:]:
        cells = {cell.attributes["data-l"]: cell.text for cell in row.all("td")}
        assert cells[twins[0]] != cells[twins[1]]
    assert [tile.all("b")[0].text for tile in page.all("li", "tile")] == [twins[1]]


def test_three_hosts_are_too_few_to_tell_one_apart(fleet: SpecTrend) -> None:
    lines = [line for line in fleet.lines if line.series.metric == "read.iops"]
    kept = [line for line in lines if line.series.host in {"lab-1", "lab-2", "lab-3"}]
    assert not any(m.stands_out for m in members(kept))
    few = year(1, name="few", hosts=("a", "b"), odd_host="b", story=Story(30, (), (99, 9), 99, 7))
    page = read_html(dict(Site([few]).pages())["few/fleet.html"])
    assert {one.text for one in page.all("span", "badge")} == {"not told"}


def test_hosts_that_agree_exactly_have_no_outlier(fleet: SpecTrend) -> None:
    same = [replace(line, series=replace(line.series, level=5.0)) for line in fleet.lines[:5]]
    assert not any(m.stands_out for m in members(same))


@pytest.mark.parametrize("text", EVIL, ids=lambda text: ascii(text[:12]))
def test_hostile_text_stays_text_and_in_its_folder(
    nightly: SpecTrend, text: str, tmp_path: Path
) -> None:
    trend = hostile_trend(nightly.trend, text)
    site = Site([SpecTrend(trend), SpecTrend(replace(trend, spec=f"../../{text}"))])
    for name, page in site.pages():
        assert re.fullmatch(r"([a-z0-9-]+/)?[a-z0-9-]+\.html", name)
        tree = read_html(page)
        scripts = [s for s in tree.all("script") if s.attributes.get("type") != "application/json"]
        assert not any("alert(1)" in s.text for s in scripts)
        assert {"img", "b"}.isdisjoint(
            {n.tag for n in tree.walk() if "onmouseover" in n.attributes}
        )
        for node in tree.walk():
            assert not any(key.startswith("on") for key in node.attributes)
    write_site(tmp_path / "in" / "site", site.pages())
    assert {p.name for p in (tmp_path / "in").iterdir()} == {"site"}


def test_pages_are_written_once_and_removed_when_gone(nightly: SpecTrend, tmp_path: Path) -> None:
    site = tmp_path / "site"
    first = write_site(site, Site([nightly]).pages())
    assert first.written == 6
    (site / "xfs-nightly" / "notes.html").write_text("mine")
    assert write_site(site, Site([nightly]).pages()).written == 0
    fewer = replace(nightly.trend, series=nightly.trend.series[:2], alerts=())
    again = write_site(site, Site([SpecTrend(fewer)]).pages())
    assert again.removed == 3
    assert (site / "xfs-nightly" / "notes.html").read_text() == "mine"
    assert not list(site.rglob("*.partial"))


def test_a_folder_of_others_is_refused_and_left_as_it_is(
    nightly: SpecTrend, tmp_path: Path
) -> None:
    mine = tmp_path / "index.html"
    mine.write_text("mine")
    with pytest.raises(UsageError, match="holds files") as error:
        write_site(tmp_path, Site([nightly]).pages())
    assert "folder" in error.value.remedy
    assert [(path, path.read_text()) for path in tmp_path.iterdir()] == [(mine, "mine")]


@pytest.mark.parametrize("name", ["xfs-nightly/index.html", "xfs-nightly"])
def test_a_file_of_others_in_a_site_is_not_overwritten(
    nightly: SpecTrend, tmp_path: Path, name: str
) -> None:
    write_site(tmp_path, Site([]).pages())
    mine = tmp_path / name
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")
    with pytest.raises(UsageError, match="did not write it"):
        write_site(tmp_path, Site([nightly]).pages())
    assert mine.read_text() == "mine"


def test_a_call_that_was_killed_is_taken_up_by_the_next(nightly: SpecTrend, tmp_path: Path) -> None:
    def killed() -> Iterator[tuple[str, str]]:
        pages = Site([nightly]).pages()
        yield next(pages)
        yield next(pages)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_site(tmp_path, killed())
    assert (tmp_path / "xfs-nightly" / "index.html").exists()
    assert write_site(tmp_path, Site([nightly]).pages()).written == 4


def test_folders_of_specs_that_are_no_more_are_removed(
    nightly: SpecTrend, fleet: SpecTrend, tmp_path: Path
) -> None:
    write_site(tmp_path, Site([nightly, fleet]).pages())
    write_site(tmp_path, Site([nightly]).pages())
    assert not (tmp_path / "fleet").exists()
    assert (tmp_path / "xfs-nightly").is_dir()


def test_a_night_with_one_value_has_an_axis(nightly: SpecTrend) -> None:
    one = nightly.trend.series[0]
    single = replace(one, nights=one.nights[:1], values=(5.0,), lows=(), highs=(), counts=())
    trend = replace(nightly.trend, series=(single,), alerts=())
    assert SpecTrend(trend).lines[0].ends == (5.0, 5.0)


def test_a_page_that_cannot_be_made_is_told_and_stays_as_it_was(
    nightly: SpecTrend, fleet: SpecTrend, tmp_path: Path
) -> None:
    write_site(tmp_path, Site([nightly, fleet]).pages())
    before = (tmp_path / "xfs-nightly" / "index.html").read_text()
    broken = SpecTrend(replace(nightly.trend, accepted=(None,)))  # type: ignore[arg-type]
    faults: dict[str, Exception] = {}
    done = write_site(tmp_path, Site([broken, fleet], faults.__setitem__).pages(), faults)
    assert list(faults) == ["xfs-nightly/index.html"]
    assert (done.written, done.removed) == (0, 0)
    assert (tmp_path / "xfs-nightly" / "index.html").read_text() == before
    assert write_site(tmp_path, Site([nightly, fleet]).pages()).kept == done.kept + 1


def test_a_list_that_was_tampered_with_removes_nothing_outside(
    nightly: SpecTrend, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    outside = tmp_path / "outside.html"
    outside.write_text("mine")
    (site / ".iogate-site").write_text(f"../outside.html\n{outside}\n\x00\n.html\n")
    write_site(site, Site([nightly]).pages())
    assert outside.read_text() == "mine"


@given(st.lists(st.lists(st.integers(-(10**15), 10**15), max_size=40), max_size=5))
def test_what_is_packed_comes_back(columns: list[list[int]]) -> None:
    assert unpacked(packed(columns), [len(c) for c in columns]) == columns


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=40))
def test_packed_values_keep_five_digits_of_the_largest(values: list[float]) -> None:
    unit = unit_of(values)
    largest = max(abs(v) for v in values)
    for value, back in zip(values, whole(values, unit), strict=True):
        assert abs(back * unit - value) <= max(largest * 5e-5, 1.0 if largest < 1e-290 else 0.0)


def test_the_payload_cannot_leave_its_element(nightly: SpecTrend) -> None:
    trend = hostile_trend(nightly.trend, EVIL[0])
    text = next(t for n, t in Site([SpecTrend(trend)]).pages() if "case-" in n)
    (data,) = (s for s in read_html(text).all("script") if s.attributes.get("id") == "payload")
    document = json.loads(data.text)
    assert document["series"][0]["name"] == EVIL[0]


@given(st.text(max_size=80))
def test_a_file_name_is_plain(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]*", file_name(text))


def test_names_that_look_alike_get_files_of_their_own() -> None:
    """And keep them, whatever specs there are besides."""
    names = [file_name(text) for text in ("a b", "a-b", "a_b", "A-B", "index")]
    assert len(set(names)) == len(names)
    assert file_name("a b") == "a-b-c8687a08aa5d6ed2"


def test_a_name_cannot_be_that_of_another_ones_page() -> None:
    """Whoever names a spec would put its page in the place of that one's."""
    for text in ("a b", "Gate", "runs", "\u00e4"):
        page = file_name(text)
        assert file_name(page) != page
        assert len({file_name(page), page, file_name(file_name(page))}) == 3


def test_one_night_is_enough() -> None:
    short = year(1, story=Story(1, (), (9, 9), 9, 5))
    pages = dict(Site([short]).pages())
    assert "too short" in pages["index.html"]


def tile_badge(trend: SpecTrend) -> tuple[str, str]:
    """The style and the word of the only spec's badge on the index."""
    index = read_html(dict(Site([trend]).pages())["index.html"])
    (badge,) = (node for node in index.all("li", "tile")[0].walk() if "badge" in node.classes)
    return badge.classes[-1], badge.text


def test_the_index_is_green_only_where_something_is_vouched_for(nightly: SpecTrend) -> None:
    alerts = nightly.trend.alerts
    suspects = tuple(replace(alert, state=AlertState.SUSPECT) for alert in alerts[:2])
    closed = tuple(replace(alert, state=AlertState.RECOVERED) for alert in alerts)
    assert tile_badge(nightly) == ("b-fail", "1 open")
    told = tile_badge(SpecTrend(replace(nightly.trend, alerts=suspects)))
    assert told == ("b-inconclusive", f"{len(suspects)} suspects")
    assert tile_badge(SpecTrend(replace(nightly.trend, alerts=closed))) == ("b-pass", "0 open")


@pytest.mark.parametrize(
    ("ended", "badge"),
    [
        ("fail", ("b-fail", "last run failed")),
        ("failed", ("b-error", "last run not measured")),
        ("inconclusive", ("b-inconclusive", "last run inconclusive")),
        ("warn", ("b-warn", "last run with a warning")),
        ("not judged", ("b-missing", "last run judged nothing")),
        ("partly judged", ("b-missing", "last run judged in part")),
        ("pass", ("b-pass", "0 open")),
    ],
)
def test_the_index_knows_how_the_last_run_ended(
    nightly: SpecTrend, ended: str, badge: tuple[str, str]
) -> None:
    *before, last = nightly.trend.nights
    calm = replace(nightly.trend, alerts=(), nights=(*before, replace(last, ended=ended)))
    assert tile_badge(SpecTrend(calm)) == badge
    pages = dict(Site([SpecTrend(calm)]).pages())
    assert (f"But look at {nightly.name} ({badge[1]})." in pages["index.html"]) == (ended != "pass")
    (spec,) = (text for name, text in pages.items() if name.endswith("/index.html"))
    assert (f" UTC; {badge[1]}." in spec) == (ended != "pass")
    healed = (*before[:-1], replace(before[-1], ended=ended), last)
    assert tile_badge(SpecTrend(replace(calm, nights=healed)))[1] == "0 open"


def test_series_that_are_too_short_are_no_good_news() -> None:
    failed = year(1, story=Story(1, (), (9, 9), 9, 5)).trend
    failed = replace(failed, nights=(replace(failed.nights[0], ended="fail"),))
    assert tile_badge(SpecTrend(failed)) == ("b-fail", "last run failed")
    short = year(1, story=Story(1, (), (9, 9), 9, 5))
    style, word = tile_badge(short)
    assert style == "b-short"
    assert "too short" in word
    index = dict(Site([short]).pages())["index.html"]
    assert "Nothing can be told yet" in index
    assert "every level is where it was" not in index
