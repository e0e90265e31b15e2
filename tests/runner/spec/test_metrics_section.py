"""The ``metrics`` section of a spec."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.errors import SpecError
from iogate.model.plan import Plan
from iogate.model.units import Better, Unit
from iogate.spec import load_spec_text, make_plan

SPEC = """\
version: 1
targets: { here: { directory: /tmp } }
workloads:
  mix:
    target: here
    fio: { rw: randrw, bs: 4k, size: 4m }
    thresholds:
      %s: "%s"
metrics:
  share:
    value: %s
    unit: ratio
    better: high
"""


def plan(metric: str = "share", limit: str = "> 0.2", value: str = "write.bw / all.bw") -> Plan:
    return make_plan(load_spec_text(SPEC % (metric, limit, value), Path("mix.yaml")))


def refusal(metric: str = "share", limit: str = "> 0.2", value: str = "write.bw / all.bw") -> str:
    with pytest.raises(SpecError) as refused:
        plan(metric, limit, value)
    return str(refused.value)


def test_a_definition_is_part_of_the_plan_and_can_be_limited() -> None:
    (definition,) = plan().metrics
    assert (definition.name, definition.expression) == ("share", "write.bw / all.bw")
    assert (definition.unit, definition.better) == (Unit.RATIO, Better.HIGH)
    (threshold,) = plan().cases[0].thresholds
    assert (threshold.metric, threshold.limit.value) == ("share", 0.2)


def test_the_unit_and_direction_of_a_limit_are_checked() -> None:
    assert "does not fit" in refusal(limit="> 2ms")
    assert "higher is better" in refusal(limit="< 0.2")


@pytest.mark.parametrize(
    ("value", "place", "words"),
    [
        ("write.bw / all.bq", "mix.yaml:11:23", "no metric is named 'all.bq'"),
        ("write.bw /", "mix.yaml:11:22", "found the end"),
        ("write.bw // all.bw", "mix.yaml:11:22", "found '/'"),
        ('"write.bw / nope"', "mix.yaml:11:12", "no metric is named 'nope'"),
        ("share / 2", "mix.yaml:11:12", "no metric is named 'share'"),
    ],
)
def test_a_wrong_expression_is_refused_in_its_place(value: str, place: str, words: str) -> None:
    said = refusal(metric="write.iops", limit="> 1", value=value)
    assert said.startswith(place)
    assert words in said


def test_a_name_of_the_table_is_taken() -> None:
    text = (SPEC % ("write.iops", "> 1", "write.bw")).replace("share:", "errors:")
    with pytest.raises(SpecError, match="a metric already") as refused:
        load_spec_text(text, Path("mix.yaml"))
    assert str(refused.value.where) == "mix.yaml:10:3"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("unit: ratio", "unit: furlong", "ns, B/s"),
        ("better: high", "better: maybe", "low or high"),
        ("    better: high\n", "", "the key 'better' is missing"),
        ("share:\n", "Share.X:\n", "cannot be a name here"),
        ("unit: ratio", "unit: ratio\n    units: x", "unknown key 'units'"),
    ],
)
def test_a_definition_of_another_shape_is_refused(old: str, new: str, words: str) -> None:
    text = (SPEC % ("write.iops", "> 1", "write.bw")).replace(old, new)
    with pytest.raises(SpecError) as refused:
        load_spec_text(text, Path("mix.yaml"))
    assert words in str(refused.value)
    assert str(refused.value).startswith("mix.yaml:")


def test_a_metric_that_is_not_defined_is_suggested() -> None:
    assert "did you mean share?" in refusal(metric="shared")
