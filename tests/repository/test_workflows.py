"""The workflows: checked by actionlint and zizmor, and the gate run for real by act."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from repository.tree import ROOT, tracked
from support.repositories import commit, git

BIN = Path(sys.executable).parent
CHECKOUT = "actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8"
UPLOAD = "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02"
DOWNLOAD = "actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093"
# act runs a job in a copy of the folder: to check out is to do nothing, but for another commit,
# which is cloned into a folder of its own. What is uploaded is kept in a folder that the test looks
# into, and fetched from there. None of it has anything to do with what is tested.
STAND_INS = {
    CHECKOUT: """\
name: checkout
description: another commit, in a folder of its own
inputs: {ref: {default: ""}, path: {default: ""}, persist-credentials: {}, fetch-depth: {}}
runs:
  using: composite
  steps:
    - shell: bash
      run: |
        [ -n "$FOLDER" ] || exit 0
        rm -rf "$FOLDER"
        git clone -q -n CLONED_FROM "$FOLDER" && git -C "$FOLDER" checkout -q --detach "$REF"
      env: {FOLDER: "${{ inputs.path }}", REF: "${{ inputs.ref }}"}
""",
    DOWNLOAD: """\
name: download-artifact
description: gives what was kept
inputs: {name: {required: true}, path: {required: true}}
runs:
  using: composite
  steps:
    - shell: bash
      run: rm -rf "$TO" && cp -r "KEPT_IN/$NAME" "$TO" && chmod -R a-x,a+X "$TO"
      env: {NAME: "${{ inputs.name }}", TO: "${{ inputs.path }}"}
""",
    UPLOAD: """\
name: upload-artifact
description: keeps what it is given
inputs: {name: {required: true}, path: {required: true}, if-no-files-found: {}}
runs:
  using: composite
  steps:
    - shell: bash
      run: |
        mkdir -p "KEPT_IN/$NAME"
        [ ! -d "$FROM" ] || FROM=$FROM/.
        cp -r "$FROM" "KEPT_IN/$NAME/"
      env: {NAME: "${{ inputs.name }}", FROM: "${{ inputs.path }}"}
""",
}
ADMIT, BUILD, MEASURE, JOB = (
    f"gate/{name}"
    for name in ("may it be measured", "build what is proposed", "measure", "storage gate")
)
PASSED = {ADMIT: "success", MEASURE: "success", JOB: "success"}
FAILED = {ADMIT: "success", MEASURE: "failure", JOB: "failure"}
LABELS = ("self-hosted", "linux", "storage", "ubuntu-24.04", "ubuntu-24.04-arm")
SPEC = """\
version: 1
name: tiny
targets:
  here: { directory: . }
workloads:
  reads:
    target: here
    fio: { ioengine: psync, rw: randread, bs: 4k, size: 4m, time_based: true, runtime: 1s }
    repetitions: { min: 1, max: 1 }
    thresholds:
      read.iops: ["LIMIT"]
"""


def tool(name: str) -> str:
    """A checker that scripts/test puts beside pytest."""
    path = BIN / name
    assert path.exists(), f"{path} is missing: run scripts/test, which builds it"
    return str(path)


def test_workflows_are_clean_to_actionlint() -> None:
    files = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    assert files
    path = f"{BIN}:{os.environ['PATH']}"
    done = subprocess.run(
        [tool("actionlint"), *map(str, files)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": path},
    )
    assert done.returncode == 0, done.stdout


def test_workflows_and_the_action_are_clean_to_zizmor() -> None:
    done = subprocess.run(
        [tool("zizmor"), "--offline", "--no-progress", "--pedantic", ".github"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_measurement_cancels_another_that_waits() -> None:
    """Of those that wait in a group GitHub keeps one: no job that measures is in any, and no two
    workflows share theirs."""
    files = [*(ROOT / ".github/workflows").glob("*.yml"), *(ROOT / "specs").glob("gate.*.yml")]
    workflows = {file: yaml.safe_load(file.read_text()) for file in files}
    jobs = [job for each in workflows.values() for job in each["jobs"].values()]
    measuring = [job for job in jobs if "self-hosted" in job["runs-on"]]
    assert len(measuring) >= 4
    assert not [job for job in measuring if "concurrency" in job]
    groups = [each["concurrency"]["group"].partition("${{")[0] for each in workflows.values()]
    assert len(set(groups)) == len(groups)


@dataclass(frozen=True, slots=True)
class Job:
    """What act said of a job: its result, each step's, and all that was printed."""

    exit_code: int
    results: dict[str, str] = field(default_factory=dict)
    steps: dict[str, str] = field(default_factory=dict)
    output: str = ""


def read_log(text: str, exit_code: int) -> Job:
    """act's JSON lines as one Job."""
    results: dict[str, str] = {}
    steps: dict[str, str] = {}
    lines = []
    for line in text.splitlines():
        said = json.loads(line) if line.startswith("{") else {"msg": line}
        lines.append(str(said.get("msg", "")).rstrip("\n"))
        if "jobResult" in said:
            results[said["job"].strip()] = said["jobResult"]
        if "stepResult" in said and said.get("stage") == "Main":
            steps[said["step"]] = said["stepResult"]
    return Job(exit_code, results, steps, "\n".join(lines))


class Repository:
    """A checkout with stand-ins, where act runs workflows on this host."""

    def __init__(self, folder: Path, more_stand_ins: Mapping[str, str] | None = None) -> None:
        self._actions = {**STAND_INS, **(more_stand_ins or {})}
        self.root = folder / "checkout"
        self.home = folder / "home"
        self.stand_ins = folder / "stand-ins"
        self.kept = folder / "kept"
        self._copy()
        for name, text in self._actions.items():
            place = self.stand_ins / name.partition("@")[0]
            place.mkdir(parents=True)
            (place / "action.yml").write_text(
                text.replace("KEPT_IN", str(self.kept)).replace("CLONED_FROM", str(self.root))
            )

    def _copy(self) -> None:
        for path in tracked():
            copy = self.root / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)
        for name in ("schemas", "specs"):
            (self.root / "runner" / "iogate" / name).symlink_to(f"../../{name}")
        commit(self.root, "A change")
        git(self.root, "remote", "add", "origin", "https://github.com/org/iogate")

    def gate(self, **inputs: str) -> Job:
        """Dispatch gate.yml with these inputs on runners of its labels."""
        return self.act("workflow_dispatch", {"inputs": inputs})

    def act(
        self,
        name: str,
        payload: dict[str, Any],
        workflow: str = "gate",
        variables: Mapping[str, str] | None = None,
        **more: str,
    ) -> Job:
        """What a workflow does for an event, where the repository has these variables."""
        event = self.root.parent / "event.json"
        event.write_text(json.dumps(payload))
        words = [
            tool("act"), name, "--json", "--pull=false",
            "-W", f".github/workflows/{workflow}.yml", "-e", str(event),
            *(f"-P={label}=-self-hosted" for label in LABELS),
            *(f"--local-repository={name}={self.stand_ins / name.partition('@')[0]}"
              for name in self._actions),
            *(f"--var={name}={value}" for name, value in (variables or {}).items()),
            *(f"--env={name}={value}" for name, value in more.items()),
        ]  # fmt: skip
        self.home.mkdir(exist_ok=True)
        environment = {
            **os.environ,
            "HOME": str(self.home),
            "XDG_DATA_HOME": str(self.home / "data"),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "IOGATE_VENV": str(self.home / "venv"),
            **more,
        }
        done = subprocess.run(
            words, cwd=self.root, capture_output=True, text=True, check=False,
            timeout=600, env=environment,
        )  # fmt: skip
        return read_log(done.stdout + done.stderr, done.returncode)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """One checkout for all runs, as a self-hosted runner keeps its own."""
    return Repository(tmp_path_factory.mktemp("act"))


def write_spec(repository: Repository, limit: str) -> None:
    (repository.root / "tiny.yaml").write_text(SPEC.replace("LIMIT", limit))


def test_a_limit_that_is_met_lets_the_change_through(repository: Repository) -> None:
    write_spec(repository, "> 1")
    job = repository.gate(spec="tiny.yaml")
    assert job.results == PASSED, job.output
    assert job.exit_code == 0
    assert job.steps["Keep the report"] == "success"
    (report,) = repository.kept.glob("*/report.html")
    assert "tiny" in report.read_text(encoding="utf-8")
    assert "::error" not in job.output


def test_a_limit_that_is_not_met_fails_the_job_on_its_line(repository: Repository) -> None:
    write_spec(repository, "> 900G")
    job = repository.gate(spec="tiny.yaml")
    assert job.results == FAILED, job.output
    assert job.exit_code != 0
    assert "verdict=fail" in job.output, job.output
    assert "exit-code=1" in job.output
    assert job.steps["Keep the report"] == "success"
    line = 1 + SPEC.splitlines().index('      read.iops: ["LIMIT"]')
    assert f"::error file=tiny.yaml,line={line}," in job.output


HOSTILE = "$(touch PWNED) `touch PWNED`\"; touch PWNED; '; touch PWNED #.yaml"


def test_no_text_in_the_inputs_becomes_a_command(repository: Repository) -> None:
    pwned = repository.root.parent / "pwned"
    text = HOSTILE.replace("PWNED", str(pwned))
    job = repository.gate(spec=text, args=f"--label\n{text}")
    assert job.results == FAILED, job.output
    assert "::error title=iogate::" in job.output, job.output
    assert not pwned.exists()


def test_a_shallow_clone_fails_the_job_with_the_remedy(repository: Repository) -> None:
    write_spec(repository, "vs baseline > -90%")
    with (repository.root / "tiny.yaml").open("a") as spec:
        spec.write("baseline: { ref: merge-base }\n")
    shallow = repository.root / ".git" / "shallow"
    shallow.write_text(git(repository.root, "rev-parse", "HEAD") + "\n")
    try:
        job = repository.gate(spec="tiny.yaml")
    finally:
        shallow.unlink()
    assert job.results == FAILED, job.output
    assert "exit-code=3" in job.output
    assert "fetch-depth: 0" in job.output
