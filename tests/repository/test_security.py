"""SECURITY.md names the tests that hold what it promises."""

from __future__ import annotations

import re

import pytest

from repository.tree import ROOT

TEXT = (ROOT / "SECURITY.md").read_text()
PROMISED = re.findall(r"^- \*\*(.+?)\.?\*\*", TEXT, re.MULTILINE)
ROWS = dict(re.findall(r"^\| ([A-Z][^|]+) \| (.+) \|$", TEXT, re.MULTILINE))
NAMED = sorted(set(re.findall(r"`(tests/[^`]+)`", TEXT)))


def test_each_promise_has_a_row() -> None:
    assert len(PROMISED) >= 10
    assert list(ROWS) == PROMISED


def test_each_row_names_a_test_or_says_that_there_is_none() -> None:
    assert [what for what, by in ROWS.items() if "`tests/" not in by and "no test" not in by] == []


@pytest.mark.parametrize("name", NAMED)
def test_each_test_that_is_named_exists(name: str) -> None:
    path, _, test = name.partition("::")
    text = (ROOT / path).read_text()
    assert f"def {test or 'test_'}" in text
