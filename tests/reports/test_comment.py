"""The comment on a pull request: a marker, failures first, never past its limit."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from iogate.model.run import Host, Run
from iogate_reports import render_comment
from support.hostile import EVIL, hostile_run
from support.report_runs import failed_run

Regressed = tuple[Run, tuple[Run, ...]]
MARKER = re.compile(r"<!-- iogate-comment [0-9a-f]{16} -->\n")
LIMIT = 64 * 1024


def test_a_marker_then_the_failures_then_the_rest_folded(regressed: Regressed) -> None:
    found = render_comment(regressed[0])
    start = MARKER.match(found)
    assert start
    assert found[start.end() :].startswith("## ❌ xfs-gate: fail\n")
    open_part, _, folded = found.partition("<details>")
    assert "❌ fail |" in open_part
    assert "✅ pass |" not in open_part
    assert "✅ pass |" in folded


def test_the_marker_is_that_of_the_spec_and_the_host(regressed: Regressed) -> None:
    now = regressed[0]

    def first(one: Run) -> str:
        return render_comment(one).partition("\n")[0]

    assert first(now) == first(replace(now, id="another", started_ns=1, verdict=None))
    others = {
        first(replace(now, host=Host("x", "y"))),
        first(replace(now, plan=replace(now.plan, spec_name="x"))),
        first(replace(now, plan=replace(now.plan, spec_file="x"))),
    }
    assert len(others - {first(now)}) == 3


@pytest.mark.parametrize("text", EVIL, ids=range(len(EVIL)))
def test_no_name_makes_markup_or_another_marker(text: str) -> None:
    found = render_comment(hostile_run(text))
    assert MARKER.match(found)
    # What stands in a code span is literal for Markdown.
    shown = re.sub(r"(`+) .*? \1", "", found, count=1)
    assert set(re.findall(r"<[^>]*>?", shown)) <= {
        MARKER.match(found)[0].strip(),  # type: ignore[index]
        "<details>", "</details>", "<summary>", "</summary>", "<br>",
    }  # fmt: skip
    assert "@everyone" not in shown
    assert "https://" not in shown


def test_a_huge_run_fits_into_a_comment(regressed: Regressed) -> None:
    now = regressed[0]
    assert now.verdict is not None
    many = now.verdict.thresholds * 900
    found = render_comment(replace(now, verdict=replace(now.verdict, thresholds=many)))
    assert 50_000 < len(found.encode()) <= LIMIT
    assert "left out; the report has them all" in found


def test_huge_texts_fit_into_a_comment() -> None:
    text = "@\U0001f4be" * 3000
    alone = failed_run(*[text] * 499)
    now = replace(hostile_run(text), failures=alone.failures, command=("iogate", text))
    assert len(render_comment(now).encode()) <= LIMIT
    found = render_comment(alone)
    assert len(found.encode()) <= LIMIT
    assert "and 494 more" in found
