"""Which canary of a history a run's verdict carries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.history.noise import newest_canary, noise_around
from iogate.model.comparison import Arm, Comparison
from iogate.model.run import Run
from iogate.model.spec import Comparison as Compare
from iogate.model.verdict import NoiseSource
from iogate.spec.arms import canary_id
from iogate.store import Store, open_store
from support import samples as s

LIMIT = s.threshold(comparison=Compare.GREATER, value=-0.05, relative=True)
CASE = s.case(LIMIT)
PLAN = s.plan(CASE)
RULE = Comparison(Arm("A"), Arm("B"), seed=0, canary=True)
AS_CANARY = replace(PLAN, cases=(replace(CASE, id=canary_id(CASE)),), comparison=RULE)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(open_store(str(tmp_path / "history.sqlite"))) as opened:
        yield opened


def canary(name: str, started_ns: int, kernel: str = "6.1", **plan: object) -> Run:
    measured = s.repetitions([100, 101, 99, 100, 102], case_id=canary_id(CASE))
    run = s.run(name, the_plan=replace(AS_CANARY, **plan), measurements=measured)  # type: ignore[arg-type]
    return replace(run, started_ns=started_ns, environment={"kernel.release": kernel})


def run_now() -> Run:
    run = s.run("now", the_plan=PLAN, measurements=s.repetitions([100, 101, 99]))
    return replace(run, started_ns=10**15, environment={"kernel.release": "6.1"})


def test_the_newest_canary_of_the_same_environment(store: Store) -> None:
    store.add_runs(
        [
            canary("old", 1),
            canary("right", 2),
            canary("updated", 3, kernel="6.6"),
            canary("other", 4, overrides=("iodepth=9",)),
            canary("compared", 5, comparison=replace(RULE, canary=False)),
        ]
    )
    now = run_now()
    assert [r.id for r in newest_canary(store, PLAN, now.host.machine_id, now)] == ["right"]
    assert [r.id for r in newest_canary(store, PLAN, now.host.machine_id)] == ["updated"]
    assert newest_canary(store, PLAN, "elsewhere") == []
    (found,) = noise_around(now, store, ())
    assert (found.run, found.source, found.runs) == ("right", NoiseSource.CANARY, 5)
    assert found.sd == pytest.approx(0.0114, abs=1e-3)


def test_a_canary_is_its_own_noise(store: Store) -> None:
    own = canary("own", 9)
    assert [noise.run for noise in noise_around(own, store, ())] == ["own"]


def test_without_a_limit_vs_baseline_there_is_no_noise_to_tell(store: Store) -> None:
    store.add_runs([canary("right", 2)])
    now = replace(run_now(), plan=s.plan(s.case(s.threshold())))
    assert noise_around(now, store, ()) == ()
