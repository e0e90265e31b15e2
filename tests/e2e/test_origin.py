"""What a CI system says of a run is kept with it, and clones without history are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iogate.errors import ExitCode
from support.repositories import commit, git

from .conftest import Iogate

SPEC = """\
version: 1
name: gate
targets: { here: { directory: . } }
baseline: { min_samples: 1 }
workloads:
  reads:
    fio: { ioengine: psync, rw: randread, bs: 4k, size: 1m, time_based: true, runtime: 100ms }
    repetitions: 1
    thresholds: { read.iops: "vs baseline > -90%" }
"""
BY_COMMITS = SPEC.replace("min_samples: 1", "min_samples: 1, ref: merge-base, fallback: main")
DEPTH = "git fetch --unshallow, or in GitHub Actions fetch-depth: 0 of actions/checkout"


def of_pull_request(folder: Path, head: str, merge: str) -> dict[str, str]:
    """The variables of a job that GitHub started for a pull request."""
    event = folder / "event.json"
    pull = {"number": 7, "head": {"sha": head, "ref": "topic"}, "base": {"ref": "main"}}
    event.write_text(json.dumps({"pull_request": pull}))
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_REPOSITORY": "org/fs",
        "GITHUB_SHA": merge,
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
    }


def on_main(head: str) -> dict[str, str]:
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": "push",
        "GITHUB_REF_NAME": "main",
        "GITHUB_SHA": head,
    }


def test_a_pull_request_is_recorded_as_what_it_is(iogate: Iogate) -> None:
    """Its own commit and branch, not the merge that the job checked out; main's runs after it are
    not compared with it."""
    (iogate.folder / ".gitignore").write_text("*\n")
    spec = iogate.spec(SPEC)
    base = commit(iogate.folder, "Base")
    git(iogate.folder, "checkout", "-q", "-b", "topic")
    head = commit(iogate.folder, "Quicker")
    git(iogate.folder, "checkout", "-q", "--detach", "main")
    git(iogate.folder, "merge", "-q", "--no-ff", "-m", "Merge", "topic")
    merge = git(iogate.folder, "rev-parse", "HEAD")
    done = iogate("run", spec, **of_pull_request(iogate.folder, head, merge))
    assert done.code == ExitCode.PASS, done.text
    kept = iogate.run_document()
    revision, origin = kept["revision"], kept["origin"]
    assert (revision["commit"], revision["branch"]) == (head, "topic")
    assert (revision["subject"], revision["dirty"]) == ("Quicker", False)
    assert (origin["number"], origin["base_ref"], origin["proposal"]) == (7, "main", True)
    shown = iogate("history", "show", kept["id"]).out
    assert "asked by  pull_request 7 into main of org/fs (github)" in shown
    assert iogate("history", "show", iogate.latest).out == shown

    git(iogate.folder, "checkout", "-q", "main")
    iogate("run", spec, **on_main(base))
    first = iogate.run_document()
    assert first["verdict"]["thresholds"][0]["outcome"] == "missing-baseline"
    assert (first["revision"]["commit"], first["revision"]["branch"]) == (base, "main")
    iogate("run", spec, **on_main(base))
    assert iogate.run_document()["verdict"]["baseline"]["runs"] == [first["id"]]


@pytest.mark.parametrize("words", [("--dry-run",), ()])
def test_a_shallow_clone_is_refused_with_the_remedy(
    iogate: Iogate, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Where the baseline is found by commits, and before anything is measured."""
    whole = tmp_path / "whole"
    commit(whole, "One")
    commit(whole, "Two")
    git(iogate.folder, "init", "-q", "-b", "main")
    git(iogate.folder, "remote", "add", "origin", f"file://{whole}")
    git(iogate.folder, "fetch", "-q", "--depth=1", "origin", "main")
    git(iogate.folder, "checkout", "-q", "-B", "main", "FETCH_HEAD")
    done = iogate("run", iogate.spec(BY_COMMITS), *words)
    assert (done.code, DEPTH in done.text) == (ExitCode.REFUSED, True), done.text
    assert not (iogate.folder / "iogate-runs").exists()
    assert iogate("run", iogate.spec(SPEC), *words).code == ExitCode.PASS
    git(iogate.folder, "fetch", "-q", "--unshallow")
    assert iogate("run", iogate.spec(BY_COMMITS), *words).code == ExitCode.PASS


def test_a_run_is_judged_by_a_history_that_it_is_kept_out_of(iogate: Iogate) -> None:
    spec = iogate.spec(SPEC)
    assert iogate("run", spec).code == ExitCode.PASS
    first = iogate.run_document()["id"]
    done = iogate("run", spec, "--no-store")
    assert done.code == ExitCode.PASS, done.text
    assert iogate.run_document()["verdict"]["baseline"]["runs"] == [first]
    assert (iogate.latest / "report.html").exists()
    kept = json.loads(iogate("history", "list", "--json").out)
    assert [run["run"] for run in kept] == [first]
    assert iogate("report", iogate.latest).code == ExitCode.PASS
