"""A value with commas inside of braces is told to be quoted, once."""

from __future__ import annotations

import pytest

from support.specs import fio, option, place, problem, problems, workloads


@pytest.mark.parametrize(
    ("value", "key"),
    [
        ("rate_iops: 700,300", "300"),
        ("bs: 4k,8k", "8k"),
        ("rw: read,write", "write"),
        ("bs: 4k,8k,16k", "8k"),
    ],
)
def test_a_value_with_a_comma_is_to_be_quoted(value: str, key: str) -> None:
    error = problem(fio(f"size: 1m, {value}, iodepth: 4"))
    assert error.what.startswith(f"{key!r} is cut off from ")
    name, _, text = value.partition(": ")
    assert error.remedy == f'quote the value: {name}: "{text}"'
    assert place(error) == (4, 15 + len("size: 1m, ") + value.index(",") + 1)


def test_in_a_workload_and_in_a_rule_of_a_matrix_too() -> None:
    error = problem(workloads("  w: { fio: { size: 1m }, description: slow,fast }\n"))
    assert error.remedy == 'quote the value: description: "slow,fast"'
    text = (
        "  w:\n    fio: { size: 1m }\n    strategy: { matrix: { bs: [4k] }, exclude: [{ %s }] }\n"
    )
    assert problem(workloads(text % "bs: 4k,8k")).remedy == 'quote the value: bs: "4k,8k"'


def test_an_axis_takes_a_list() -> None:
    text = "  w:\n    fio: { size: 1m }\n    strategy: { matrix: { bs: 4k,8k,16k } }\n"
    axis, rest = problems(workloads(text))
    assert axis.what.startswith("bs is a list")
    assert rest.remedy == "write bs: [4k, 8k, 16k]"


@pytest.mark.parametrize("options", ["bs: 4k, tim_based", "bs: 4k, tim_based: ", "bs: '4k',8k"])
def test_what_does_not_stand_right_behind_a_value_is_a_key(options: str) -> None:
    error = problem(fio(f"size: 1m, {options}"))
    assert error.what.startswith("unknown fio option")


def test_a_flag_may_stand_right_behind_a_value() -> None:
    assert option("size: 1m,time_based,runtime: 1s", "time_based") == "1"
