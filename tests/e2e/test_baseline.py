"""What a run on a branch is compared with, and what the history says of the host's noise."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.repositories import commit, git

from .conftest import Iogate

SPEC = """\
version: 1
name: revisions
targets: { here: { directory: auto } }
workloads:
  reads:
    target: here
    fio: { rw: randread, bs: 4k, size: 1m, ioengine: psync, thinktime: 500, number_ios: 40 }
    repetitions: 3
    thresholds:
      read.iops: ["vs baseline > -90%"]
baseline: { ref: merge-base, fallback: main, min_samples: 5 }
on_missing_baseline: fail
"""


@pytest.fixture
def measured(iogate: Iogate) -> Iogate:
    """Two runs of a commit of main; a branch left it there, and main went on."""
    (iogate.folder / ".gitignore").write_text("*\n")
    commit(iogate.folder, "First")
    for _ in range(2):
        iogate("run", iogate.spec(SPEC), "--label", "first")
    git(iogate.folder, "checkout", "-q", "-b", "topic")
    commit(iogate.folder, "Of the branch")
    git(iogate.folder, "checkout", "-q", "main")
    commit(iogate.folder, "Second")
    iogate("run", iogate.spec(SPEC), "--label", "second")
    git(iogate.folder, "checkout", "-q", "topic")
    return iogate


def labels(iogate: Iogate, document: dict[str, Any]) -> set[str]:
    kept = json.loads(iogate("history", "list", "--json").out)
    names = {run["run"]: run["label"] for run in kept}
    return {names[run] for run in document["verdict"]["baseline"]["runs"]}


def test_a_branch_is_compared_with_where_it_left(measured: Iogate) -> None:
    done = measured("run", "spec.yaml", "--label", "topic")
    assert done.code == 0, done.text
    document = measured.run_document()
    used = document["verdict"]["baseline"]
    assert (used["ref"], used["fallback"]) == ("merge-base", "")
    assert used["commit"] == git(measured.folder, "merge-base", "main", "topic")
    assert labels(measured, document) == {"first"}
    (threshold,) = document["verdict"]["thresholds"]
    assert (threshold["outcome"], threshold["baseline_runs"]) == ("pass", 2)


def test_a_branch_without_history_is_compared_with_the_fallback(measured: Iogate) -> None:
    spec = measured.spec(SPEC.replace("ref: merge-base", "ref: never-measured"))
    done = measured("run", spec, "--label", "topic")
    assert done.code == 0, done.text
    document = measured.run_document()
    assert document["verdict"]["baseline"]["fallback"] == "main"
    assert labels(measured, document) == {"first", "second"}
    alone = measured("run", measured.spec(SPEC.replace("fallback: main,", "window: 3,").replace(
        "ref: merge-base", "ref: never-measured")))  # fmt: skip
    assert alone.code == 5, alone.text
    assert "looked for runs of never-measured, which git does not know here" in alone.text


def test_a_canary_is_the_noise_of_later_runs(measured: Iogate) -> None:
    done = measured("canary", "spec.yaml", "--blocks", "4", "--quiet")
    assert done.code == 0, done.text
    (own,) = measured.run_document()["verdict"]["noise"]
    assert (own["source"], own["runs"]) == ("canary", 8)
    measured("run", "spec.yaml")
    (later,) = measured.run_document()["verdict"]["noise"]
    assert (later["run"], later["sd"]) == (own["run"], own["sd"])
    assert [seen["blocks"] for seen in later["visible"]] == [6, 10, 20, 28]
