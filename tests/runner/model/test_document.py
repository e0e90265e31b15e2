"""Documents: nothing is lost on the way to JSON and back, and nonsense is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iogate.errors import RunError
from iogate.model.dispatch import Dispatch
from iogate.model.document import (
    SCHEMAS,
    dispatch_from_document,
    fleet_from_document,
    measurement_from_document,
    notice_from_document,
    plan_from_document,
    run_from_document,
    to_document,
    trend_from_document,
    verdict_from_document,
)
from iogate.model.fleet import Fleet
from iogate.model.histogram import Histogram
from iogate.model.measurement import Measurement
from iogate.model.notice import Notice
from iogate.model.plan import Case, Plan
from iogate.model.run import CaseFailure, Host, Run
from iogate.model.schema import json_schema
from iogate.model.trend import Trend
from iogate.model.verdict import RunVerdict
from support import samples as s

ROOT = Path(__file__).resolve().parents[3]
READERS: dict[type, Any] = {
    Plan: plan_from_document,
    Measurement: measurement_from_document,
    Run: run_from_document,
    RunVerdict: verdict_from_document,
    Notice: notice_from_document,
    Trend: trend_from_document,
    Dispatch: dispatch_from_document,
    Fleet: fleet_from_document,
}
KINDS = sorted(SCHEMAS, key=lambda kind: kind.__name__)

# In a union with text, such as a fact of the environment, NaN would come back as text.
st.register_type_strategy(float, st.floats(allow_nan=False))
# What is beyond is no time, and no count of anything.
st.register_type_strategy(int, st.integers(-(2**62), 2**62))
st.register_type_strategy(
    Histogram,
    st.dictionaries(st.integers(0, 2**40), st.integers(1, 2**40), max_size=4).map(
        lambda bins: Histogram(dict(sorted(bins.items())))
    ),
)
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
CASE_IDS, TIMES = st.from_regex(r"[0-9a-f]{16}", fullmatch=True), st.integers(0, 2**62)
MADE: dict[type, st.SearchStrategy[Any]] = {
    Case: st.builds(Case, id=CASE_IDS),
    CaseFailure: st.builds(CaseFailure, case_id=CASE_IDS),
    Measurement: st.builds(Measurement, case_id=CASE_IDS, started_ns=TIMES),
    Host: st.builds(Host, name=NAMES, machine_id=NAMES),
    Plan: st.builds(Plan, spec_name=NAMES),
    Run: st.builds(Run, id=CASE_IDS, started_ns=TIMES, finished_ns=TIMES),
}
for made, strategy in MADE.items():
    st.register_type_strategy(made, strategy)


def as_read_back(document: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(document, allow_nan=False)
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def schema_file(kind: type) -> dict[str, Any]:
    path = ROOT / "schemas" / f"{SCHEMAS[kind][0]}.schema.json"
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_value_survives_json_and_fits_its_schema(kind: type, data: st.DataObject) -> None:
    value = data.draw(st.from_type(kind))
    document = as_read_back(to_document(value))
    jsonschema.Draft7Validator(schema_file(kind)).validate(document)
    jsonschema.Draft202012Validator(schema_file(kind)).validate(document)
    assert to_document(READERS[kind](document)) == document
    assert json.dumps(to_document(READERS[kind](document))) == json.dumps(document)
    if kind is not Run:  # an infinite fact of its environment becomes text
        assert READERS[kind](document) == value


def test_a_whole_run_survives() -> None:
    measured = s.measurement(
        s.job(series=s.series([1, 2]), write=s.direction(clat=s.latency([1, 2, 900_000])))
    )
    run = s.run(measurements=(measured,), outcome=s.verdict())
    document = as_read_back(to_document(run))
    assert document["schema"] == "run/1"
    assert run_from_document(document) == run
    clat = document["measurements"][0]["jobs"][0]["directions"]["write"]["clat"]
    assert clat["histogram"] == [[1, 1], [2, 1], [900_000, 1]]


@pytest.mark.parametrize(
    ("value", "text"),
    [(float("nan"), "NaN"), (float("inf"), "Infinity"), (float("-inf"), "-Infinity")],
)
def test_numbers_that_json_lacks_are_texts(value: float, text: str) -> None:
    document = as_read_back(to_document(s.repetitions([value])[0]))
    assert document["jobs"][0]["directions"]["write"]["iops"] == text
    found = measurement_from_document(document).jobs[0].directions["write"].iops
    assert repr(found) == repr(value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("schema", "words"),
    [("2", "newer iogate"), ("0", "expected"), ("x", "expected"), ("", "expected")],
)
def test_a_newer_or_odd_schema_is_refused(kind: type, schema: str, words: str) -> None:
    name = SCHEMAS[kind][0]
    with pytest.raises(RunError, match=name) as refused:
        READERS[kind]({"schema": f"{name}/{schema}"})
    assert words in str(refused.value)


@pytest.mark.parametrize(
    "path",
    [("plan", "spec_name"), ("host", "name"), ("host", "machine_id")],
)
@pytest.mark.parametrize("character", ["\ud800", "\0"])
def test_half_a_character_is_no_name(path: tuple[str | int, ...], character: str) -> None:
    """JSON can say it, and no history can keep it."""
    document = changed(path, f"a{character}")
    with pytest.raises(RunError, match=r"'a\\(ud800|x00)' is not text"):
        run_from_document(document)


def changed(path: tuple[str | int, ...], value: object) -> Any:
    """The document of a run that has everything, with another value in one place."""
    run = s.run(measurements=(s.measurement(),))
    run = replace(run, failures=(CaseFailure("a1", 1, "broken"),))
    document: Any = as_read_back(to_document(run))
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return document


CASES: tuple[tuple[str | int, ...], ...] = (
    ("plan", "cases", 0, "id"), ("measurements", 0, "case_id"), ("failures", 0, "case_id"),
)  # fmt: skip


@pytest.mark.parametrize(
    "value", ["", "../../x", "..", "a/b", "a\ud800", "a\0b", "a\nb", "x" * 256]
)
def test_an_id_that_leads_elsewhere_is_none(value: str) -> None:
    with pytest.raises(RunError, match="is not the id of a run"):
        run_from_document(changed(("id",), value))
    for path in CASES:
        with pytest.raises(RunError, match="is not the id of a case"):
            run_from_document(changed(path, value))


@pytest.mark.parametrize("value", ["0" * 32, "2025-11-20T22.16 nightly", "night-001", "ä"])
def test_ids_of_runs_of_before_are_read(value: str) -> None:
    assert run_from_document(changed(("id",), value)).id == value


@pytest.mark.parametrize("value", ["0123456789abcdef", "precondition-fill-1", "a1"])
def test_ids_of_cases_of_before_are_read(value: str) -> None:
    for path in CASES:
        run_from_document(changed(path, value))


@pytest.mark.parametrize("value", [-(2**63), -(10**30), 2**63, 10**30])
@pytest.mark.parametrize(
    "path", [("started_ns",), ("finished_ns",), ("measurements", 0, "started_ns")]
)
def test_a_time_that_is_none(path: tuple[str | int, ...], value: int) -> None:
    with pytest.raises(RunError, match="is not a time"):
        run_from_document(changed(path, value))


@pytest.mark.parametrize("document", [{}, {"schema": "run/1"}, {"schema": 7}, [], None, "x"])
def test_a_document_of_another_kind_is_refused(document: Any) -> None:
    with pytest.raises(RunError, match="plan"):
        plan_from_document(document)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["repetition"], "one", r"at \.repetition: expected a whole number, found 'one'"),
        (["repetition"], True, "expected a whole number"),
        (["jobs"], {}, r"at \.jobs: expected an array"),
        (["jobs", 0], 3, r"at \.jobs\[0\]: expected an object"),
        (["jobs", 0, "directions", "write", "iops"], "fast", r"\.write\.iops: expected a number"),
        (["jobs", 0, "directions", "write", "clat", "histogram"], [[1]], r"\[value, count\]"),
        (["jobs", 0, "directions", "write", "clat", "histogram"], [[1, 2.5]], "whole numbers"),
        (["engine", "name"], None, r"at \.engine\.name: expected text"),
    ],
)
def test_what_is_broken_is_named(path: list[Any], value: Any, words: str) -> None:
    document = as_read_back(to_document(s.measurement()))
    place: Any = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(RunError, match=words):
        measurement_from_document(document)


def test_a_histogram_is_ascending_whatever_the_order_it_came_in() -> None:
    measured = s.measurement(s.job(write=s.direction(clat=s.latency([1, 2, 3]))))
    document = as_read_back(to_document(measured))
    document["jobs"][0]["directions"]["write"]["clat"]["histogram"].reverse()
    clat = measurement_from_document(document).jobs[0].directions["write"].clat
    assert clat is not None
    assert clat.histogram is not None
    assert list(clat.histogram.bins) == [1, 2, 3]


def test_fields_may_be_added_and_defaults_left_out() -> None:
    document = as_read_back(to_document(s.measurement()))
    del document["warnings"], document["kernel_log"]
    document["from_a_later_release"] = 1
    assert measurement_from_document(document) == s.measurement()
    del document["engine"]
    with pytest.raises(RunError, match="the field engine"):
        measurement_from_document(document)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    st.sampled_from(["jobs", "engine", "repetition", "disks", "warnings", "raw_file"]),
)
def test_any_json_is_read_or_refused(value: Any, field: str) -> None:
    document = to_document(s.measurement()) | {field: value}
    try:
        found = measurement_from_document(document)
    except RunError as error:
        assert field in error.what  # noqa: PT017
    else:
        assert to_document(found).keys() == to_document(s.measurement()).keys()


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_files_are_those_of_the_classes(kind: type) -> None:
    assert schema_file(kind) == json_schema(kind)
    jsonschema.Draft7Validator.check_schema(schema_file(kind))
    jsonschema.Draft202012Validator.check_schema(schema_file(kind))
