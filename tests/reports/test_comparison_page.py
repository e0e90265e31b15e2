"""The page of a comparison: two arms apart, block by block, and the noise of the host."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from iogate.model.comparison import Arm, Part
from iogate.model.run import Run
from iogate.model.units import Unit, format_value
from iogate.model.verdict import HostNoise, Interval, Look, NoiseSource, Outcome, Visible
from iogate.stats.robust import median
from iogate_reports import render_comment, render_junit, render_report, render_summary
from iogate_reports.charts import blocks
from iogate_reports.commands import commands
from iogate_reports.data import Page
from iogate_reports.limit_rows import rows
from support.compared_runs import LIMITS, ROUNDS, compared
from support.golden import golden
from support.html_tree import Node, read_html
from support.report_runs import limit


@pytest.fixture(scope="module")
def page(slower: Run) -> Node:
    return read_html(render_report(slower))


def test_the_arms_are_two_sides_and_never_one_heap(slower: Run) -> None:
    (one,) = Page(slower).cases
    assert {m.arm for m in one.measurements} == {"deep"}
    assert {m.arm for m in one.baseline} == {"spec"}
    assert len(one.measurements) == len(one.baseline) == ROUNDS


def test_the_first_screen_says_what_the_arms_are(page: Node) -> None:
    facts = page.all("dl", "facts")[0].text
    assert "deep against spec, in one run, block by block" in facts
    assert "nothing earlier" not in facts
    changes = page.all("section", "changes")[0]
    assert "What differs between the arms" in changes.text
    rows_shown = [
        [cell.text for cell in row.walk() if cell.tag in ("th", "td")] for row in changes.all("tr")
    ]
    assert ["iodepth", "as the spec says", "64"] in rows_shown
    assert ["engine", "as the spec says", "/opt/iogate-engine"] in rows_shown


def test_what_each_arm_ran_on_is_told_of_both(slower: Run) -> None:
    found: dict[str, str | int | float | bool] = {
        "kernel.release": "6.17.8",
        "candidate.kernel.release": "6.18.0-rc3",
        "kernel.tainted": 0,
        "candidate.kernel.tainted": 0,
    }
    run = replace(slower, environment=found)
    page = read_html(render_report(run))
    assert "6.18.0-rc3 against 6.17.8" in page.all("dl", "facts")[0].text
    assert "**Kernel** 6.18.0-rc3 against 6.17.8" in render_summary(run)
    differ = page.all("section", "changes")[0].text
    assert "kernel.release" in differ
    assert "kernel.tainted" not in differ, "the same in both"


def test_the_values_of_arms_are_called_no_medians_in_any_output(slower: Run) -> None:
    heads = [node.text for node in read_html(render_report(slower)).all("th")]
    assert "median" not in heads[: heads.index("n")]
    assert "| limit | deep | spec | change |" in render_summary(slower)
    assert "\ndeep " in render_junit(slower)
    assert "\nmedian" not in render_junit(slower)


def test_an_undecided_comparison_says_how_to_go_on_and_which_try_it_was() -> None:
    near = compared(0.03)
    assert near.verdict is not None
    assert near.verdict.sentence_parts is not None
    assert near.verdict.thresholds[0].outcome is Outcome.INCONCLUSIVE
    told = near.verdict.sentence_parts.and_remark("comparison 2 of these arms")
    near = replace(near, verdict=near.verdict.because(told))
    for text in (read_html(render_report(near)).text, render_summary(near), render_comment(near)):
        assert "Comparison 2 of these arms." in text
        assert f"iogate ab --more {near.id[:12]}" in text


@pytest.mark.parametrize("by", [0.0, 0.03, 0.12])
def test_a_page_has_one_kind_of_minus_sign_for_changes(by: float) -> None:
    found = compared(by)
    for text in (read_html(render_report(found)).text, render_summary(found)):
        assert "−" in text
        assert re.search(r"(?<![\w.-])-[\d.]+ %", text) is None


def test_what_went_on_is_not_measured_again_by_its_own_command(slower: Run) -> None:
    rule = slower.plan.comparison
    assert rule is not None
    more = replace(rule, parts=(Part("run-0", 1, 3),))
    run = replace(slower, plan=replace(slower.plan, comparison=more))
    assert [label for label, _ in commands(slower)] == ["Measure again"]
    assert [label for label, _ in commands(run)] == ["Measured with"]


def test_the_page_says_what_decided_and_at_which_level(slower: Run, page: Node) -> None:
    assert slower.verdict is not None
    made = slower.verdict.thresholds[0].decision
    assert made is not None
    assert made.level is not None
    told = f"past the limit, decided at block {made.block} (level {made.level * 100:.2g} %)"
    assert told in page.text
    assert "holds at all looks together" in page.text


def test_charts_call_the_arms_by_their_names(page: Node) -> None:
    legends = [[li.text for li in figure.all("li")] for figure in page.all("figure")]
    assert ["deep", "spec", "95 % CI over repetitions"] in legends
    assert not any("baseline" in key for keys in legends for key in keys if "limit" not in key)


def test_each_limit_has_its_blocks_its_end_and_the_order(page: Node) -> None:
    section = next(s for s in page.all("section") if s.attributes.get("id") == "comparison")
    (row,) = [r for r in section.all("tr") if r.all("td")]
    assert "6 blocks of at most 6" in section.text
    assert "Seed 7" in section.text
    assert "decided at block" in row.text
    assert "▼ worse" in row.text
    assert "ABABAB" in row.text, "which arm ran first in each block"


def test_a_pass_that_is_no_proof_says_what_the_blocks_see() -> None:
    same = compared(0.0)
    assert same.verdict is not None
    first, *others = same.verdict.thresholds
    assert first.outcome is Outcome.PASS
    for around, told in (((-0.05, 0.02), True), ((-0.02, 0.02), False)):
        wide = replace(first, change_interval=Interval(*around, 0.875), visible_change=0.11)
        run = replace(same, verdict=replace(same.verdict, thresholds=(wide, *others)))
        for text in (read_html(render_report(run)).text, render_summary(run)):
            assert ("no regression found; 6 blocks would detect −9.9 %" in text) is told


def test_an_absolute_limit_beside_a_relative_one_shows_no_base_of_its_own() -> None:
    """The relative one has the arms in the middle of their blocks, this one the median."""
    run = compared(0.12, limits=(*LIMITS, limit("write.iops > 1", 1.0)))
    assert run.verdict is not None
    relative, _, absolute = run.verdict.thresholds
    assert absolute.value not in (None, relative.value)
    assert absolute.baseline is None
    shown = {row.limit: row for row in rows(Page(run))}
    assert (shown["> 1"].baseline, shown["> 1"].change) == ("–", None)
    assert shown["vs baseline > -3%"].baseline == format_value(relative.baseline, relative.unit)
    row = next(line for line in render_summary(run).splitlines() if "| &#62; 1 |" in line)
    assert row.split(" | ")[5:7] == ["–", "–"]
    suite = ET.fromstring(render_junit(run))
    test = suite.find(".//testcase[@name='oltp-write/bs=4k,iodepth=32: write.iops > 1']")
    assert test is not None
    assert "spec –, change –" in "".join(test.itertext())


@pytest.mark.parametrize("per_boot", [1, 2])
def test_an_absolute_limit_alone_shows_what_the_base_measured(per_boot: int) -> None:
    run = compared(0.12, per_boot=per_boot)
    assert run.verdict is not None
    (row,) = (row for row in rows(Page(run)) if row.limit == "< 2ms")
    seen = next(o for o in run.verdict.observations if o.metric == row.metric)
    assert row.baseline == format_value(median(seen.baseline_samples), seen.unit)


def test_raw_results_are_told_apart_by_arm_and_block(slower: Run) -> None:
    (meta,) = read_html(render_report(slower)).all("p", "meta")
    assert meta.text.endswith("raw results of spec 1 2 3 4 5 6, of deep 1 2 3 4 5 6")
    several = read_html(render_report(compared(0.0, per_boot=2))).all("p", "meta")[0].text
    assert "of spec 1.1 1.2 2.1" in several


def test_words_mean_what_a_comparison_proves(page: Node) -> None:
    tiles = page.all("ul", "tiles")[0].text
    assert "holds, or no regression found" in tiles
    assert "cannot be decided from these blocks" in tiles
    guide = next(s for s in page.all("section") if s.attributes.get("id") == "guide").text
    assert "Of a hundred comparisons without any change, one fails all the same" in guide
    assert "The baseline is the other arm" in guide
    assert "accepted runs of the same case on the same host, at most" not in guide


def test_a_comparison_is_drawn_block_by_block(slower: Run, page: Node) -> None:
    titles = [figure.all("figcaption")[0].text for figure in page.all("figure")]
    assert "write.iops block by block" in titles
    assert "write.iops by repetition" not in titles, "the blocks show it"
    (one,) = blocks.blocks(Page(slower).cases[0])
    assert [block.number for block in one.blocks] == [1, 2, 3, 4, 5, 6]
    assert [block.base_first for block in one.blocks] == [True, False] * 3
    assert all(-0.2 < block.change < 0 for block in one.blocks)
    assert one.looks
    figure = next(f for f in page.all("figure") if "block by block" in f.text)
    table = figure.all("table")[0]
    assert [cell.text for cell in table.all("th")[:5]] == [
        "block", "ran first", "spec", "deep", "change",
    ]  # fmt: skip


def test_a_block_without_a_ratio_leaves_the_order_unknown(slower: Run) -> None:
    assert slower.verdict is not None
    first, *others = slower.verdict.thresholds
    short = replace(first, samples=first.samples[:-1], baseline_samples=first.baseline_samples[:-1])
    less = replace(slower, verdict=replace(slower.verdict, thresholds=(short, *others)))
    (one,) = blocks.blocks(Page(less).cases[0])
    assert {block.base_first for block in one.blocks} == {None}


def test_a_canary_says_what_it_is() -> None:
    text = read_html(render_report(compared(0.0, arms=(Arm("A"), Arm("B")), canary=True))).text
    assert "This is a canary" in text
    assert "what differs is the noise of this host" in text
    assert "Nothing: both arms run the spec as it is written" in text


def test_the_noise_of_the_host_and_what_a_plan_sees(slower: Run) -> None:
    assert slower.verdict is not None
    (one,) = slower.plan.cases
    seen = (Visible(6, None), Visible(10, -0.031), Visible(20, -0.019))
    noise = HostNoise(
        one.id, "write.iops", 0.0213, 12, NoiseSource.CANARY, "r", slower.started_ns, seen, 11
    )
    told = replace(slower, verdict=replace(slower.verdict, noise=(noise,)))
    section = next(
        s
        for s in read_html(render_report(told)).all("section")
        if s.attributes.get("id") == "noise"
    )
    row = section.all("tr")[1].text
    for text in ("2.1 %", "12 runs, canary", "−3.1 %", "−1.9 %", "11 blocks"):
        assert text in row
    assert "10 blocks detect" in section.text
    assert noises(slower) == []


def noises(of: Run) -> list[Node]:
    page = read_html(render_report(of))
    return [s for s in page.all("section") if s.attributes.get("id") == "noise"]


def test_blocks_golden() -> None:
    looks = (
        Look(4, -0.05, -0.11, None, -0.03),
        Look(5, -0.06, -0.10, -0.07, -0.03),
        Look(6, -0.07, -0.09, -0.06, -0.03),
    )
    values = [
        (100e3, 96e3),
        (101e3, 93e3),
        (99e3, 94e3),
        (100e3, 92e3),
        (98e3, 91e3),
        (100e3, 93e3),
    ]
    made = tuple(blocks.Block(n, *pair, n % 2 == 1) for n, pair in enumerate(values, 1))
    one = blocks.Blocks(
        "write.iops", Unit.PER_SECOND, made, -0.03, "> -3%", -0.068,
        Interval(-0.08, -0.05, 0.95), looks, 6,
    )  # fmt: skip
    golden("blocks", blocks.draw("write.iops block by block", "six blocks", one))
    plain = blocks.draw("x", "no looks", replace(one, looks=(), decided_at=0))
    assert "decided" not in plain
    assert 'class="ribbon s0"' in plain, "the interval in their place"


def test_the_chart_says_why_a_mean_past_the_line_did_not_fail() -> None:
    """Its runs look like two states: Student's t alone does not fail them."""
    held = compared(0.08, seed=5)
    assert held.verdict is not None
    assert held.verdict.thresholds[0].outcome is Outcome.INCONCLUSIVE
    figure = next(f for f in read_html(render_report(held)).all("figure") if "by block" in f.text)
    assert "beyond it the limit fails, if ranks and states of the runs agree" in figure.text
    told = (
        "it did not fail: the runs are in two states, and which of them each was in may be chance"
    )
    assert told in figure.text
    assert "did not fail" not in read_html(render_report(compared(0.12))).text
    first, *others = held.verdict.thresholds
    looks = tuple(replace(look, held_by=()) for look in first.looks)
    old = replace(held.verdict, thresholds=(replace(first, looks=looks), *others))
    told = "it did not fail: this record, of an earlier version, does not say why"
    assert told in read_html(render_report(replace(held, verdict=old))).text


def test_one_wild_bound_does_not_flatten_the_changes() -> None:
    made = tuple(blocks.Block(n, 100.0, 101.0, None) for n in range(1, 5))
    wild = Look(4, 0.01, 40.0, 50.0, 0.03)
    one = blocks.Blocks("x", Unit.COUNT, made, 0.05, "< +5%", 0.01, None, (wild,))
    picture = ET.fromstring(blocks.draw("x", "wild", one))
    labels = [t.text or "" for t in picture.iter("text")]
    assert not any("00 %" in label for label in labels)


def test_every_repetition_of_a_boot_is_shown() -> None:
    arms = Arm("old", kernel="6.1"), Arm("new", kernel="6.12")
    run = compared(0.1, arms=arms, per_boot=3)
    page = read_html(render_report(run))
    assert "measures each case 3 times in a boot" in page.text
    figures = {f.all("figcaption")[0].text: f for f in page.all("figure")}
    drawn = figures["write.iops block by block"]
    (one,) = blocks.blocks(Page(run).cases[0])
    assert [block.number for block in one.blocks] == [1, 2, 3, 4, 5, 6]
    row = [cell.text for cell in _rows(drawn)[1].all("td")]
    assert row[1].count(",") == row[2].count(",") == 2, "a mean, and its three repetitions"
    assert row[1].count("k/s") == 2, "their unit stands once"
    assert "Each is the mean of a boot" in drawn.text
    assert run.verdict
    sds = run.verdict.thresholds[0].boot_sd, run.verdict.thresholds[0].repetition_sd
    told = "Boots of an arm differ by {:.2g} %, repetitions of a boot by {:.2g} %"
    assert told.format(*(100 * (sd or 0.0) for sd in sds)) in drawn.text
    names = [row.all("th")[0].text for row in _rows(figures["Write IOPS over time"])]
    assert names[-3:] == ["6.1", "6.2", "6.3"]
    assert "95 % CI over boots" in figures["Write latency percentiles"].text
    judged = figures["write.clat.p99 by block"]
    assert [row.all("th")[0].text for row in _rows(judged)][:6] == [
        f"block {n}" for n in range(1, 7)
    ]
    assert _rows(judged)[0].all("td")[0].text.count(",") == 2


def _rows(figure: Node) -> list[Node]:
    return [row for row in figure.all("tr") if row.all("td")]
