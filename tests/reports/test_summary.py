"""The Markdown summary: failures first, the rest folded, never past its limit."""

from __future__ import annotations

import re
from dataclasses import replace

from iogate.model.run import Run
from iogate_reports import render_summary
from support.report_runs import failed_run

Regressed = tuple[Run, tuple[Run, ...]]


def test_failing_rows_first_and_the_rest_folded(regressed: Regressed) -> None:
    found = render_summary(regressed[0])
    assert found.startswith("## ❌ xfs-gate: fail\n")
    open_part, _, folded = found.partition("<details>")
    assert "❌ fail" in open_part
    assert "✅ pass |" not in open_part
    assert "✅ pass |" in folded
    assert folded.rstrip().endswith("</details>")
    assert "lab-nvme-03" in open_part
    assert "6.18.0-rc3" in open_part
    assert "specs/xfs-gate.yaml" in open_part, "how to measure again"


def test_a_row_has_its_intervals_its_notes_and_its_place_in_the_spec(
    regressed: Regressed,
) -> None:
    lines = render_summary(regressed[0]).splitlines()
    rows = [line.split(" | ") for line in lines if line.startswith(("| ❌", "| ✅"))]
    relative, absolute = (
        next(row for row in rows if row[3].startswith(start)) for start in ("vs baseline", "&#60;")
    )
    assert re.search(r" <br>gate\.yaml:\d+:9$", relative[3])
    assert re.search(r"worse <br>95 % CI [+−]\d.* … [+−]\d", relative[6])
    assert absolute[3].endswith(" <br>a point estimate: too few values for 95 % confidence")
    assert re.search(r" <br>75 % CI \d.* … \d", absolute[4])


def test_a_run_without_a_verdict_says_what_happened() -> None:
    found = render_summary(failed_run("the engine is gone"))
    assert "run failed" in found
    assert "the engine is gone" in found
    assert "### Not measured" in found


def test_a_huge_run_stays_below_a_mebibyte_and_says_what_it_left_out(
    regressed: Regressed,
) -> None:
    now = regressed[0]
    assert now.verdict is not None
    many = now.verdict.thresholds * 900
    found = render_summary(replace(now, verdict=replace(now.verdict, thresholds=many)))
    assert 500_000 < len(found.encode()) < 2**20
    assert "left out; the report has them all" in found
    assert found.rstrip().endswith("</details>")
