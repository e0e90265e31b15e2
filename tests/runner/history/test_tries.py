"""A comparison that was made before says so."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from iogate.history.baseline import Baseline
from iogate.history.judging import judge_run
from iogate.model.comparison import Arm, Comparison, Part
from iogate.model.run import Run, RunStatus
from iogate.model.spec import Comparison as Compare
from iogate.store import open_store
from support import samples as s

LIMIT = s.threshold(comparison=Compare.GREATER, value=-0.05, relative=True)
RULE = Comparison(Arm("spec"), Arm("deep"), seed=1)
PLAN = replace(s.plan(s.case(LIMIT)), comparison=RULE)


def compared(name: str, started_ns: int, kernel: str = "6.1", **rule: object) -> Run:
    plan = replace(PLAN, comparison=replace(RULE, **rule))  # type: ignore[arg-type]
    run = s.run(name, the_plan=plan, measurements=())
    return replace(run, started_ns=started_ns, environment={"kernel.release": kernel})


def sentence(tmp_path: Path, *before: Run) -> str:
    with closing(open_store(str(tmp_path / "history.sqlite"))) as store:
        store.add_runs(before)
        return judge_run(compared("now", 100), store, Baseline()).sentence


def test_the_third_comparison_says_what_three_do(tmp_path: Path) -> None:
    said = sentence(tmp_path, compared("a", 1, seed=7), compared("b", 2, most_blocks=40))
    assert "comparison 3 of these arms" in said
    assert "up to 3 %" in said


def test_what_asked_something_else_is_no_try(tmp_path: Path) -> None:
    others = (
        compared("arm", 1, candidate=Arm("flat")),
        compared("kernel", 2, kernel="6.6"),
        compared("canary", 3, canary=True),
        compared("later", 200),
        replace(compared("broken", 4), status=RunStatus.FAILED),
    )
    assert "of these arms" not in sentence(tmp_path, *others)


def test_a_comparison_that_went_on_is_one_try(tmp_path: Path) -> None:
    went_on = compared("b", 2, parts=(Part("a", 1, 28),), stages=2, most_blocks=56)
    said = sentence(tmp_path, compared("a", 1), went_on, compared("c", 3))
    assert "comparison 3 of these arms" in said
