"""The walks of docs/architecture.md lead through files and functions that exist."""

import re

import pytest

from repository.tree import ROOT

_STEP = re.compile(r"^\d+\. `([^`]+)`: `(\w+)`", re.MULTILINE)
_NUMBERED = re.compile(r"^\d+\. ", re.MULTILINE)
_WALKS = (ROOT / "docs/architecture.md").read_text().partition("## Four walks")[2]
_STEPS = _STEP.findall(_WALKS)


def test_there_are_four_walks_and_each_step_names_a_file_and_a_function() -> None:
    assert len(re.findall(r"^### ", _WALKS, re.MULTILINE)) == 4
    assert len(_STEPS) == len(_NUMBERED.findall(_WALKS)) >= 20


@pytest.mark.parametrize(("file", "function"), _STEPS)
def test_a_step_of_a_walk_exists(file: str, function: str) -> None:
    text = (ROOT / file).read_text()
    in_python = rf"^ *(def|class) {function}\b"
    in_c = rf"^(?!\t|.*;$).*\b{function}\("
    assert re.search(in_python if file.endswith(".py") else in_c, text, re.MULTILINE)
