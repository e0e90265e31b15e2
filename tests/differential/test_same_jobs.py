"""Job files under fio and under ours: they agree, or differ as docs/differences.md says."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from differential.cases import OPTIONS, Case, cases
from differential.compare import compare, listed

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "differences.md"
CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_fio_and_ours_agree(engine: Path, fio: str, tmp_path: Path, case: Case) -> None:
    found = [each for each in compare(engine, fio, case, tmp_path) if not each.why]
    assert not found, f"{found}\n{case.text}"


def test_there_are_as_many_as_promised() -> None:
    assert len(CASES) >= 400
    assert len({case.text for case in CASES}) >= 400


def test_each_option_and_each_of_its_words_is_tried(engine: Path) -> None:
    asked = [str(engine), "--option-table"]
    table = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)
    untried = []
    for row in table["options"]:
        tried = OPTIONS.get(row["name"]) or OPTIONS.get(row.get("alias", ""))
        if tried is None:
            untried.append(row["name"])
            continue
        values = {value.partition(":")[0] for value in tried["values"]}
        words = set(row.get("choices", ())) - {"0", "1"}
        untried += [f"{row['name']}={word}" for word in sorted(words - values)]
    assert sorted(set(untried) - UNTRIED) == []


def _names(engine: Path) -> set[str]:
    asked = [str(engine), "--option-table"]
    table = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)
    rows = [*table["options"], *(row for each in table["ioengines"] for row in each["options"])]
    return {row[key] for row in rows for key in ("name", "alias") if key in row}


def test_at_most_ten_options_are_left(engine: Path) -> None:
    """OPTIONS has every generic option of fio's, by its name; the document says why one is left."""
    left = [name for name in OPTIONS if name not in _names(engine)]
    assert len(left) <= 10
    not_yet = DOCUMENT.read_text("utf-8").partition("## What is not there yet")[2]
    assert [name for name in left if f"`{name}`" not in not_yet] == []


def test_help_lists_every_option_that_is_there(engine: Path) -> None:
    asked = [str(engine), "--cmdhelp=all"]
    told = subprocess.run(asked, capture_output=True, check=True, text=True).stdout
    words = set(re.findall(r"[\w-]+", told))
    assert [name for name in OPTIONS if name in _names(engine) and name not in words] == []


# What takes a device, huge pages or zones; what stands beside another option (verify=pattern, of
# verify_pattern); and what Debian's fio lacks. They have tests in tests/native.
UNTRIED = {
    *("filetype=block", "filetype=char", "mem=mmaphuge", "mem=shmhuge", "zonemode=zbd"),
    *("verify=pattern", "verify=pattern_hdr", "fadvise_hint=noreuse"),
}


def test_each_listed_difference_is_in_the_document() -> None:
    text = DOCUMENT.read_text("utf-8")
    assert [row.why for row in listed() if row.why not in text] == []
