from __future__ import annotations

import pytest

from support.specs import cases, place, problem, workloads

WORKLOAD = (
    "  w:\n    fio: {{ size: 1m }}\n"
    "    strategy: {{ matrix: {{ rw: [read, write], blocksize: [4k, 8k] }} }}\n"
    "    chart: {{ {} }}\n"
)


def test_a_chart_reaches_every_case_with_canonical_names() -> None:
    text = WORKLOAD.format("x: blocksize, y: bw, series: [readwrite, direction], scale: log-log")
    assert [case.chart for case in cases(text)] == 4 * [
        {"x": "bs", "y": "bw", "series": "rw,direction", "scale": "log-log"}
    ]


def test_series_and_scale_may_be_left_out() -> None:
    assert cases(WORKLOAD.format("x: bs, y: read.clat.p99"))[0].chart == {
        "x": "bs",
        "y": "read.clat.p99",
    }


@pytest.mark.parametrize(
    ("chart", "column", "says"),
    [
        ("x: bs", 12, "no y"),
        ("x: numjobs, y: bw", 17, "'numjobs'"),
        ("x: bs, y: bandwith", 24, "bandwith"),
        ("x: bs, y: bw, series: [kind]", 37, "'kind'"),
        ("x: bs, y: bw, scale: logarithmic", 35, "log-log"),
        ("x: bs, y: bw, colour: red", 28, "colour"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(chart: str, column: int, says: str) -> None:
    error = problem(workloads(WORKLOAD.format(chart)))
    assert place(error) == (7, column)
    assert says in error.what
