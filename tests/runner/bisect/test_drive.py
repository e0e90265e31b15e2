"""What becomes of a revision that is tried."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from iogate.bisect import drive
from iogate.bisect.drive import Bisection, Step
from iogate.bisect.ends import Ends, Key, Side
from iogate.bisect.search import ListSearch
from iogate.engine.base import Stop
from iogate.metrics import metric
from iogate.run.request import Request
from support import samples as s

KEY = Key("oltp/bs=4k", "write.iops")
ENDS = Ends(KEY, metric(KEY.metric), 1000, 500, 700)


def steps(
    monkeypatch: pytest.MonkeyPatch, folder: Path, iops: Sequence[float]
) -> tuple[list[Step], int]:
    """What a search of three builds comes to where each repetition of the middle one has these
    values, and how often it was measured."""
    measured = []

    def execute(*_: object) -> SimpleNamespace:
        measured.append(s.run("a", measurements=s.repetitions(iops)))
        return SimpleNamespace(run=measured[-1], errors=())

    monkeypatch.setattr(drive, "execute", execute)
    monkeypatch.setattr(drive, "make_request_plan", lambda _request: None)
    request = Request(spec=folder / "spec.yaml", sut=Mock())
    one = Bisection(request, folder, lambda _build: None, (), folder, Mock(), Stop())
    return list(one.steps(ListSearch(["good", "middle", "bad"]), ENDS)), len(measured)


def test_a_revision_is_on_the_side_of_its_values(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = steps(monkeypatch, tmp_path, [480, 500, 510])
    assert found == ([Step("middle", Side.BAD, (480, 500, 510))], 1)


def test_a_revision_without_a_value_is_not_measured_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (step,), measured = steps(monkeypatch, tmp_path, [])
    assert (step.side, measured) == (Side.UNCLEAR, 1)
    assert step.why == "no repetition gave a value of the metric"
