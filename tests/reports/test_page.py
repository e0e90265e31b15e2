"""The page says what the run found, and nothing leaves it."""

from __future__ import annotations

import base64
import hashlib
import random
import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from iogate.environments import SetAside, why_fewer
from iogate.gate.judge import judge
from iogate.model.measurement import Disturbance, KernelTrouble, Measurement
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.model.trend import FactChange
from iogate.model.verdict import BaselineUse
from iogate_reports import render_report, validity
from iogate_reports.facts import with_unit
from support import samples
from support.html_tree import Node, read_html
from support.report_runs import (
    ENVIRONMENT,
    Pace,
    case,
    failed_run,
    former,
    limit,
    measurement,
    plan,
    run,
)

Regressed = tuple[Run, tuple[Run, ...]]


def body(page: Node) -> str:
    return " ".join(page.all("body")[0].text.split())


def test_the_headline_is_the_verdict_with_its_cause(regressed: Regressed) -> None:
    now, before = regressed
    page = read_html(render_report(now, before))
    headline = page.all("h1")[0].text
    assert now.verdict is not None
    assert re.fullmatch(
        r"write\.\S+ of oltp-write/bs=4k,iodepth=32 is [+−]\d+\.\d % [▲▼] worse; the limit is .*",
        headline,
    )
    lead = page.all("p", "lead")[0].text
    assert re.search(r"\d.* → \d.* 95 % CI .*, n = 3 vs 60\. Of 16 limits: \d+ failed", lead)
    band = page.all("div", "band")[0]
    assert "b-fail" in band.classes
    assert "fail" in band.text, "the word stands beside the colour"
    assert band.all("use")[0].attributes["href"] == "#i-fail"
    assert page.all("title")[0].text.startswith("fail: xfs-gate")


def test_the_first_screen_says_what_becomes_of_the_build(
    regressed: Regressed, first_run: Run
) -> None:
    kickers = [
        read_html(render_report(run)).all("p", "kicker")[0].text
        for run in (regressed[0], first_run)
    ]
    assert kickers[0].startswith("fail the build stops (exit code 1)")
    assert kickers[1].startswith("warn the build goes on (exit code 0)")


def test_a_run_without_a_baseline_says_so_first(first_run: Run) -> None:
    page = read_html(render_report(first_run))
    headline, lead = page.all("h1")[0].text, page.all("p", "lead")[0].text
    assert headline == "12 of 16 limits cannot be judged yet: no baseline"
    assert lead.startswith("No samples to compare with, 3 needed (baseline.min_samples)")
    assert lead.endswith("Runs that are accepted from now on become the baseline.")
    assert not page.all("tr", "why"), "the lead says it, and each row how many samples it lacks"
    assert page.text.count("0 of 3 samples needed") == 12


def test_a_run_that_passes_says_what_moved_most() -> None:
    moved = passed_lead({"w/a": 1.001, "w/b": 0.9, "w/c": 1.3})
    assert moved.startswith(
        "Largest change: write.iops of w/b −10.0 % ▼ worse, 20 k/s → 18 k/s, 95 %"
    )
    assert moved.endswith("n = 3 vs 9")
    assert passed_lead({"w/a": 1.3}).startswith(
        "Largest change: write.iops of w/a +30.0 % ▲ better"
    )
    assert passed_lead({"w/a": 1.001}) == "No change is statistically clear"


def passed_lead(factors: Mapping[str, float]) -> str:
    """Below the headline, where each case has so many times the IOPS of its baseline."""
    wide = [limit("write.iops vs baseline > -50%", -0.5)]
    cases = [case(name, wide) for name in factors]

    def measured(spread: float, *factors: float) -> list[Measurement]:
        return [
            found
            for one, factor in zip(cases, factors, strict=True)
            for found in samples.repetitions(
                [20e3 * factor * (1 + spread * n) for n in (-1, 0, 1)], case_id=one.id
            )
        ]

    now = run(plan(cases), measured(0.004, *factors.values()), judged=False)
    same = (1.0,) * len(cases)
    before = [former(now, measured(0.005 + n / 1000, *same), n) for n in (1, 2, 3)]
    page = read_html(render_report(run(now.plan, now.measurements, baseline=before), before))
    return page.all("p", "lead")[0].text.strip()


def test_the_first_screen_counts_every_outcome(regressed: Regressed) -> None:
    now, before = regressed
    assert now.verdict is not None
    tiles = {
        tile.all("span")[0].text: int(tile.all("b")[0].text)
        for tile in read_html(render_report(now, before)).all("li", "tile")
    }
    assert set(tiles) == {"fail", "inconclusive", "no baseline", "warn", "pass"}
    assert sum(tiles.values()) == len(now.verdict.thresholds)
    assert "limit failed" in read_html(render_report(now, before)).text
    assert tiles["fail"] >= 2


def test_failures_come_first_and_rows_hold_all_numbers(regressed: Regressed) -> None:
    now, before = regressed
    table = read_html(render_report(now, before)).all("table", "results")[0]
    rows = [r for r in table.all("tr") if r.all("th") and not r.all("thead") and r.all("td")]
    words = [row.all("td")[0].text for row in rows]
    order = ["fail", "inconclusive", "no baseline", "warn", "pass"]
    assert words == sorted(words, key=order.index)
    worst = rows[0].text
    assert re.search(r"[+−]\d+\.\d % [▲▼] worse", worst)
    assert "95 % CI" in worst
    assert "3 vs 60" in worst
    assert "gate.yaml:" in worst
    assert len(rows[0].all("svg", "bar")[0].all("path")) == 3, "the interval is drawn, too"


def test_only_what_differs_in_the_environment_is_shown(regressed: Regressed) -> None:
    now, before = regressed
    changes = read_html(render_report(now, before)).all("section", "changes")[0]
    names = [cell.text for cell in changes.all("th") if cell.attributes["scope"] == "row"]
    assert names == ["kernel.release", "target.scratch.scheduler"]
    assert "mq-deadline" in changes.text
    same = tuple(
        replace(old, environment={**ENVIRONMENT, "load.average_1m": 3.0}) for old in before
    )
    calm = read_html(render_report(now, same)).all("section", "changes")[0]
    assert "Nothing differs" in calm.text, "the load is another number each time"


def test_facts_have_their_units(regressed: Regressed) -> None:
    now, _ = regressed
    more = {**ENVIRONMENT, "vm.dirty_bytes": 0, "x_khz": 2_400_000, "a.ratio_of": 3, "f_ms": True}
    page = read_html(render_report(replace(now, environment=more)))
    table = page.all("table", "facts-table")[0]
    rows = {row.all("th")[0].text: row.all("td")[0].text for row in table.all("tr")}
    assert rows["engine"] == "iogate-engine 0.1.0, clock tsc ±0.3 ppm at most"
    told = {n: with_unit(n, v) for n, v in more.items()}
    assert told["memory.total_bytes"] == "128 GiB (137,438,953,472 B)"
    assert told["vm.dirty_ratio"] == "20 %"
    assert told["vm.dirty_bytes"] == "0 B"
    assert told["x_khz"] == "2400000 kHz"
    assert told["a.ratio_of"] == "3"
    assert told["f_ms"] == "yes"


def test_one_metric_has_one_word_whatever_its_limits(regressed: Regressed) -> None:
    now, before = regressed
    rows = read_html(render_report(now, before)).all("table", "results")[0].all("tr")
    told: dict[str, set[str]] = {}
    for row in rows:
        for delta in (b for cell in row.all("td")[4:5] for b in cell.all("b")):
            told.setdefault(row.all("th")[0].text, set()).add(delta.text)
    assert len(told) == 12
    assert all(len(words) == 1 for words in told.values())


def test_noise_is_not_called_better_or_worse(regressed: Regressed) -> None:
    now, before = regressed
    page = read_html(render_report(now, before))
    fold = next(
        d.all("details", "metrics")[0]
        for d in page.all("details", "case")
        if d.all("h3")[0].text == "oltp-write/bs=16k,iodepth=1"
    )
    words = {row.all("th")[0].text: row.all("td")[-1].text for row in fold.all("tr")[1:]}
    assert words["write.clat.p50"].endswith(("unclear", "same"))


def test_without_a_baseline_the_page_says_so(first_run: Run) -> None:
    page = read_html(render_report(first_run))
    assert "no baseline run to compare" in body(page)
    results = page.all("table", "results")[0]
    assert "no baseline" in results.text
    assert "0 of 3 samples" in results.text
    assert "distance from the limit itself" in body(page)


def test_a_baseline_that_the_history_lacks_is_counted(regressed: Regressed) -> None:
    now, before = regressed
    assert now.verdict is not None
    use = BaselineUse(tuple(run.id for run in before))
    now = replace(now, verdict=replace(now.verdict, baseline=use))
    pages = [body(read_html(render_report(now, before[:n]))) for n in (20, 18, 0)]
    assert "in this history" not in pages[0]
    assert "Baseline20 runs, newest " in pages[1]
    assert ", 2 not in this history" in pages[1]
    assert "Baseline20 runs, not in this history" in pages[2]


def test_cases_that_only_the_baseline_has_are_named(regressed: Regressed) -> None:
    now, before = regressed
    gone = [case(f"gone/bs={n}k") for n in (1, 2, 3, 4, 5)]
    renamed = replace(now.plan.cases[0], aka=("gone/bs=5k",))
    fewer = replace(now, plan=replace(now.plan, cases=(renamed, *now.plan.cases[1:])))
    old = replace(before[0], plan=replace(now.plan, cases=(*now.plan.cases, *gone)))
    facts = read_html(render_report(fewer, (old, *before[1:]))).all("dl", "facts")[0].text
    told = "4 cases that the baseline has: gone/bs=1k, gone/bs=2k, gone/bs=3k, gone/bs=4k"
    assert f"Missing{told}" in facts
    assert "Missing" not in read_html(render_report(now, before)).all("dl", "facts")[0].text


def test_a_limit_without_a_baseline_says_why(first_run: Run) -> None:
    aside = [SetAside("old", (FactChange("kernel.release", "6.1", "6.6"),))] * 7
    why = why_fewer(aside, BaselineUse())
    judged = judge(first_run.plan, first_run.measurements, (), (), why_fewer=why)
    told = replace(first_run, verdict=judged)
    page = read_html(render_report(told))
    reasons = {row.text.strip() for row in page.all("tr", "why")}
    (reason,) = (text for text in reasons if "kernel.release was 6.1 and is 6.6" in text)
    assert reason.startswith("No samples to compare with, 3 needed")
    assert "none that may be compared" in page.all("dl", "facts")[0].text
    assert "nothing earlier" not in body(page)


def test_a_verdict_that_claims_no_confidence_is_marked_as_a_point() -> None:
    limits = (limit("write.iops > 300", 300.0), limit("write.iops vs baseline > -3%", -0.03))
    one = case(thresholds=limits)

    def judged(count: int, before: int) -> list[str]:
        now = run(
            plan([one]),
            samples.repetitions([100 + n % 2 for n in range(count)], case_id=one.id),
            judged=False,
        )
        old = [former(now, now.measurements, day) for day in range(1, before + 1)]
        page = read_html(render_report(run(now.plan, now.measurements, baseline=old), old))
        return [row.text for row in page.all("table", "results")[0].all("tr") if row.all("b")]

    values, runs = judged(3, 3)
    assert "fail" in values
    assert "a point estimate: too few values for 95 % confidence" in values
    assert "a point estimate: too few runs to know how they vary" in runs
    assert not any("a point" in text for text in judged(5, 5))


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ((float("nan"), 5000.0, float("nan")), "2 of 3 repetitions gave no finite value"),
        ((float("nan"),) * 3, "No value in any of 3 repetitions"),
    ],
)
def test_an_inconclusive_limit_that_its_numbers_do_not_explain_says_why(
    values: tuple[float, ...], told: str
) -> None:
    one = case(thresholds=[limit("write.iops > 1k", 1000.0)])
    page = read_html(render_report(run(plan([one]), samples.repetitions(values, case_id=one.id))))
    assert page.all("h1")[0].text == f"write.iops of {one.name} is inconclusive"
    assert told in page.all("p", "lead")[0].text
    assert one.name not in page.all("tr", "why")[0].text, "the row names it"


def test_the_headline_is_of_the_limit_that_the_verdict_names() -> None:
    limits = (limit("write.iops > 120", 120.0), limit("write.iops > 1k", 1000.0))
    one = case(thresholds=limits)
    shown = run(plan([one]), samples.repetitions([100.0, 101.0, 99.0], case_id=one.id))
    assert shown.verdict
    assert "limit > 1k" in shown.verdict.sentence
    page = read_html(render_report(shown))
    assert page.all("h1")[0].text.endswith("; the limit is > 1k")


def test_a_name_cannot_be_taken_for_a_part_of_the_reason() -> None:
    """Names of cases come from specs: one may hold what stands between the parts of a sentence."""
    limits = (limit("write.iops vs baseline > -3%", -0.03), limit("write.iops > 1k", 1000.0))
    one = case("oltp/bs=4k; limit vs baseline > -3%: a", thresholds=limits)
    held = samples.repetitions([5000.0] * 3, case_id=one.id)
    page = read_html(render_report(run(plan([one]), held)))
    assert page.all("p", "lead")[0].text.startswith("No samples to compare with, ")


def test_a_case_shows_its_charts_numbers_job_file_and_command(regressed: Regressed) -> None:
    now, before = regressed
    one = now.plan.cases[0]
    text = "[global]\ndirect=1\n; exactly this ran\n[oltp-write]\n"
    page = read_html(render_report(now, before, job_files={one.id: text}))
    section = next(d for d in page.all("details", "case") if d.attributes["id"] == f"case-{one.id}")
    titles = [figure.all("figcaption")[0].text for figure in section.all("figure")]
    assert titles[:3] == [
        "Write latency percentiles",
        "Write IOPS over time",
        "Write latency over time",
    ]
    assert "write.clat.p99 by repetition" in titles
    for figure in section.all("figure"):
        assert figure.all("details", "numbers")[0].all("table"), "each chart has its table"
    job = section.all("details", "job")[0]
    assert job.all("pre")[0].text.rstrip("\n") == text.rstrip("\n")
    assert "from the plan" not in job.text
    assert section.all("div", "command")[0].text.endswith(f"--case {one.name}")


def test_the_command_of_a_case_replaces_other_choices_and_globs() -> None:
    one = case("odd[1]*/bs=4k")
    asked = ("iogate", "run", "x.yaml", "--case", "other/*", "--case=more")
    page = read_html(render_report(failed_run(of=one, command=asked)))
    command = page.all("details", "case")[0].all("div", "command")[0].text
    assert command.endswith("iogate run x.yaml --case 'odd[[]1][*]/bs=4k'")


def test_several_jobs_at_once_have_a_line_each(regressed: Regressed) -> None:
    now, before = regressed
    page = read_html(render_report(now, before))
    server = next(d for d in page.all("details", "case") if d.all("h3")[0].text == "server")
    reads = server.all("figure")[0]
    assert [li.text for li in reads.all("li")][0::2] == ["query A", "query B"]


def test_every_picture_is_named_and_described(regressed: Regressed) -> None:
    page = read_html(render_report(*regressed))
    pictures = page.all("svg", "chart")
    assert len(pictures) > 20
    for picture in pictures:
        assert picture.attributes["role"] == "img"
        assert picture.all("title")[0].text
        assert picture.all("desc")[0].text
    for icon in page.all("svg"):
        assert "chart" in icon.classes or icon.attributes.get("aria-hidden") == "true"


def test_the_page_is_closed_to_the_world(regressed: Regressed) -> None:
    text = render_report(*regressed)
    page = read_html(text)
    policy = next(
        m for m in page.all("meta") if m.attributes.get("http-equiv") == "Content-Security-Policy"
    )
    content = policy.attributes["content"]
    assert content.startswith("default-src 'none'")
    *scripts, data = sorted(page.all("script"), key=lambda node: len(node.attributes))
    assert data.attributes == {"type": "application/json", "id": "payload"}
    hashes = [
        base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
        for script in scripts
    ]
    allowed = " ".join(f"'sha256-{one}'" for one in hashes)
    assert f"script-src {allowed};" in content, "no other script runs"
    assert not any(script.attributes for script in scripts)
    told = re.sub(r"/\*!.*?\*/", "", text)  # whose work uPlot is
    assert not re.search(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", told, re.IGNORECASE)
    assert "@import" not in text
    assert set(re.findall(r"url\(.{6}", text)) <= {'url("data:'}
    for node in page.walk():
        assert node.tag not in {"iframe", "object", "embed", "link", "base", "form"}
        for name, value in node.attributes.items():
            assert not name.startswith("on")
            assert name != "style", "styles are classes"
            if name in {"src", "href"}:
                assert value.startswith(("#", "data:image/png;base64,", "raw/"))


def test_built_without_uplot_the_still_pictures_stand(
    regressed: Regressed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iogate_reports.render.uplot", lambda: None)
    page = read_html(render_report(*regressed))
    assert len(page.all("script")) == 1
    titles = [figure.all("figcaption")[0].text for figure in page.all("figure")]
    assert "Write IOPS over time" in titles


def test_the_page_has_landmarks_language_and_scoped_heads(regressed: Regressed) -> None:
    page = read_html(render_report(*regressed))
    assert page.all("html")[0].attributes["lang"] == "en"
    for landmark in ("header", "nav", "main", "footer"):
        assert len(page.all(landmark)) == 1
    assert len(page.all("h1")) == 1
    for cell in page.all("th"):
        assert cell.attributes.get("scope") in {"row", "col"}
    ids = {n.attributes["id"] for n in page.walk() if "id" in n.attributes}
    for link in page.all("a"):
        href = link.attributes["href"]
        assert href.startswith("raw/") or href.removeprefix("#") in ids


def test_all_words_are_defined(first_run: Run) -> None:
    guide = next(
        s
        for s in read_html(render_report(first_run)).all("section")
        if s.attributes.get("id") == "guide"
    )
    words = {badge.text for badge in guide.all("span", "badge")}
    assert {"pass", "fail", "warn", "inconclusive", "no baseline", "not measured"} <= words


def test_a_run_that_failed_before_measuring_says_so() -> None:
    one = case(thresholds=[limit("write.iops > 1k", 1000)])
    reason = "iogate-engine ended with signal 9; its last words: killed"
    now = failed_run(reason, of=one)
    page = read_html(render_report(now))
    assert "failed before it could be judged" in page.all("h1")[0].text
    assert reason in page.all("h1")[0].text
    assert "Nothing was measured" in body(page)
    assert "gave a measurement, so there is nothing to draw" in body(page)


def test_a_run_still_going_on_and_one_without_any_case_render() -> None:
    going = run(plan([case()]), [], judged=False, status=RunStatus.RUNNING, finished_ns=0)
    assert "not finished" in read_html(render_report(going)).all("h1")[0].text
    empty = run(plan([]), [])
    assert read_html(render_report(empty)).all("h1")


def test_the_first_screen_says_whether_the_numbers_can_be_trusted(regressed: Regressed) -> None:
    now, _ = regressed
    found = {check.label: check for check in validity.checks(now)}
    assert {label for label, check in found.items() if check.key == "pass"} == {
        "steady state", "I/O errors", "kernel log", "CPU", "other load", "other work", "clock",
        "engine warnings",
    }  # fmt: skip
    assert found["throttling"].key == "missing"
    strip = read_html(render_report(now)).all("ul", "checks")[0]
    assert "load average 0.12 on 48 CPUs" in strip.text
    assert validity.checks(replace(now, measurements=())) == []


def test_seconds_are_too_short_to_tell_a_drift() -> None:
    one = case()
    paces = {"j": {"write": Pace(iops=100)}}
    now = run(plan([one]), [measurement(one, 1, paces, random.Random(1), seconds=8)])
    steady = next(check for check in validity.checks(now) if check.label == "steady state")
    assert (steady.key, steady.text) == ("missing", "too short to tell: no 10 s of I/O")


def test_what_spoils_numbers_is_named(regressed: Regressed) -> None:
    now, _ = regressed
    first, *others = now.measurements
    (job,) = first.jobs
    assert job.series
    half = len(job.series.intervals) // 2
    slow = tuple(
        replace(one, ios={d: n // 3 for d, n in one.ios.items()}) if i >= half else one
        for i, one in enumerate(job.series.intervals)
    )
    bad = replace(
        job, errors={"EIO": 2}, usr_cpu_percent=70.0, sys_cpu_percent=29.0,
        series=replace(job.series, intervals=slow),
    )  # fmt: skip
    reset = KernelTrouble("device reset", 1, ("nvme nvme0: resetting controller",))
    hogs = Disturbance("cpu", 0.6, 0.1, "%", "other processes used 60 % of the engine's CPUs")
    first = replace(first, jobs=(bad,), warnings=("the CPU was throttled",), kernel_log=(reset,))
    first = replace(first, disturbances=(hogs,), unwritten=0.9)
    spoilt = replace(
        now,
        measurements=(first, *others),
        environment={"load.average_1m": 40.0, "cpu.count": 48},
    )
    found = {check.label: check for check in validity.checks(spoilt)}
    assert {check.key for label, check in found.items() if label != "clock"} == {"warn"}
    assert found["steady state"].text.endswith("in oltp-write/bs=4k,iodepth=32")
    assert "67 % down" in found["steady state"].text
    assert found["I/O errors"].text == "2 I/O errors"
    assert found["CPU"].text.startswith("99 %")


def test_an_interrupted_run_keeps_what_it_has(regressed: Regressed) -> None:
    now, before = regressed
    part = run(
        now.plan,
        now.measurements[:4],
        baseline=before,
        status=RunStatus.INTERRUPTED,
        failures=(CaseFailure(now.plan.cases[1].id, 2, "stopped by Ctrl-C"),),
    )
    page = read_html(render_report(part, before))
    assert "interrupted" in page.all("p", "kicker")[0].text
    assert "stopped by Ctrl-C" in body(page)
    assert page.all("figure"), "the first case is drawn"


def test_missing_histograms_and_series_are_said_not_drawn(regressed: Regressed) -> None:
    now, _ = regressed
    bare = [
        replace(
            m,
            jobs=tuple(
                replace(
                    job,
                    series=None,
                    directions={
                        name: replace(d, clat=None, lat=None, slat=None)
                        for name, d in job.directions.items()
                    },
                )
                for job in m.jobs
            ),
        )
        for m in now.measurements[:3]
    ]
    page = read_html(render_report(run(plan(now.plan.cases[:1]), bare)))
    assert "no time series and no latency histogram" in body(page)
    titles = {f.all("figcaption")[0].text for f in page.all("figure")}
    assert "write.iops by repetition" in titles
    assert not any("percentiles" in title for title in titles)


def test_values_that_are_no_numbers_do_not_reach_a_picture(regressed: Regressed) -> None:
    now, before = regressed
    assert now.verdict is not None
    odd = tuple(
        replace(v, value=float("nan"), change=float("inf"), samples=(float("nan"), float("inf")))
        for v in now.verdict.thresholds
    )
    broken = replace(now, verdict=replace(now.verdict, thresholds=odd))
    for picture in read_html(render_report(broken, before)).all("svg"):
        assert "nan" not in str(picture.attributes).lower()
        for shape in picture.all("path"):
            assert not re.search(r"nan|inf", shape.attributes.get("d", ""))


def test_measurements_that_are_no_numbers_do_not_reach_a_picture(regressed: Regressed) -> None:
    now, before = regressed
    nan, inf = float("nan"), float("inf")
    wild = tuple(
        replace(
            m,
            jobs=tuple(
                replace(
                    job,
                    usr_cpu_percent=nan,
                    directions={
                        name: replace(d, iops=nan if m.repetition % 2 else inf, bw=-inf)
                        for name, d in job.directions.items()
                    },
                )
                for job in m.jobs
            ),
        )
        for m in now.measurements
    )
    page = read_html(render_report(run(now.plan, wild, baseline=before), before))
    assert page.all("figure")
    for picture in page.all("svg"):
        for shape in picture.walk():
            assert not re.search(r"\bnan|\binf", str(shape.attributes).lower())
    assert not re.search(r"\bnan\b", page.text.lower().split("environment")[0])


def test_one_repetition_is_enough_to_draw() -> None:
    one = case(thresholds=[limit("write.iops > 1k", 1000)])
    rng = random.Random(4)
    found = measurement(one, 1, {"oltp-write": {"write": Pace(iops=5000)}}, rng, seconds=5)
    page = read_html(render_report(run(plan([one]), [found])))
    titles = [f.all("figcaption")[0].text for f in page.all("figure")]
    assert titles == [
        "Write latency percentiles",
        "Write IOPS over time",
        "Write latency over time",
        "Write latency distribution",
    ]


def test_a_run_that_failed_past_a_limit_says_both(regressed: Regressed) -> None:
    now, before = regressed
    kept = {one.id for one in now.plan.cases[:2]}
    measured = [m for m in now.measurements if m.case_id in kept]
    lost = tuple(CaseFailure(one.id, 1, "EIO: the disk went away") for one in now.plan.cases[2:])
    failed = run(now.plan, measured, baseline=before, status=RunStatus.FAILED, failures=lost)
    page = read_html(render_report(failed, before))
    assert page.all("h1")[0].text.endswith("% ▼ worse; the limit is > -3%")
    lead = page.all("p", "lead")[0].text
    assert f"Not all was measured: repetition 1 of {now.plan.cases[2].name}: EIO" in lead


def test_a_warning_of_many_repetitions_is_told_once(regressed: Regressed) -> None:
    now, blank = regressed[0], "64 of 64 blocks looked at were never written"
    every = [replace(m, warnings=(blank,)) for m in now.measurements]
    every[0] = replace(every[0], warnings=(blank, "the clock went back"))
    page = read_html(render_report(replace(now, measurements=tuple(every))))
    (row,) = [row.text for row in page.all("tr") if blank in row.text]
    assert f"{len({m.case_id for m in every})} cases" in row
    assert f"{len(every)} of them" in row
    (alone,) = [row.text for row in page.all("tr") if "the clock went back" in row.text]
    assert now.plan.cases[0].name in alone
