"""Whose runs a run of a CI system is compared with, and whose it becomes a baseline of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.history.baseline import find_baseline
from iogate.history.judging import judge_run
from iogate.history.plans import kept_plans
from iogate.history.trends import Question, find_trend
from iogate.model.newest import newest_nights
from iogate.model.origin import Origin
from iogate.model.run import Run
from iogate.model.spec import BaselineRule
from iogate.store import Store, open_store
from runner.history.test_baseline import a_run

PULL = Origin("github", head_ref="main", base_ref="main", proposal=True, number=12)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.chdir(tmp_path)  # where git knows no branch
    with closing(open_store(str(tmp_path / "history.sqlite"))) as opened:
        yield opened


def on(branch: str) -> Origin:
    return Origin("github", head_ref=branch, default_ref="main")


def add(store: Store, numbers: range, origin: Origin | None, level: float = 100) -> None:
    store.add_runs(replace(a_run(n, level), origin=origin) for n in numbers)


def days(store: Store, origin: Origin | None, **rule: object) -> list[int]:
    run = now(origin, **rule)
    return sorted(int(each.id[4:]) for each in find_baseline(run, store).runs)


def now(origin: Origin | None, **rule: object) -> Run:
    run = a_run(900, 100, rule=BaselineRule(**rule), outcome=None)  # type: ignore[arg-type]
    return replace(run, origin=origin)


def test_a_pull_request_becomes_nobodys_baseline(store: Store) -> None:
    """Also one of a fork whose branch is called as ours."""
    add(store, range(3), on("main"))
    add(store, range(3, 9), PULL, level=50)
    for origin in (on("main"), PULL, None):
        assert days(store, origin) == [0, 1, 2]
    assert days(store, on("main"), ref="main", min_samples=1) == [0, 1, 2]


def test_a_pull_request_is_compared_with_its_base_branch(store: Store) -> None:
    add(store, range(3), on("main"))
    add(store, range(3, 6), on("release"), level=50)
    assert days(store, PULL) == [0, 1, 2]
    assert days(store, replace(PULL, base_ref="release")) == [3, 4, 5]
    assert days(store, replace(PULL, base_ref="none")) == []
    assert days(store, replace(PULL, base_ref="")) == [0, 1, 2, 3, 4, 5]
    assert days(store, PULL, ref="main", fallback="release", min_samples=1) == list(range(6))


def test_a_branch_without_runs_is_compared_with_the_main_one(store: Store) -> None:
    add(store, range(3), on("main"))
    assert days(store, on("topic")) == [0, 1, 2]
    add(store, range(3, 6), on("topic"), level=50)
    assert days(store, on("topic")) == [3, 4, 5]
    assert days(store, on("main")) == [0, 1, 2]


def test_runs_of_which_no_system_said_anything_count_as_before(store: Store) -> None:
    add(store, range(3), None)
    add(store, range(3, 6), on("release"))
    assert days(store, PULL) == [0, 1, 2]
    assert days(store, on("release")) == [0, 1, 2, 3, 4, 5]
    assert days(store, None) == [0, 1, 2, 3, 4, 5]


def test_the_branch_that_was_looked_for_is_told(store: Store) -> None:
    add(store, range(6), on("main"))
    run = now(replace(PULL, base_ref="release"))
    (limit,) = judge_run(run, store, find_baseline(run, store)).thresholds
    assert "looked for runs of release, as the CI system names the base branch" in limit.reason


def test_a_pull_request_is_no_night(store: Store) -> None:
    add(store, range(3), on("main"))
    add(store, range(3, 6), PULL, level=50)
    runs = store.runs()
    assert [run.id for run in newest_nights(runs)] == ["run-002"]
    (plan,) = kept_plans(runs).values()
    trend = find_trend(store, plan, Question())
    assert [night.run for night in trend.nights] == ["run-000", "run-001", "run-002"]
    assert kept_plans(run for run in runs if run.origin == PULL) == {}
