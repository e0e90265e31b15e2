"""Halving: the culprit is found in few steps, whatever is inconclusive."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.bisect.ends import Side
from iogate.bisect.search import ListSearch
from iogate.errors import UsageError


def run(count: int, culprit: int, untold: frozenset[int]) -> tuple[tuple[str, ...], int]:
    search = ListSearch([str(i) for i in range(count)])
    steps = 0
    while (build := search.next()) is not None:
        at = int(build)
        left = search.left
        side = Side.BAD if at >= culprit else Side.GOOD
        search.mark(build, Side.UNCLEAR if at in untold else side)
        assert search.left < left
        steps += 1
    return search.result(), steps


@given(st.data(), st.integers(2, 200))
def test_the_culprit_is_found_in_as_many_steps_as_halving_takes(
    data: st.DataObject, count: int
) -> None:
    culprit = data.draw(st.integers(1, count - 1))
    found, steps = run(count, culprit, frozenset())
    assert found == (str(culprit),)
    assert steps <= math.ceil(math.log2(count - 1)) if count > 2 else steps == 0


@given(st.data(), st.integers(2, 60))
def test_what_cannot_be_told_widens_the_answer_and_never_moves_it(
    data: st.DataObject, count: int
) -> None:
    culprit = data.draw(st.integers(1, count - 1))
    untold = data.draw(st.frozensets(st.integers(1, count - 1)))
    found, _ = run(count, culprit, untold - {count - 1})
    assert str(culprit) in found
    assert all(int(build) in untold for build in found[:-1])


@pytest.mark.parametrize("builds", [[], ["one"]])
def test_a_list_has_two_ends(builds: list[str]) -> None:
    with pytest.raises(UsageError, match="good one and a bad one"):
        ListSearch(builds)
