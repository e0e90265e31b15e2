"""Metrics that a spec defines: what is computed, and what is refused."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.errors import UsageError
from iogate.metrics import ExpressionError, default_metrics, make_defined, metric, plan_metrics
from iogate.metrics.expression import MAX_LENGTH, Value, parse_expression
from iogate.model.plan import Plan
from iogate.model.spec import DefinedMetric
from iogate.model.units import Better, Unit
from support import samples as s

NUMBERS = {"a": 6.0, "b.c": 4.0, "zero": 0.0, "none": None, "huge": 1e308, "x-y.z": 2.0}
ANY = s.measurement()


def resolve(path: str) -> Value:
    if path not in NUMBERS:
        raise UsageError(f"no metric is named {path!r}", remedy="did you mean a?")
    return lambda _: NUMBERS[path]


def computed(text: str) -> float | None:
    return parse_expression(text, resolve)(ANY)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", 6.0),
        ("a / b.c", 1.5),
        ("a - b.c - 1", 1.0),
        ("a / 2 / 3", 1.0),
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("-a + 2", -4.0),
        ("2 * -a", -12.0),
        ("--a", 6.0),
        ("a-b.c", 2.0),
        ("1.5e3*a", 9000.0),
        ("`x-y.z` * a", 12.0),
        ("  a\n + \t1 ", 7.0),
        ("a / zero", None),
        ("zero / zero", None),
        ("none + 1", None),
        ("huge * huge", None),
        ("huge - huge", 0.0),
    ],
)
def test_arithmetic(text: str, expected: float | None) -> None:
    assert computed(text) == expected


@pytest.mark.parametrize(
    ("text", "offset", "words"),
    [
        ("", 0, "found the end"),
        ("a +", 3, "found the end"),
        ("a b.c", 2, "expected an operator"),
        ("(a", 2, "expected ')'"),
        ("a)", 1, "expected an operator"),
        ("a + nope", 4, "no metric is named 'nope'"),
        ("a ** 2", 3, "expected a metric"),
        ("a; b", 1, "not a part of an expression"),
        ("__import__('os')", 11, "not a part"),
        ("a(1)", 1, "expected an operator"),
        ("1a", 0, "not a part"),
        ("1.2.3", 0, "not a part"),
        ("a .b", 2, "not a part"),
        ("`x", 0, "not a part"),
        ("é", 0, "not a part"),
        ("(" * 100, 30, "too deeply"),
        ("-" * 1000 + "a", 0, "at most"),
        ("a" * (MAX_LENGTH + 1), 0, "at most"),
    ],
)
def test_what_is_refused_is_placed(text: str, offset: int, words: str) -> None:
    with pytest.raises(ExpressionError) as refused:
        computed(text)
    assert words in refused.value.what
    assert refused.value.offset == offset


def test_an_unknown_metric_brings_its_suggestion() -> None:
    with pytest.raises(ExpressionError) as refused:
        computed("1 + nope")
    assert refused.value.remedy == "did you mean a?"


@given(st.text(alphabet="ab.c0189 ()+-*/`e", max_size=40))
def test_any_text_is_a_value_or_an_error_inside_it(text: str) -> None:
    offset, found = 0, None
    try:
        found = computed(text)
    except ExpressionError as error:
        offset = error.offset
    assert 0 <= offset <= len(text)
    assert found is None or math.isfinite(found)


LEAVES = st.integers(0, 9).map(str) | st.sampled_from(["a", "b.c"])
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
        | inner.map(lambda t: f"(-{t})")
    ),
    max_leaves=8,
)


@given(TREES)
def test_it_computes_what_python_does(text: str) -> None:
    plain = text.replace("b.c", "4.0").replace("a", "6.0")
    try:
        expected: Any = float(eval(plain))
    except ZeroDivisionError:
        expected = None
    assert computed(text) == (pytest.approx(expected) if expected is not None else None)


@given(st.lists(st.integers(1, 9), min_size=2, max_size=12))
def test_minus_and_divide_go_from_left_to_right(numbers: list[int]) -> None:
    assert computed(" - ".join(map(str, numbers))) == numbers[0] - sum(numbers[1:])
    expected = float(numbers[0])
    for _, number in pairwise(numbers):
        expected /= number
    assert computed(" / ".join(map(str, numbers))) == pytest.approx(expected)


MIX = DefinedMetric("mix", "write.iops / all.iops", Unit.RATIO, Better.HIGH, "how much is written")


def test_a_defined_metric_is_one_like_any_other() -> None:
    job = s.job(read=s.direction(ios=300), write=s.direction(ios=100))
    found = metric("mix", (MIX,))
    assert (found.path, found.unit, found.better) == ("mix", Unit.RATIO, Better.HIGH)
    assert found.help == "how much is written"
    assert found.extract(s.measurement(job)) == pytest.approx(0.25)
    assert found.extract(s.measurement(s.job(read=s.direction()))) is None
    assert "mix" in default_metrics([s.measurement(job)], (MIX,))
    assert "mix" not in default_metrics([s.measurement(s.job(read=s.direction()))], (MIX,))


def test_without_the_definition_there_is_no_such_metric() -> None:
    with pytest.raises(UsageError):
        metric("mix")
    with pytest.raises(UsageError) as near:
        metric("mixx", (MIX,))
    assert near.value.remedy == "did you mean mix?"
    assert metric("write.iops", (MIX,)).path == "write.iops"


def test_a_plan_of_a_newer_version_keeps_what_is_known() -> None:
    odd = DefinedMetric("odd", "write.iops ^ 2", Unit.COUNT, Better.LOW)
    plan: Plan = s.plan(s.case(s.threshold("write.iops"), s.threshold("write.new.thing")))
    plan = Plan(**{name: getattr(plan, name) for name in plan.__slots__} | {"metrics": (MIX, odd)})
    assert [each.path for each in plan_metrics(plan)] == ["write.iops", "mix"]
    with pytest.raises(ExpressionError):
        make_defined(odd)
