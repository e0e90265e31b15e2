"""Events of a form that nobody expects: what cannot be told is not allowed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from repository.test_fork_gate import SHA, admit, pull_request


@pytest.mark.parametrize("source", ["", None])
def test_without_a_repository_nobody_is_at_home(source: str | None, tmp_path: Path) -> None:
    event = pull_request(SHA)
    event["pull_request"]["head"]["repo"] = None if source is None else {"full_name": source}
    code, said, outputs = admit(
        tmp_path, "pull_request_target", json.dumps(event), GITHUB_REPOSITORY=""
    )
    assert (code, outputs) == (1, "")
    assert "comes from a fork" in said


@pytest.mark.parametrize("event", ["pull_request_target", "push"])
def test_an_event_without_end_is_told(event: str, tmp_path: Path) -> None:
    code, said, outputs = admit(tmp_path, event, "[" * 100_000)
    assert (code, outputs) == (1, "")
    assert said.startswith("::error title=not measured::the event cannot be read")
