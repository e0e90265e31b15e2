"""The options there are: iogate-engine's own table, and what only fio has beside it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from iogate.jobs import engine_table
from iogate.jobs.options import (
    ALIASES,
    CHOICES,
    NATIVE_CHOICES,
    NATIVE_OPTIONS,
    ONLY_FIO,
    ONLY_FIO_ENGINES,
    OPTIONS,
    SPELLED,
    SYNC_ENGINES,
    canonical_key,
    transfers_of,
)
from iogate.model.measurement import TRANSFERS
from iogate.model.spec import JobSpec
from iogate.spec.case_id import canonical_options
from support.engine_runs import built_engine

SPELLINGS = json.loads((Path(__file__).parent / "spellings.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def table() -> Any:
    asked = [str(built_engine()), "--option-table"]
    return json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)


def test_the_copy_of_the_engines_table_is_current(table: Any) -> None:
    engines = {row["name"]: row for row in table["ioengines"]}
    rows = [*table["options"], *(row for each in engines.values() for row in each["options"])]
    names = {row["name"] for row in rows}
    assert {canonical_key(name) for name in names} == NATIVE_OPTIONS, "scripts/generate.py"
    for row in rows:
        if "alias" in row:
            assert canonical_key(row["alias"]) == canonical_key(row["name"])
        if "choices" in row:
            assert NATIVE_CHOICES[row["name"]] == tuple(row["choices"])
    assert NATIVE_CHOICES["ioengine"] == tuple(engines)
    assert {name for name in engines if engines[name]["synchronous"]} <= SYNC_ENGINES


def test_the_engine_knows_an_option_by_the_name_in_job_files(table: Any) -> None:
    """Whichever of its names a spec has: log_unix_epoch goes into job files by its newer one."""
    rows = [*table["options"], *(row for each in table["ioengines"] for row in each["options"])]
    known = {row[key] for row in rows for key in ("name", "alias") if key in row}
    assert {canonical_key(name) for name in known} <= known


def test_what_the_engine_has_is_not_written_by_hand_again() -> None:
    """But for what ids of cases spell by another kind."""
    native = {
        name: kind
        for kind, names in engine_table.OPTIONS.items()
        for entry in names.split()
        for name in entry.split("=")
    }
    by_hand = [
        *(entry for names in ONLY_FIO.values() for entry in names.split()),
        *ONLY_FIO_ENGINES.split(),
    ]
    assert [name for entry in by_hand for name in entry.split("=") if name in native] == []
    for kind, names in SPELLED.items():
        for entry in names.split():
            for name in entry.split("="):
                assert native[name] != kind.name or "=" in entry


def test_the_words_of_the_engine_are_words_of_fio() -> None:
    for key, words in CHOICES.items():
        assert set(NATIVE_CHOICES[key]) <= set(words)


@pytest.mark.parametrize("group", SPELLINGS["groups"], ids=lambda g: g["options"].split()[0])
def test_an_option_is_spelled_in_ids_as_it_always_was(group: dict[str, Any]) -> None:
    for key in set(group["options"].split()) - {"description"}:  # which is no part of an id
        for text in SPELLINGS["texts"]:
            spelled = canonical_options(JobSpec("j", {key: text}))[key]
            assert spelled == group["spelled"].get(text, text), (key, text)


def test_every_option_of_then_is_one_now() -> None:
    then = [name for group in SPELLINGS["groups"] for name in group["options"].split()]
    assert set(then) == set(OPTIONS) - set(SPELLINGS["later"])
    assert not set(ALIASES) & set(OPTIONS)


@pytest.mark.parametrize(
    ("rw", "transfers"),
    [
        ("randread:8", {"read"}),
        ("write", {"write"}),
        ("readwrite", {"read", "write"}),
        ("randrw", {"read", "write"}),
        ("trimwrite", {"trim", "write"}),
        ("what is this", {"read", "write", "trim"}),
    ],
)
def test_what_a_job_transfers(rw: str, transfers: set[str]) -> None:
    assert set(transfers_of(rw)) == transfers


def test_each_value_of_rw_transfers_what_its_name_says() -> None:
    for rw in CHOICES["rw"]:
        said = {name for name in TRANSFERS if name in rw}
        assert set(transfers_of(rw)) == (said or {"read", "write"})
