"""What comes back from a host takes no other host's part away."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from iogate.dispatch import gathering
from iogate.dispatch.base import Ended, Share
from iogate.dispatch.gathering import Gathered, gather
from iogate.store import open_store
from support import samples as s
from support.run_folders import make_run_folder


def gathered(folder: Path, host_name: str) -> Gathered:
    """A run of a host that says that it is called so."""
    root = make_run_folder(folder / "run")
    document = json.loads((root / "run.json").read_text())
    document["host"]["name"] = host_name
    (root / "run.json").write_text(json.dumps(document))
    share = Share("lab3", (s.CASE_ID,), root)
    with closing(open_store(str(folder / "history.sqlite"))) as store:
        return gather(Ended(share, "lab3", 0), store, keep=True)


def test_a_name_that_no_history_takes_is_a_fault_of_its_host_alone(tmp_path: Path) -> None:
    part = gathered(tmp_path, "\ud800").part
    assert part.exit_code == 4
    assert part.sentence.startswith("what came back cannot be used: ")


def test_what_a_host_is_called_is_kept_as_it_is(tmp_path: Path) -> None:
    part = gathered(tmp_path, "<b>lab\x1b[2J").part
    assert (part.exit_code, part.name) == (0, "<b>lab\x1b[2J")


def test_what_iogate_itself_cannot_take_is_a_fault_of_its_host_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "judge_run", lambda *_: 1 / 0)
    part = gathered(tmp_path, "lab").part
    assert part.exit_code == 4
    assert part.sentence == "what came back cannot be used: ZeroDivisionError: division by zero"


def test_a_run_of_a_newer_iogate_is_a_fault_of_its_host_alone(tmp_path: Path) -> None:
    root = make_run_folder(tmp_path / "run")
    document = json.loads((root / "run.json").read_text())
    (root / "run.json").write_text(json.dumps({**document, "schema": "run/99"}))
    share = Share("lab3", (s.CASE_ID,), root)
    with closing(open_store(str(tmp_path / "history.sqlite"))) as store:
        part = gather(Ended(share, "lab3", 0), store, keep=True).part
        assert not store.runs()
    assert part.exit_code == 4
    assert "run/99" in part.sentence
