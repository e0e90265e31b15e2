"""What a run is compared with: revisions, levels, windows, in a real history and repository."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from iogate.history.baseline import baseline_of, find_baseline, used_baseline
from iogate.history.judging import baseline_for, judge_run
from iogate.model.decision import Action, Decision, SeriesKey
from iogate.model.run import Revision, Run
from iogate.model.spec import BaselineRule, Comparison
from iogate.model.verdict import Outcome, RunVerdict
from iogate.store import Store, open_store
from support import samples as s
from support.repositories import commit, git

DAY_NS = 86_400 * 10**9
LIMIT = s.threshold(value=-0.05, relative=True)
OTHER = s.threshold("write.clat", Comparison.LESS, 0.05, relative=True)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(open_store(str(tmp_path / "history.sqlite"))) as opened:
        yield opened


def a_run(
    number: int,
    level: float,
    *,
    revision: Revision | None = None,
    rule: BaselineRule | None = None,
    outcome: Outcome | None = Outcome.PASS,
) -> Run:
    """The run of a day; three repetitions within a per cent or so of the level."""
    noise = np.random.default_rng(number).normal(0, 0.005, 3)
    values = [float(level * (1 + each)) for each in noise]
    plan = replace(s.plan(s.case(LIMIT)), baseline=rule or BaselineRule())
    run = s.run(
        f"run-{number:03}", started_ns=number * DAY_NS, the_plan=plan,
        measurements=s.repetitions(values),
        outcome=None if outcome is None else s.verdict(outcome),
    )  # fmt: skip
    return replace(run, revision=revision or Revision(f"{number:040x}", branch="main"))


def history(store: Store, *parts: tuple[int, float], failing: range = range(0)) -> None:
    levels = [level for count, level in parts for _ in range(count)]
    store.add_runs(
        a_run(n, level, outcome=Outcome.FAIL if n in failing else Outcome.PASS)
        for n, level in enumerate(levels)
    )


def numbers(store: Store, run: Run) -> list[int]:
    """Which days count for the limit."""
    found = find_baseline(run, store)
    segment = found.segments[s.CASE_ID, "write.iops"]
    return sorted(int(name[4:]) for name in segment.runs)


def verdict_of(store: Store, run: Run) -> RunVerdict:
    found, _notes = baseline_for(run, store)
    return judge_run(run, store, found)


def now(level: float = 100, **rule: object) -> Run:
    return a_run(900, level, rule=BaselineRule(**rule), outcome=None)  # type: ignore[arg-type]


def test_a_steady_history_is_its_last_window(store: Store) -> None:
    history(store, (40, 100))
    assert numbers(store, now()) == list(range(20, 40))
    assert numbers(store, now(window=3)) == [37, 38, 39]
    assert verdict_of(store, now()).thresholds[0].baseline_since_ns is None


def test_an_improvement_begins_a_new_level(store: Store) -> None:
    history(store, (40, 100), (30, 120))
    found = numbers(store, now(window=60))
    assert set(range(44, 70)) <= set(found) <= set(range(38, 70))
    (fallen,) = verdict_of(store, now(100)).thresholds
    assert fallen.outcome is Outcome.FAIL
    assert fallen.baseline_since_ns is not None
    assert fallen.baseline_since_ns >= 38 * DAY_NS


def test_a_regression_that_nobody_accepted_is_no_baseline(store: Store) -> None:
    history(store, (40, 100), (30, 88))
    found = numbers(store, now(window=20))
    assert len(found) == 20
    assert max(found) <= 41
    assert verdict_of(store, now(88)).thresholds[0].outcome is Outcome.FAIL


def test_a_level_that_came_back_joins_the_one_before(store: Store) -> None:
    history(store, (40, 100), (25, 85), (25, 100))
    found = numbers(store, now(window=60))
    assert not set(found) & set(range(46, 60))
    assert {10, 30, 75, 89} <= set(found)


def test_a_way_back_beyond_the_old_level_begins_a_new_one(store: Store) -> None:
    history(store, (25, 100), (20, 90), (24, 130))
    found = numbers(store, now(window=60))
    assert set(range(48, 69)) <= set(found) <= set(range(43, 69))
    (fallen,) = verdict_of(store, now(100)).thresholds
    assert fallen.outcome is Outcome.FAIL


def test_half_the_way_back_is_no_new_level(store: Store) -> None:
    history(store, (40, 100), (25, 80), (25, 90))
    assert max(numbers(store, now(window=60))) <= 41


def accept(
    store: Store, first: int, at: int, action: Action = Action.ACCEPT, machine_id: str = ""
) -> None:
    store.add_decision(
        Decision(
            alert="a1", action=action, author="me", reason="", at_ns=at * DAY_NS + 1, spec="demo",
            machine_id=machine_id or now().host.machine_id, environment="",
            from_ns=(first - 1) * DAY_NS, to_ns=first * DAY_NS,
            series=(SeriesKey(s.CASE_ID, "write.iops"),),
        )
    )  # fmt: skip


def test_an_accepted_level_is_the_baseline_with_the_nights_that_failed(store: Store) -> None:
    history(store, (40, 100), (10, 88), failing=range(40, 50))
    assert max(numbers(store, now())) == 39
    accept(store, 40, 47)
    assert numbers(store, now()) == list(range(40, 48))  # 48 and 49 failed after it was accepted
    (again,) = verdict_of(store, now(88)).thresholds
    assert (again.outcome, again.baseline_runs) == (Outcome.PASS, 8)
    accept(store, 40, 60, Action.REOPEN)
    assert max(numbers(store, now())) == 39


def test_what_was_accepted_on_another_host_is_accepted_there(store: Store) -> None:
    history(store, (40, 100), (10, 88), failing=range(40, 50))
    accept(store, 40, 47, machine_id="elsewhere")
    assert max(numbers(store, now())) == 39


def test_a_level_too_young_is_a_missing_baseline(store: Store) -> None:
    history(store, (40, 100), (1, 88), failing=range(40, 41))
    accept(store, 40, 40)
    (young,) = verdict_of(store, now(88)).thresholds
    assert young.outcome is Outcome.MISSING_BASELINE
    assert "only 3 samples in 1 run to compare with since its level changed on" in young.reason
    accept(store, 90, 90)
    (none,) = verdict_of(store, now(88)).thresholds
    assert "no samples to compare with since its level changed on" in none.reason


def test_each_metric_has_its_own_level(store: Store) -> None:
    history(store, (40, 100), (30, 120))
    run = now()
    run = replace(run, plan=replace(run.plan, cases=(s.case(LIMIT, OTHER),)))
    found = find_baseline(run, store)
    iops = found.segments[s.CASE_ID, "write.iops"].runs
    clat = found.segments[s.CASE_ID, "write.clat"].runs  # for it the same step is a regression
    assert min(iops) > max(clat)
    assert {each.id for each in found.runs} >= iops | clat


def test_what_was_used_is_found_again(store: Store) -> None:
    history(store, (30, 100))
    run = now()
    found = find_baseline(run, store)
    judged = replace(run, verdict=judge_run(run, store, found))
    store.add_runs([a_run(31, 100)])
    assert [r.id for r in used_baseline(judged, store)] == list(found.use.runs)
    assert [r.id for r in baseline_of(judged, store)] == list(found.use.runs)
    assert baseline_of(run, store)[0].id == "run-031"


def test_what_was_used_and_is_gone_is_left_out(store: Store) -> None:
    history(store, (30, 100))
    run = now()
    found = find_baseline(run, store)
    verdict = judge_run(run, store, found)
    use = replace(found.use, runs=("pruned", *found.use.runs))
    judged = replace(run, verdict=replace(verdict, baseline=use))
    assert [r.id for r in used_baseline(judged, store)] == list(found.use.runs)


@pytest.fixture
def commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Four commits of main, and two of a branch that left it after the second."""
    repository = tmp_path / "repository"
    found = [commit(repository, f"Main {n}", file=str(n)) for n in range(2)]
    git(repository, "checkout", "-q", "-b", "topic")
    found += [commit(repository, f"Topic {n}", file=f"topic {n}") for n in range(2)]
    git(repository, "checkout", "-q", "main")
    found += [commit(repository, f"Main {n}", file=str(n)) for n in range(2, 4)]
    monkeypatch.chdir(repository)
    return found


def of_commits(store: Store, commits: list[str], levels: list[float]) -> None:
    """Two runs of each commit; the topic's know their branch, as a person's do."""
    store.add_runs(
        a_run(2 * n + k, level, revision=Revision(name, branch="topic" if n in (2, 3) else "main"))
        for n, (name, level) in enumerate(zip(commits, levels, strict=True))
        for k in range(2)
    )


def of_topic(commits: list[str], **rule: object) -> Run:
    return replace(now(100, **rule), revision=Revision(commits[3], branch="topic"))


def days(store: Store, run: Run) -> list[int]:
    return sorted(int(each.id[4:]) for each in find_baseline(run, store).runs)


def test_merge_base_is_where_the_branch_left(store: Store, commits: list[str]) -> None:
    of_commits(store, commits, [100, 101, 90, 91, 110, 111])
    topic = of_topic(commits, ref="merge-base", fallback="main")
    assert days(store, topic) == [0, 1, 2, 3]
    use = find_baseline(topic, store).use
    assert (use.ref, use.commit, use.fallback) == ("merge-base", commits[1], "")
    main = replace(topic, revision=Revision(commits[5], branch="main"))
    assert days(store, main) == [0, 1, 2, 3, 8, 9, 10, 11]
    assert days(store, of_topic(commits)) == list(range(12))


def test_a_ref_is_a_commit_a_tag_a_branch_or_a_label(store: Store, commits: list[str]) -> None:
    of_commits(store, commits, [100] * 6)
    git(Path.cwd(), "tag", "v1", commits[4])
    store.add_runs([replace(a_run(50, 100), revision=Revision(label="v0"))])
    store.add_runs([replace(a_run(51, 100), revision=Revision("f" * 40, branch="gone"))])
    for ref, expected in [
        (commits[0], [0, 1]),
        ("v1", [0, 1, 2, 3, 8, 9]),
        ("topic", [0, 1, 2, 3, 4, 5, 6, 7]),
        ("v0", [50]),
        ("gone", [51]),  # a branch that the repository no longer has
        ("no-such", []),
        ("--upload-pack=touch pwned", []),
    ]:
        assert days(store, of_topic(commits, ref=ref, min_samples=1)) == expected, ref
    assert not Path("pwned").exists()


def test_uncommitted_changes_are_of_no_commit(store: Store, commits: list[str]) -> None:
    dirty = Revision(commits[1], branch="main", dirty=True)
    store.add_runs([a_run(n, 100, revision=dirty) for n in range(4)])
    assert days(store, of_topic(commits, ref="merge-base", fallback="main")) == []


def test_a_branch_without_history_falls_back(store: Store, commits: list[str]) -> None:
    of_commits(store, commits[4:], [100, 100])
    topic = of_topic(commits, ref="merge-base", fallback="main")
    assert days(store, topic) == [0, 1, 2, 3]
    assert find_baseline(topic, store).use.fallback == "main"
    alone = verdict_of(store, of_topic(commits, ref="merge-base"))
    assert alone.thresholds[0].outcome is Outcome.MISSING_BASELINE
    assert f"looked for runs of merge-base {commits[1][:12]} (baseline.ref)" in (
        alone.thresholds[0].reason
    )


def test_too_small_a_ref_falls_back_too(store: Store, commits: list[str]) -> None:
    store.add_runs([a_run(0, 100, revision=Revision(commits[0], branch="main"))])
    store.add_runs([a_run(n, 100, revision=Revision(commits[5])) for n in (1, 2)])
    assert days(store, of_topic(commits, ref="merge-base", fallback="main")) == [0, 1, 2]
    small = of_topic(commits, ref="merge-base", fallback="topic")
    assert days(store, small) == [0]
    assert "only 3 samples in 1 run" in verdict_of(store, small).thresholds[0].reason


def test_outside_of_a_repository_a_ref_is_told(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    history(store, (9, 100))
    (found,) = verdict_of(store, now(ref="merge-base", fallback="develop")).thresholds
    assert found.outcome is Outcome.MISSING_BASELINE
    assert (
        "looked for runs of merge-base, which git does not know here, then of develop"
        " (baseline.ref, fallback)" in found.reason
    )
    # The name of the branch is in the runs themselves.
    assert days(store, now(ref="merge-base", fallback="main")) == list(range(9))
