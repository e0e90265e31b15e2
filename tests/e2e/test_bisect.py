"""``iogate bisect`` finds the commit that made I/O slower, with the real engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iogate.host.locks.host_lock import host_lock
from iogate.sut.local import LocalSut
from support.repositories import commit

from .conftest import Iogate

JOB = """\
[probe]
rw=randread
bs=4k
size=1m
ioengine=psync
thinktime=%s
number_ios=200
"""
SPEC = """\
version: 1
name: bisected
targets: { here: { directory: auto } }
workloads:
  probe:
    target: here
    jobfile: installed.fio
    thresholds: { read.iops: "> 1" }
"""
CULPRIT = 4


@pytest.fixture
def commits(iogate: Iogate) -> list[str]:
    """Seven commits of a job file; from one on it waits longer after each I/O."""
    repository = iogate.folder / "repository"
    return [
        commit(repository, f"Change {n}", probe__fio=f"# {n}\n{JOB % thinktime}")
        for n, thinktime in enumerate([500] * CULPRIT + [3000] * 3)
    ]


def install(iogate: Iogate, *broken: int) -> list[str]:
    """A build that puts the job file in place, and fails at some changes."""
    script = iogate.folder / "install.sh"
    conditions = "".join(f'grep -q "^# {n}$" probe.fio && exit 3\n' for n in broken)
    script.write_text(f"#!/bin/sh\n{conditions}cp probe.fio {iogate.folder}/installed.fio\n")
    script.chmod(0o755)
    return ["--", str(script)]


def test_the_culprit_is_found_and_told(iogate: Iogate, commits: list[str]) -> None:
    spec = iogate.spec(SPEC)
    done = iogate(
        "bisect", spec, "--repository", "repository", "--good", commits[0], "--bad", "main",
        *install(iogate),
    )  # fmt: skip
    assert done.code == 0, done.text
    assert f"the first bad one is\n  {commits[CULPRIT][:12]} Change {CULPRIT}" in done.out
    assert "read.iops of probe tells them apart" in done.out
    (place,) = (iogate.folder / "iogate-runs").glob("*-bisect-*")
    assert not (place / "checkout").exists()
    assert not iogate.store.exists()  # the history is not for revisions of the past
    assert iogate.left_behind() == []


def test_a_build_that_fails_is_skipped(iogate: Iogate, commits: list[str]) -> None:
    done = iogate(
        "bisect", iogate.spec(SPEC), "--repository", "repository", "--good", commits[0], "--bad",
        commits[-1], "--json", *install(iogate, CULPRIT),
    )  # fmt: skip
    assert done.code == 5, done.text
    found = json.loads(done.out)
    assert set(found["first_bad"]) == {commits[CULPRIT], commits[CULPRIT + 1]}
    sides = {step["build"]: step["side"] for step in found["steps"]}
    assert sides[commits[CULPRIT]] == "cannot tell"
    assert found["good"] > found["bad"]


def test_a_list_of_builds(iogate: Iogate) -> None:
    builds = iogate.folder / "builds.txt"
    builds.write_text("500\n501\n502\n3000\n3001\n")
    text = JOB.replace("%s", "$IOGATE_BUILD")
    command = f'cat > "{iogate.folder}/installed.fio" <<EOF\n{text}EOF\n'
    done = iogate("bisect", iogate.spec(SPEC), "--builds", builds, "--", "sh", "-c", command)
    assert done.code == 0, done.text
    assert "the first bad one is\n  3000" in done.out


def test_ends_that_are_alike_are_told(iogate: Iogate, commits: list[str]) -> None:
    spec = SPEC.replace('read.iops: "> 1"', 'errors: "< 1"')  # noise parts no ends of this
    words = ["--repository", "repository", "--good", commits[4], "--bad", commits[6]]
    for command in (install(iogate), ()):
        done = iogate("bisect", iogate.spec(spec), *words, *command)
        assert done.code == 2, done.text
        assert "do not differ measurably" in done.err
        assert ("no command behind -- has built them" in done.err) == (not command)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--good and --bad are missing"),
        (["--good", "a"], "--good and --bad are missing"),
        (["--builds", "none.txt"], "cannot read none.txt: No such file or directory\n"),
        (["--builds", "b.txt", "--good", "a"], "names its ends itself"),
        (["--good", "a", "--bad", "b", "--repository", "nowhere"], "knows no commit"),
    ],
)
def test_a_wrong_call_is_told(iogate: Iogate, words: list[str], said: str) -> None:
    (iogate.folder / "b.txt").write_text("1\n2\n")
    done = iogate("bisect", iogate.spec(SPEC), *words)
    assert (done.code, said in done.err) == (2, True), done.text
    assert not (iogate.folder / "iogate-runs").exists()


def test_swapped_ends_are_told_and_leave_nothing(iogate: Iogate, commits: list[str]) -> None:
    for output in ([], ["--output", "here/deep"]):
        done = iogate(
            "bisect", iogate.spec(SPEC), "--repository", "repository", "--good", commits[6],
            "--bad", commits[0], *output, *install(iogate),
        )  # fmt: skip
        assert done.code == 2, done.text
        assert "--good and --bad are swapped" in done.err
    assert not (iogate.folder / "iogate-runs").exists()
    assert not (iogate.folder / "here").exists()


@pytest.mark.parametrize(
    ("change", "more", "said"),
    [
        (("read.iops", "read.iopz"), [], "no metric is named"),
        (("workloads:", "environment: { cpu: { governor: performance } }\nworkloads:"), [],
         "allow it with --trust"),
        (("", ""), ["--metric", "read.iopz"], "no metric is named"),
        (("", ""), ["--case", "none"], "no case of"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_before_anything_is_built(
    iogate: Iogate, commits: list[str], change: tuple[str, str], more: list[str], said: str
) -> None:
    spec = SPEC.replace("jobfile: installed.fio", "fio: { rw: randread, bs: 4k, size: 1m }")
    done = iogate(
        "bisect", iogate.spec(spec.replace(*change, 1)), *more, "--repository", "repository",
        "--good", commits[0], "--bad", "main", "--", "touch", str(iogate.folder / "built"),
    )  # fmt: skip
    assert (done.code, said in done.err) == (3 if "trust" in said else 2, True), done.text
    assert not (iogate.folder / "built").exists()
    assert not (iogate.folder / "iogate-runs").exists()


def test_a_busy_host_is_told_before_anything_is_built(iogate: Iogate, commits: list[str]) -> None:
    spec = iogate.spec(SPEC)  # its job file comes with the build
    words = ["--", "touch", str(iogate.folder / "built")]
    with host_lock(LocalSut(), "other"):
        done = iogate(
            "bisect", spec, "--repository", "repository", "--good", commits[0], "--bad", "main",
            *words,
        )  # fmt: skip
    assert done.code == 3, done.text
    assert "another run is measuring on this host" in done.err
    assert not (iogate.folder / "built").exists()


def test_a_build_that_cannot_go_on_ends_the_search(iogate: Iogate, commits: list[str]) -> None:
    done = iogate(
        "bisect", iogate.spec(SPEC), "--repository", "repository", "--good", commits[0], "--bad",
        "main", "--", "sh", "-c", "exit 200",
    )  # fmt: skip
    assert done.code == 4, done.text
    assert "build-001.log" in done.err
    assert Path(iogate.folder / "repository").exists()
