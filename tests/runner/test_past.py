"""Histories go on: what earlier versions have written keeps its meaning.

``past/`` holds specs with the ids of their cases, environments with their digests, and documents
of every schema. Nothing in it is ever changed: a case whose id has to change keeps the old one
among its ``aka``. What a later version adds is added beside it.
"""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from iogate.archive import jsonl
from iogate.archive.transfer import keep
from iogate.environments import compared, digest
from iogate.model.document import (
    measurement_from_document,
    plan_from_document,
    run_from_document,
    to_document,
    trend_from_document,
    verdict_from_document,
)
from iogate.model.plan import Case
from iogate.spec import load_spec, load_spec_text, make_plan
from iogate.store import open_store
from iogate_reports import render_report
from repository.tree import ROOT

PAST = Path(__file__).parent / "past"
READERS: dict[str, Any] = {
    "plan": plan_from_document,
    "measurement": measurement_from_document,
    "run": run_from_document,
    "verdict": verdict_from_document,
    "trend": trend_from_document,
}


def read(name: str) -> Any:
    return json.loads((PAST / name).read_text("utf-8"))


SPECS: list[dict[str, Any]] = read("cases.json")
SHIPPED: dict[str, dict[str, str]] = read("shipped.json")


def lost(cases: tuple[Case, ...], ids: dict[str, str]) -> dict[str, str]:
    """Cases that the history would not find any more, by name."""
    known = {case.name: (case.id, *case.aka) for case in cases}
    return {name: was for name, was in ids.items() if was not in known.get(name, ())}


@pytest.mark.parametrize("number", range(len(SPECS)))
def test_a_case_keeps_its_id(number: int) -> None:
    spec = load_spec_text(SPECS[number]["text"], Path("golden.yaml"))
    assert not lost(make_plan(spec).cases, SPECS[number]["cases"]), SPECS[number]["text"]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_case_of_a_shipped_spec_keeps_its_id(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in [each for each in os.environ if each.startswith("IOGATE_")]:
        monkeypatch.delenv(variable)
    assert not lost(make_plan(load_spec(ROOT / name)).cases, SHIPPED[name])


@pytest.mark.parametrize("environment", read("environments.json"))
def test_an_environment_is_the_same_as_it_was(environment: dict[str, Any]) -> None:
    found = compared(environment["facts"])
    assert found == environment["compared"]
    assert digest(found) == environment["digest"]


@pytest.mark.parametrize("kind", READERS)
def test_a_document_is_read_as_it_was_written(kind: str) -> None:
    document = read(f"documents/{kind}.json")
    assert kept(document, to_document(READERS[kind](document))) == document


def test_a_history_is_taken_over_whole_and_shown(tmp_path: Path) -> None:
    with closing(open_store(f"sqlite:///{tmp_path}/history.sqlite")) as store:
        with (PAST / "history.jsonl").open("rb") as file:
            keep(store, jsonl.read(file, "history.jsonl"))
        runs = [store.run(each) for each in store.run_ids()]
    assert len(runs) == 3
    for run in runs:
        assert run.verdict
        assert run.measurements
        assert run.plan.spec_name in render_report(run, ())


def kept(old: Any, new: Any) -> Any:
    """What is in both: the old document, where nothing of it has changed or is gone."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {key: kept(value, new[key]) for key, value in old.items() if key in new}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [kept(one, other) for one, other in zip(old, new, strict=True)]
    return new
