from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.spec.matrix import expand_matrix, matches, point_name
from support.specs import cases, place, problem, workloads

VALUES = {"bs": ["1k", "2k", "4k"], "iodepth": ["1", "2", "8"], "numjobs": ["1", "4"]}
axes = st.dictionaries(
    st.sampled_from(sorted(VALUES)), st.integers(min_value=1, max_value=2), max_size=3
).map(lambda sizes: {key: VALUES[key][:size] for key, size in sizes.items()})
points = st.dictionaries(
    st.sampled_from(sorted(VALUES)), st.integers(min_value=0, max_value=1), min_size=1
).map(lambda chosen: {key: VALUES[key][index] for key, index in chosen.items()})


@given(axes)
def test_every_combination_is_there_once(matrix: dict[str, list[str]]) -> None:
    found = expand_matrix(matrix)
    expected = [dict(zip(matrix, row, strict=True)) for row in itertools.product(*matrix.values())]
    assert found == expected


@given(axes, st.lists(points, max_size=3))
def test_exclude_leaves_exactly_what_it_does_not_match(
    matrix: dict[str, list[str]], exclude: list[dict[str, str]]
) -> None:
    found = expand_matrix(matrix, exclude)
    kept = [p for p in expand_matrix(matrix) if not any(matches(p, rule) for rule in exclude)]
    assert found == kept


@given(axes, st.lists(points, max_size=3), st.lists(points, max_size=3))
def test_include_never_loses_a_point_nor_changes_an_axis(
    matrix: dict[str, list[str]],
    exclude: list[dict[str, str]],
    include: list[dict[str, str]],
) -> None:
    without = expand_matrix(matrix, exclude)
    found = expand_matrix(matrix, exclude, include)
    restricted = [{key: point[key] for key in matrix if key in point} for point in found]
    if matrix:
        assert all(point in restricted for point in without)
    for rule in include:
        assert any(all(point.get(key) for key in rule) for point in found)
    names = [point_name(dict(sorted(point.items()))) for point in found]
    assert len(names) == len(set(names))


def test_include_as_github_actions_documents_it() -> None:
    """A key that is no axis goes to all that match; what matches nothing stands alone."""
    found = expand_matrix(
        {"bs": ["4k", "8k"], "iodepth": ["1", "2"]},
        include=[
            {"numjobs": "4"},
            {"bs": "4096", "fsync": "1"},
            {"bs": "4k", "iodepth": "2", "numjobs": "8"},
            {"bs": "64k"},
            {"bs": "64k", "iodepth": "1"},
        ],
    )
    assert found == [
        {"bs": "4k", "iodepth": "1", "numjobs": "4", "fsync": "1"},
        {"bs": "4k", "iodepth": "2", "numjobs": "8", "fsync": "1"},
        {"bs": "8k", "iodepth": "1", "numjobs": "4"},
        {"bs": "8k", "iodepth": "2", "numjobs": "4"},
        {"bs": "64k"},
        {"bs": "64k", "iodepth": "1"},
    ]


def test_include_alone_lists_the_cases() -> None:
    points = [{"bs": "4k", "iodepth": "1"}, {"bs": "8k", "iodepth": "32"}]
    assert expand_matrix({}, include=points) == points


def test_equal_values_are_one_point() -> None:
    assert expand_matrix({"bs": ["4k", "4096", "8k"]}) == [{"bs": "4k"}, {"bs": "8k"}]


def test_a_case_is_named_after_its_point_in_the_order_written() -> None:
    found = cases(
        "  w:\n    fio: { size: 1m }\n"
        "    strategy: { matrix: { iodepth: [1, 8], blocksize: [4k] } }\n"
    )
    assert [case.name for case in found] == ["w/iodepth=1,bs=4k", "w/iodepth=8,bs=4k"]
    assert found[1].parameters == {"iodepth": "8", "bs": "4k"}
    assert found[1].jobs[0].options == {"size": "1m", "iodepth": "8", "bs": "4k"}


def test_an_axis_may_be_of_one_job() -> None:
    found = cases(
        "  w:\n    fio: { size: 1m }\n    jobs: { a: {}, b: { iodepth: 2 } }\n"
        "    strategy: { matrix: { b.iodepth: [1, 8] } }\n"
    )
    assert [case.name for case in found] == ["w/b.iodepth=1", "w/b.iodepth=8"]
    assert [job.options.get("iodepth") for job in found[1].jobs] == [None, "8"]


@pytest.mark.parametrize(
    ("strategy", "where", "says"),
    [
        ("matrix: { bs: [] }", (6, 31), "empty"),
        ("matrix: {}", (6, 25), "empty"),
        ("matrix: { bs: [4k], exclude: [{ bs: 4k }] }", (6, 47), "beside matrix"),
        ("matrix: { bsx: [4k] }", (6, 27), "bsx"),
        ("matrix: { q.bs: [4k] }", (6, 27), "job 'q'"),
        ("matrix: { bs: 4k }", (6, 31), "list"),
        ("matrix: { bs: [4k, 1q] }", (6, 36), "1q"),
        ("matrix: { filename: [a] }", (6, 27), "cannot vary"),
        ("matrix: { bs: [4k] }, exclude: [{ bs: 4096 }]", (4, 3), "leaves nothing"),
        ("matrix: { bs: [4k], blocksize: [8k] }", (6, 37), "twice"),
        ("matrix: { bs: [4k, 8k, 4096] }", (6, 40), "has 4k twice: 4096 means the same"),
        ("matrix: { iodepth: [1, 1] }", (6, 40), "has 1 twice"),
    ],
)
def test_a_matrix_without_a_meaning_is_an_error(
    strategy: str, where: tuple[int, int], says: str
) -> None:
    error = problem(workloads(f"  w:\n    fio: {{ size: 1m }}\n    strategy: {{ {strategy} }}\n"))
    assert place(error) == where
    assert says in error.what + error.remedy


def test_a_matrix_too_large_is_refused_before_it_is_built() -> None:
    many = ", ".join(str(n) for n in range(1, 400))
    strategy = f"matrix: {{ iodepth: [{many}], numjobs: [{many}], loops: [{many}] }}"
    text = workloads(f"  w:\n    fio: {{ size: 1m }}\n    strategy: {{ {strategy} }}\n")
    assert "63521199 cases" in problem(text).what
