"""Workflows whose runs meet in one history, by act: the nights of nightly.yml, and a job of one's
own for pull requests and main. What act does not have: Pages, whose two actions are stand-ins that
keep the pages, the environment of the job that publishes, and schedules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from repository.test_workflows import CHECKOUT, SPEC, Job, Repository
from support.repositories import commit, git

UPLOAD_PAGES = "actions/upload-pages-artifact@56afc609e74202658d3ffba0e8f6dda462b719fa"
DEPLOY_PAGES = "actions/deploy-pages@d6db90164ac5ed86f2b6aed7e0febac5b3c0c03e"
STAND_INS = {
    UPLOAD_PAGES: """\
name: upload-pages-artifact
description: keeps the pages
inputs: {path: {required: true}}
runs:
  using: composite
  steps:
    - shell: bash
      run: rm -rf KEPT_IN/pages && mkdir -p KEPT_IN && cp -r "$FROM" KEPT_IN/pages
      env: {FROM: "${{ inputs.path }}"}
""",
    DEPLOY_PAGES: """\
name: deploy-pages
description: publishes what was kept
outputs: {page_url: {value: "https://pages.example"}}
runs:
  using: composite
  steps:
    - shell: bash
      run: rm -rf KEPT_IN/public && cp -r KEPT_IN/pages KEPT_IN/public
""",
}
SHORT = SPEC.replace("runtime: 1s", "runtime: 200ms")
OWN = f"""\
name: own
on: [push, pull_request]
jobs:
  gate:
    runs-on: [self-hosted, linux, storage]
    steps:
      - uses: {CHECKOUT}
        with: {{ fetch-depth: 0 }}
      - uses: ./.github/actions/iogate
        with: {{ spec: own.yaml }}
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    found = Repository(tmp_path_factory.mktemp("history"), STAND_INS)
    (found.root / ".github" / "workflows" / "own.yml").write_text(OWN)
    own = SHORT.replace("name: tiny", "name: own").replace("LIMIT", "vs baseline > -99%")
    own = own.replace("bs: 4k", "bs: 16k")  # no case of the nights
    policies = "baseline: { min_samples: 1 }\non_missing_baseline: fail\n"
    (found.root / "own.yaml").write_text(own + policies)
    commit(found.root, "A job of our own")
    return found


def night(repository: Repository, limit: str) -> Job:
    """What nightly.yml does where its spec has this limit."""
    (repository.root / "specs" / "quick.yaml").write_text(SHORT.replace("LIMIT", limit))
    return repository.act("schedule", {}, "nightly")


def pages(folder: Path) -> str:
    return (folder / "public" / "index.html").read_text(encoding="utf-8")


def test_a_night_is_measured_and_its_pages_published(repository: Repository) -> None:
    job = night(repository, "> 1")
    assert job.results == {"nightly/measure": "success", "nightly/publish": "success"}, job.output
    assert job.exit_code == 0
    assert "verdict=pass" in job.output
    assert "tiny" in pages(repository.kept)
    assert "last run failed" not in pages(repository.kept)
    assert (repository.kept / "iogate" / "report.html").exists()


def test_a_failed_night_is_red_and_published_all_the_same(repository: Repository) -> None:
    job = night(repository, "> 900G")
    assert job.results == {"nightly/measure": "failure", "nightly/publish": "success"}, job.output
    assert job.exit_code != 0
    assert job.steps["Is a regression open"] == "success"
    assert "last run failed" in pages(repository.kept)


def proposed(head: str) -> dict[str, Any]:
    """A pull request of this commit, as GitHub records it."""
    source = {"full_name": "org/iogate"}
    return {
        "number": 7,
        "pull_request": {
            "number": 7,
            "head": {"sha": head, "ref": "topic", "repo": source},
            "base": {"ref": "main", "repo": source},
        },
    }


def test_what_a_pull_request_measured_is_not_mains_baseline(repository: Repository) -> None:
    root, on_main = repository.root, {"ref": "refs/heads/main"}
    git(root, "checkout", "-q", "-b", "topic")
    head = commit(root, "Quicker")
    job = repository.act("pull_request", proposed(head), "own")
    git(root, "checkout", "-q", "main")
    assert "verdict=missing-baseline" in job.output, job.output
    first = repository.act("push", on_main, "own")
    assert "verdict=missing-baseline" in first.output, first.output
    second = repository.act("push", on_main, "own")
    assert "verdict=missing-baseline" not in second.output, second.output
    assert "exit-code=0" in second.output
