"""Pull requests from forks, as docs/github.md says: act runs gate.yml for recorded events. What act
does not have: GitHub's own rules on who may give a label, and workflow_run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from iogate import __version__
from repository.test_workflows import ADMIT, BUILD, JOB, MEASURE, PASSED, SPEC, Job, Repository
from repository.tree import ROOT
from support.comments import TOKEN
from support.repositories import commit, git

ENGINE = Path(os.environ.get("IOGATE_ENGINE") or ROOT / "native/build/iogate-engine")
BUILDS = f"build-static/iogate-engine:\n\tmkdir -p build-static && cp {ENGINE} $@\n"
PROPOSED = (
    SPEC.replace("name: tiny", "name: of-the-base").replace("runtime: 1s", "runtime: 200ms")
).replace("LIMIT", "vs baseline > -99%") + (
    "compare:\n  arms: { proposed: { engine: proposed/iogate-engine } }\n  candidate: proposed\n"
)


def pull_request(sha: str, *labels: str, source: str = "somebody/iogate") -> dict[str, Any]:
    """The event as GitHub records it, as far as it is read."""
    head = {"sha": sha, "ref": "main", "repo": {"full_name": source}}
    request = {
        "number": 7,
        "head": head,
        "base": {"ref": "main"},
        "labels": [{"name": label} for label in labels],
    }
    return {"action": "labeled", "number": 7, "pull_request": request}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    found = Repository(tmp_path_factory.mktemp("forks"))
    (found.root / ".github" / "proposed.yaml").write_text(PROPOSED)
    commit(found.root, "A short comparison")
    return found


def of_fork(repository: Repository, builds: str) -> str:
    """A commit that builds so, and changes all that could let it through; the base is unchanged."""
    root = repository.root
    git(root, "checkout", "-q", "--detach")
    (root / "native" / "Makefile").write_text(builds)
    (root / ".github" / "proposed.yaml").write_text(PROPOSED.replace("of-the-base", "of-the-fork"))
    (root / "scripts" / "admit.py").write_text("raise SystemExit(0)\n")
    (root / ".github" / "workflows" / "gate.yml").write_text("name: gate\non: [push]\n")
    sha = commit(root, "Walk around")
    git(root, "checkout", "-q", "main")
    return sha


def asked(repository: Repository, payload: dict[str, Any]) -> Job:
    return repository.act("pull_request_target", payload)


def test_a_fork_that_nobody_approved_fails_and_is_not_even_built(repository: Repository) -> None:
    sha = of_fork(repository, "all:\n\ttouch /nonexistent/built\n")
    job = asked(repository, pull_request(sha, "measure-" + "0" * 40))
    assert job.results == {ADMIT: "failure", JOB: "failure"}, job.output
    assert job.exit_code != 0
    assert f"gives it the label measure-{sha}" in job.output
    # Its words are in the workflow: of a step that fails act now and then loses the last ones.
    assert job.steps["What was measured holds"] == "failure"


def test_of_an_approved_fork_only_what_it_builds_is_taken(repository: Repository) -> None:
    sha = of_fork(repository, BUILDS)
    job = asked(repository, pull_request(sha, f"measure-{sha}"))
    assert job.results == {**PASSED, BUILD: "success"}, job.output
    assert job.exit_code == 0
    kept = repository.kept / "iogate"
    document = json.loads((kept / "run.json").read_text())
    assert document["plan"]["spec_name"] == "of-the-base"
    assert document["revision"]["label"] == sha
    assert document["origin"]["head_sha"] == sha
    assert (kept / "pull-request").read_text() == "7\n"


def test_an_environment_that_nobody_guards_approves_nothing(repository: Repository) -> None:
    """act, as GitHub does then, lets the job pass without asking anybody."""
    sha = of_fork(repository, "all:\n\ttouch /nonexistent/built\n")
    with approvals([]) as api:
        settings = {"IOGATE_FORK_ENVIRONMENT": "forks"}
        job = repository.act(
            "pull_request_target", pull_request(sha), variables=settings, GITHUB_API_URL=api
        )
    assert job.results == {"gate/ask for approval": "success", ADMIT: "failure", JOB: "failure"}
    assert job.exit_code != 0


def test_a_fork_that_cannot_be_built_fails(repository: Repository) -> None:
    sha = of_fork(repository, "build-static/iogate-engine:\n\tfalse\n")
    job = asked(repository, pull_request(sha, f"measure-{sha}"))
    assert (job.results[BUILD], job.results[JOB]) == ("failure", "failure"), job.output
    assert job.results.get(MEASURE) != "success"


def test_only_the_comment_may_write() -> None:
    """And that job takes data alone: it runs one script of its own checkout."""
    jobs: dict[str, Any] = {}
    for name in ("gate", "comment"):
        document = yaml.safe_load((ROOT / ".github" / "workflows" / f"{name}.yml").read_text())
        assert document["permissions"] == {}
        jobs |= document["jobs"]
    writers = {name for name, job in jobs.items() if "write" in job["permissions"].values()}
    assert writers == {"comment"}
    runs = [step["run"] for step in jobs["comment"]["steps"] if "run" in step]
    assert runs == ["python3 -I scripts/post_comment.py kept/comment.md kept/pull-request"]
    assert not any("ref" in step.get("with", {}) for step in jobs["comment"]["steps"])
    assert jobs["gate"]["if"] == "always()"


@pytest.mark.parametrize("name", ["README.md", "specs/gate.workflow.yml", "specs/gate.check.yml"])
def test_the_action_is_named_by_the_version_that_this_is(name: str) -> None:
    text = (ROOT / name).read_text()
    named = re.findall(r"uses: OWNER/iogate/\.github/actions/iogate@(\S+)", text)
    assert named == [f"v{__version__}"]
    assert re.search(r"fetch-depth: 0", text)


def test_no_job_is_skipped_because_nobody_had_to_be_asked() -> None:
    """GitHub skips a job without a function of status where any that it came from was skipped."""
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "gate.yml").read_text())["jobs"]
    after = [job["if"] for name, job in jobs.items() if name != "approve"]
    assert len(after) == 4
    assert all("!cancelled()" in condition or condition == "always()" for condition in after)


SHA, OTHER = "a" * 40, "b" * 40


def admit(folder: Path, event: str, text: str, **more: str) -> tuple[int, str, str]:
    """How the script ends, what it says, and its outputs."""
    (folder / "event.json").write_text(text)
    done = subprocess.run(
        [sys.executable, "-I", ROOT / "scripts" / "admit.py"],
        capture_output=True,
        text=True,
        check=False,
        env={
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(folder / "event.json"),
            "GITHUB_REPOSITORY": "org/iogate",
            "GITHUB_SHA": OTHER,
            "GITHUB_OUTPUT": str(folder / "output"),
            **more,
        },
    )
    out = folder / "output"
    return done.returncode, done.stdout, out.read_text() if out.exists() else ""


@pytest.mark.parametrize(
    ("event", "payload", "sha"),
    [
        ("push", {}, OTHER),
        ("workflow_dispatch", {}, OTHER),
        ("pull_request_target", pull_request(SHA, source="org/iogate"), SHA),
        ("pull_request_target", pull_request(SHA, f"measure-{SHA}"), SHA),
    ],
)
def test_what_may_be_measured(tmp_path: Path, event: str, payload: object, sha: str) -> None:
    code, _, outputs = admit(tmp_path, event, json.dumps(payload))
    assert code == 0
    assert f"sha={sha}\n" in outputs


GONE = pull_request(SHA)
GONE["pull_request"]["head"]["repo"] = None


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ("pull_request_target", json.dumps(pull_request(SHA))),
        ("pull_request_target", json.dumps(pull_request(SHA, f"measure-{OTHER}"))),
        ("pull_request_target", json.dumps(pull_request(SHA, f"measure-{SHA[:12]}", "measure-"))),
        ("pull_request_target", json.dumps(pull_request("main", "measure-main"))),
        (
            "pull_request_target",
            json.dumps(pull_request(f"{SHA}\nsha={OTHER}", source="org/iogate")),
        ),
        ("pull_request_target", json.dumps(GONE)),
        ("pull_request_target", "{}"),
        ("pull_request_target", "["),
        ("pull_request", json.dumps(pull_request(SHA, f"measure-{SHA}"))),
        ("", "{}"),
    ],
)
def test_what_may_not_be_measured(tmp_path: Path, event: str, text: str) -> None:
    code, said, outputs = admit(tmp_path, event, text)
    assert (code, outputs) == (1, "")
    assert said.startswith("::error title=not measured::")
    assert len(said.splitlines()) == 1


APPROVED = {
    "state": "approved",
    "comment": f"Read {SHA}, it only touches the reader.",
    "environments": [{"name": "forks"}],
}
RUN = "/repos/org/iogate/actions/runs/4711/approvals"


class Answers(BaseHTTPRequestHandler):
    """Says who has approved a run, as GitHub does."""

    reviews: Any = None

    def do_GET(self) -> None:
        known = self.path == RUN and self.headers["Authorization"] == f"Bearer {TOKEN}"
        self.send_response(200 if known else 404)
        self.end_headers()
        self.wfile.write(json.dumps(self.reviews).encode() if known else b"{}")

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def approvals(reviews: object) -> Iterator[str]:
    """The address of a GitHub with these reviews."""
    handler = type("Handler", (Answers,), {"reviews": reviews})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def asked_for(folder: Path, reviews: object, **more: str) -> tuple[int, str, str]:
    """What becomes of a fork's pull request without a label, with these reviews of its run."""
    with approvals(reviews) as api:
        settings = {
            "GITHUB_API_URL": api,
            "GITHUB_RUN_ID": "4711",
            "IOGATE_TOKEN": TOKEN,
            "IOGATE_ENVIRONMENT": "forks",
            **more,
        }
        return admit(folder, "pull_request_target", json.dumps(pull_request(SHA)), **settings)


@pytest.mark.parametrize("before", [[], [{**APPROVED, "state": "rejected"}]])
def test_an_approval_that_names_the_commit_lets_it_be_measured(
    tmp_path: Path, before: list[object]
) -> None:
    code, _, outputs = asked_for(tmp_path, [*before, APPROVED])
    assert code == 0
    assert f"sha={SHA}\n" in outputs


@pytest.mark.parametrize(
    "reviews",
    [
        [],
        [{**APPROVED, "comment": ""}],
        [{**APPROVED, "comment": f"Read {SHA[:12]}"}],
        [{**APPROVED, "comment": f"Read {OTHER}"}],
        [{**APPROVED, "comment": f"Read {OTHER} and {SHA}"}],
        [{**APPROVED, "comment": f"Read {SHA}0"}],
        [{**APPROVED, "state": "rejected"}],
        [{**APPROVED, "state": "pending"}],
        [{**APPROVED, "environments": [{"name": "github-pages"}]}],
        [{**APPROVED, "comment": None}],
        {"message": "Not Found"},
        None,
    ],
)
def test_what_is_no_approval_of_the_commit(tmp_path: Path, reviews: object) -> None:
    code, said, outputs = asked_for(tmp_path, reviews)
    assert (code, outputs) == (1, "")
    assert said.startswith("::error title=not measured::")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("IOGATE_ENVIRONMENT", ""),
        ("IOGATE_TOKEN", "another"),
        ("GITHUB_RUN_ID", "4712"),
        ("GITHUB_RUN_ID", ""),
        ("GITHUB_API_URL", "http://127.0.0.1:9"),
        ("GITHUB_API_URL", "file:///etc"),
    ],
)
def test_an_approval_that_cannot_be_asked_for_is_none(
    tmp_path: Path, name: str, value: str
) -> None:
    code, said, outputs = asked_for(tmp_path, [APPROVED], **{name: value})
    assert (code, outputs) == (1, "")
    assert TOKEN not in said
