"""Every way to end has one exit code, and one place decides it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from iogate import exits
from iogate.errors import (
    EngineError,
    ExitCode,
    IogateError,
    NewerError,
    RefusedError,
    RunError,
    SpecError,
    StoreError,
    UsageError,
)
from iogate.gate.judge import judge
from iogate.model.run import CaseFailure
from iogate.model.spec import Comparison, OnMissingBaseline
from iogate.model.verdict import Outcome
from iogate.store.sqlite.head import NoHistoryError
from repository.tree import ROOT
from support import samples as s

PASS, FAIL, USAGE, REFUSED, FAILED, OPEN = ExitCode
BLOCKS, WARNS = OnMissingBaseline.FAIL, OnMissingBaseline.WARN
RUNNER = ROOT / "runner" / "iogate"
DECIDE = {RUNNER / "exits.py", RUNNER / "errors.py"}


@pytest.mark.parametrize("policy", [BLOCKS, WARNS])
@pytest.mark.parametrize("outcome", Outcome)
def test_a_run_that_was_judged(outcome: Outcome, policy: OnMissingBaseline) -> None:
    wanted = {Outcome.PASS: PASS, Outcome.WARN: PASS, Outcome.FAIL: FAIL}.get(outcome, OPEN)
    assert exits.judged(outcome, outcome, policy, failed=False) is wanted
    assert exits.judged(outcome, outcome, policy, failed=True) is FAILED
    if outcome in (Outcome.PASS, Outcome.WARN):  # nothing is known of a case without limits
        unknown = exits.judged(outcome, Outcome.INCONCLUSIVE, policy, failed=False)
        assert unknown is (OPEN if policy is BLOCKS else PASS)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), USAGE),
        (SpecError("x"), USAGE),
        (RefusedError("x"), REFUSED),
        (NoHistoryError("x"), REFUSED),
        (RunError("x"), FAILED),
        (EngineError("x"), FAILED),
        (NewerError("x"), FAILED),
        (StoreError("x"), FAILED),
        (IogateError("x"), FAILED),
        (OSError("x"), FAILED),
        (ValueError("x"), FAILED),
    ],
)
def test_an_error(error: Exception, code: ExitCode) -> None:
    assert exits.of_error(error) is code
    assert exits.of_left_out([error]) is code
    in_the_middle = REFUSED if type(error) is RefusedError else FAILED
    assert exits.cut_short([error]) is in_the_middle
    assert exits.cut_short([RunError("first"), error]) is FAILED


def test_all_other_ways() -> None:
    assert exits.cut_short([]) is FAILED
    assert exits.of_run(None) is FAILED
    assert exits.of_run(s.verdict(Outcome.FAIL)) == s.verdict(Outcome.FAIL).exit_code
    assert [exits.with_faults(code, ["x"]) for code in ExitCode] == [
        FAILED if code in (PASS, FAIL, OPEN) else code for code in ExitCode
    ]
    assert [exits.with_faults(code, []) for code in ExitCode] == list(ExitCode)
    assert (exits.of_parts(["x"]), exits.of_parts([])) == (FAILED, PASS)
    assert exits.of_left_out([]) is PASS
    assert exits.of_left_out([UsageError("x"), StoreError("x")]) is FAILED
    assert (exits.of_search(1), exits.of_search(2)) == (PASS, OPEN)
    assert (exits.of_open(regression=True), exits.of_open(regression=False)) == (FAIL, PASS)
    assert (exits.of_unfit(bad=True), exits.of_unfit(bad=False)) == (REFUSED, PASS)
    assert (exits.of_wrong(["x"]), exits.of_wrong([])) == (USAGE, PASS)


def test_several_hosts() -> None:
    worst_first = [USAGE, FAILED, REFUSED, FAIL, OPEN, PASS]
    for place, code in enumerate(worst_first):
        assert exits.of_hosts(worst_first[place:]) is code
    assert exits.of_hosts([]) is PASS
    assert exits.of_hosts([-9, 1]) is exits.of_hosts([137]) is FAILED
    assert [code for code in ExitCode if exits.was_refused(code)] == [USAGE, REFUSED]
    assert [code for code in (*ExitCode, -9) if exits.was_cut(code)] == [FAILED, -9]


def test_a_verdict_has_the_code_that_is_decided_here() -> None:
    broken = s.threshold(comparison=Comparison.LESS, value=1.0)
    plan = s.plan(s.case(broken))
    assert judge(plan, s.repetitions([5, 5, 5]), (), ()).exit_code == FAIL
    failure = CaseFailure(s.CASE_ID, 1, "EIO")
    assert judge(plan, s.repetitions([5, 5, 5]), (failure,), ()).exit_code == FAILED


def test_nobody_else_decides_one() -> None:
    """An error says its own as an attribute of its class."""
    deciding = {
        f"{path.relative_to(RUNNER)}:{node.lineno}"
        for path in sorted(RUNNER.rglob("*.py"))
        if path not in DECIDE
        for node in _decisions(path)
    }
    assert not deciding


def _decisions(path: Path) -> list[ast.Attribute]:
    tree = ast.parse(path.read_text("utf-8"))
    own = {
        id(found)
        for kind in ast.walk(tree)
        if isinstance(kind, ast.ClassDef)
        for item in kind.body
        if isinstance(item, ast.Assign)
        for found in ast.walk(item)
    }
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "ExitCode"
        and id(node) not in own
    ]
