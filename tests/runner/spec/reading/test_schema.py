"""The schema that editors use is the one that specs are checked with."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator, Draft202012Validator

from iogate.errors import SpecError
from iogate.jobs.options import ALIASES, OPTIONS
from iogate.spec.reading.schema import schema
from support.specs import problem

DRAFTS = [Draft7Validator, Draft202012Validator]


def test_it_knows_every_option_of_fio() -> None:
    described = schema()["definitions"]["fio"]["allOf"][0]["properties"]
    assert set(described) == set(OPTIONS) | set(ALIASES)


@pytest.mark.parametrize("draft", DRAFTS)
def test_it_is_valid(draft: Any) -> None:
    draft.check_schema(schema())


def undescribed(node: Any, path: str = "") -> list[str]:
    """Properties without a description, where an editor would show nothing."""
    if not isinstance(node, dict):
        return []
    found = []
    for name, value in node.get("properties", {}).items():
        where = f"{path}/{name}"
        if isinstance(value, dict) and not ({"description", "$ref"} & set(value)):
            found.append(where)
        found += undescribed(value, where)
    return found


def test_every_key_of_ours_is_described() -> None:
    ours = {name: d for name, d in schema()["definitions"].items() if name != "fio"}
    assert undescribed(schema()) == []
    assert [key for name, d in ours.items() for key in undescribed(d, name)] == []


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("version: 1\nx-a: 1\nextends: b.yaml\n", True),
        (
            "version: 1\ntargets: {d: {file: x}}\nworkloads: {w: {fio: {direct: on, bs: 4k}}}\n",
            True,
        ),
        ("version: 2\n", False),
        ("version: 1\nfoo: 1\n", False),
        ("version: 1\nworkloads: {w: {fio: {iodeph: 1}}}\n", False),
        ("version: 1\nworkloads: {w: {fio: {bs: [4k]}}}\n", False),
        ("version: 1\nworkloads: {w: {thresholds: {read.iops: {limt: x}}}}\n", False),
    ],
)
def test_drafts_agree(draft: Any, text: str, *, good: bool) -> None:
    errors = list(draft(schema()).iter_errors(yaml.safe_load(text)))
    assert (errors == []) == good


def test_what_was_meant_decides_which_alternative_is_explained() -> None:
    text = (
        "version: 1\ntargets: {d: {file: x}}\n"
        "workloads: {w: {fio: {rw: read}, thresholds: {read.iops: {limit: '> 1', level: no}}}}\n"
    )
    error: SpecError = problem(text)
    assert "level is fail or warn" in error.what
