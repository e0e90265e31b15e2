"""What comes back from a host takes no other host's part away."""

from __future__ import annotations

import json
import re
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.dispatch import gathering
from iogate.dispatch.base import Ended, Share
from iogate.dispatch.course import conclude
from iogate.dispatch.gathering import Gathered, gather
from iogate.model.dispatch import Part
from iogate.model.plan import Plan
from iogate.model.spec import Comparison
from iogate.model.verdict import Outcome
from iogate.store import open_store
from support import samples as s
from support.run_folders import make_run_folder

PLAN = s.plan(s.case())
MODEST = s.plan(s.case(s.threshold("write.iops", Comparison.GREATER, 1)))
STRICT = s.plan(s.case(s.threshold("write.iops", Comparison.GREATER, 1e15)))


def gathered(folder: Path, host_name: str) -> Gathered:
    """A run of a host that says that it is called so."""
    root = make_run_folder(folder / "run")
    document = json.loads((root / "run.json").read_text())
    document["host"]["name"] = host_name
    (root / "run.json").write_text(json.dumps(document))
    share = Share("lab3", (s.CASE_ID,), root)
    with closing(open_store(str(folder / "history.sqlite"))) as store:
        return gather(Ended(share, "lab3", 0), store, PLAN, keep=True)


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
        part = gather(Ended(share, "lab3", 0), store, PLAN, keep=True).part
        assert not store.runs()
    assert part.exit_code == 4
    assert "run/99" in part.sentence


def changed(root: Path, **parts: object) -> None:
    document = json.loads((root / "run.json").read_text())
    (root / "run.json").write_text(json.dumps({**document, **parts}))


def of_folder(root: Path, plan: Plan = PLAN, code: int = 0) -> Part:
    share = Share("lab3", (s.CASE_ID,), root)
    with closing(open_store(str(root.parent / "history.sqlite"))) as store:
        return gather(Ended(share, "lab3", code), store, plan, keep=True).part


@pytest.mark.parametrize("code", [0, 1, 5])
def test_a_host_that_says_how_it_ended_and_has_measured_nothing_has_failed(
    tmp_path: Path, code: int
) -> None:
    assert of_folder(tmp_path / "none", code=code).exit_code == 4
    assert of_folder(tmp_path / "none", code=3).exit_code == 3


def test_the_limits_are_those_of_who_asked(tmp_path: Path) -> None:
    """A host, or whoever changed the spec for it meanwhile, does not choose its own."""
    root = make_run_folder(tmp_path / "run")
    assert of_folder(root, STRICT).exit_code == 1


def test_a_host_is_not_believed_what_it_makes_of_a_fault(tmp_path: Path) -> None:
    root = make_run_folder(tmp_path / "run")
    verdict = {**json.loads((root / "run.json").read_text())["verdict"], "fault": "it broke"}
    changed(root, verdict=verdict)
    assert of_folder(root, STRICT).exit_code == 1


def test_a_run_that_the_history_has_comes_back_once(tmp_path: Path) -> None:
    """An old one that passed is no measurement of now."""
    root = make_run_folder(tmp_path / "run")
    assert of_folder(root).exit_code == 0
    for status in ("complete", "running"):
        changed(root, status=status)
        part = of_folder(root)
        assert part.exit_code == 4
        assert "the history has" in part.sentence


def test_a_folder_that_is_a_link_is_not_read_or_written(tmp_path: Path) -> None:
    elsewhere = make_run_folder(tmp_path / "elsewhere")
    before = (elsewhere / "run.json").stat().st_mtime_ns
    (tmp_path / "run").symlink_to(elsewhere)
    part = of_folder(tmp_path / "run")
    assert part.exit_code == 4
    assert (elsewhere / "run.json").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("off_s", "told"),
    [(86400, "86,... s or more ahead of"), (-86400, "86,... s or more behind"), (100, ""),
     (-100, "")],
)  # fmt: skip
def test_a_run_of_a_host_whose_clock_is_wrong_is_dated_here(
    off_s: int, told: str, tmp_path: Path
) -> None:
    """A history is ordered by time: a run of next year would be the newest until then."""
    root, now_ns = make_run_folder(tmp_path / "run"), time.time_ns()
    document = json.loads((root / "run.json").read_text())
    took_ns = document["finished_ns"] - document["started_ns"]
    document["started_ns"] = now_ns - took_ns + off_s * 10**9
    document["finished_ns"] = now_ns + off_s * 10**9
    (root / "run.json").write_text(json.dumps(document))
    share = Share("n1", (s.CASE_ID,), root)
    with closing(open_store(str(tmp_path / "history.sqlite"))) as store:
        done = gather(Ended(share, "n1", 0), store, PLAN, keep=True, since_ns=now_ns - took_ns)
        (kept,) = store.runs()
    assert done.finished
    assert re.search(told, " ".join(done.finished.notes))
    assert bool(done.finished.notes) == bool(told)
    assert kept.finished_ns - kept.started_ns == took_ns
    if told:
        assert now_ns - took_ns <= kept.started_ns < kept.finished_ns <= time.time_ns()


def ended(*parts: Part) -> str:
    gathered = [Gathered(part) for part in parts]
    return conclude(PLAN, gathered, 0, interrupted=False).sentence


def test_the_whole_says_no_more_than_its_parts_do(tmp_path: Path) -> None:
    """What passes because nothing was decided is not called a pass."""
    empty = of_folder(make_run_folder(tmp_path / "a/run"))
    assert (empty.exit_code, empty.word) == (0, "not judged")
    assert ended(empty).startswith("1 of 1 run on 1 host: lab3: not judged: 1 case measured")
    held = of_folder(make_run_folder(tmp_path / "b/run"), MODEST)
    assert (held.word, ended(held)) == ("pass", "pass: 1 run on 1 host")
    warned = replace(held, host="lab4", outcome=Outcome.WARN, word="warn", sentence="warn: slow")
    assert ended(held, warned, empty) == "1 of 3 runs on 2 hosts: lab4: warn: slow"
    failed = replace(held, exit_code=1, outcome=Outcome.FAIL, word="fail", sentence="fail: low")
    assert ended(warned, failed) == "1 of 2 runs on 2 hosts: lab3: fail: low"
