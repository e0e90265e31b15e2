"""``iogate trend confirm``: revisions that differ, and revisions that do not, with real runs."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from iogate.host.locks.host_lock import host_lock
from iogate.model.run import Host, Revision, Run, RunStatus
from iogate.model.verdict import Outcome
from iogate.spec import load_spec, make_plan
from iogate.store import open_store
from iogate.sut.local import LocalSut
from support import samples as s
from support.repositories import commit

from .conftest import ROOT, Iogate

SPEC = """\
version: 1
name: nightly
targets: { here: { directory: auto } }
workloads:
  reads:
    target: here
    fio: { rw: randread, bs: 4k, size: 1m, ioengine: psync, thinktime: 500, number_ios: 40 }
    thresholds:
      read.iops: ["vs baseline > -10%"]
"""
# What is under test is the time between I/Os that the installed "kernel" says.
ENGINE = """\
#!/bin/sh
wait=$(cat {folder}/installed)
for word; do
  case "$word" in *.fio) sed -i "s/^thinktime=.*/thinktime=$wait/" "$word";; esac
done
exec {engine} "$@"
"""
DAY_NS = 86_400 * 10**9
FIRST_NS = 1_700_000_000 * 10**9


@pytest.fixture
def revisions(iogate: Iogate) -> list[str]:
    """Three: the second is as fast as the first, the third is slower."""
    repository = iogate.folder / "repository"
    engine = iogate.folder / "engine"
    engine.write_text(
        ENGINE.format(folder=iogate.folder, engine=ROOT / "native/build/iogate-engine")
    )
    engine.chmod(0o755)
    iogate.env["IOGATE_ENGINE"] = str(engine)
    return [commit(repository, f"Wait {n}", delay=f"{n}\n") for n in (500, 501, 3000)]


def night(spec: Path, number: int, iops: float, revision: str) -> Run:
    plan = make_plan(load_spec(spec))
    reads = replace(s.direction(), iops=iops)
    measured = s.measurement(s.job(read=reads), case_id=plan.cases[0].id)
    return Run(
        id=f"night-{number:03}", plan=plan, host=Host("here", "this"), revision=Revision(revision),
        started_ns=FIRST_NS + number * DAY_NS, finished_ns=FIRST_NS + number * DAY_NS + 1,
        status=RunStatus.COMPLETE, measurements=(measured,), verdict=s.verdict(Outcome.PASS),
    )  # fmt: skip


def suspect(iogate: Iogate, good: str, bad: str) -> str:
    """A history in which the last nights are a little slower; the id of its alert."""
    spec = iogate.spec(SPEC)
    levels = np.array([1800.0] * 40 + [1710.0] * 5)
    levels *= 1 + 0.01 * np.random.default_rng(1).normal(size=len(levels))
    nights = [night(spec, n, float(iops), good if n < 40 else bad) for n, iops in enumerate(levels)]
    with closing(open_store(str(iogate.store))) as store:
        store.add_runs(nights)
    shown = iogate("trend", spec)
    found = re.search(r"^(\w{8})  suspect  regression", shown.out, re.MULTILINE)
    assert found, shown.text
    assert f"confirm it now: iogate trend confirm {spec} {found[1]} -- BUILD COMMAND" in shown.out
    return found[1]


def confirm(iogate: Iogate, alert: str, *more: str) -> list[object]:
    install = ["sh", "-c", f"cp delay {iogate.folder}/installed"]
    return [
        "trend", "confirm", "spec.yaml", alert, "--repository", "repository", "--quiet", *more,
        "--unconfined",  # the script in the engine's place reads and writes what no engine may
        "--", *install,
    ]  # fmt: skip


def test_a_regression_that_is_in_the_code_is_confirmed(
    iogate: Iogate, revisions: list[str]
) -> None:
    alert = suspect(iogate, revisions[0], revisions[2])
    done = iogate(*confirm(iogate, alert))
    assert done.code == 1, done.text
    shown = iogate("trend", "spec.yaml", "--gate")
    assert shown.code == 1, shown.text
    assert f"{alert}  open  regression" in shown.out
    assert re.search(r"confirm by .*: read.iops -\d+", shown.out), shown.text
    assert f"iogate bisect spec.yaml --good {revisions[0][:12]} --bad" in shown.out
    assert iogate("reopen", alert).code == 0
    assert f"{alert}  suspect" in iogate("trend", "spec.yaml").out
    assert iogate.left_behind() == []


def test_revisions_that_do_not_differ_confirm_nothing(iogate: Iogate, revisions: list[str]) -> None:
    alert = suspect(iogate, revisions[0], revisions[1])
    words = confirm(iogate, alert)
    words.remove("--quiet")
    done = iogate(*words)
    # On a machine that is too busy it is inconclusive; confirmed it is never.
    said = {0: "is not confirmed: the revisions do not differ here today", 5: "is inconclusive"}
    assert f"{alert} {said.get(done.code)}" in done.out, done.text
    assert f"{alert}  suspect" in iogate("trend", "spec.yaml").out


def test_what_cannot_be_confirmed_is_told(iogate: Iogate, revisions: list[str]) -> None:
    alert = suspect(iogate, revisions[0], revisions[2])
    for words, code, said in [
        (["trend", "confirm", "spec.yaml", alert], 2, "there is no build command"),
        (["trend", "confirm", "spec.yaml", "feed", "--", "true"], 2, "there is no alert 'feed'"),
        (["trend", "confirm", "spec.yaml", alert, "--", "true"], 2, "git knows no commit"),
        (["trend", "confirm", "spec.yaml", alert, "--repository", "repository", "--", "false"], 4,
         "the build command ended with 1"),
    ]:  # fmt: skip
        done = iogate(*words)
        assert (done.code, said in done.err) == (code, True), done.text
    other = iogate.spec(SPEC.replace("thinktime: 500", "thinktime: 700"), "other.yaml")
    done = iogate("trend", "confirm", other, alert, "--repository", "repository", "--", "true")
    assert (done.code, "has none of the cases" in done.err) == (2, True), done.text


def test_what_would_be_refused_is_told_before_anything_is_built(
    iogate: Iogate, revisions: list[str]
) -> None:
    alert = suspect(iogate, revisions[0], revisions[2])
    build = ["--repository", "repository", "--", "touch", str(iogate.folder / "built")]
    with host_lock(LocalSut(), "other"):
        done = iogate("trend", "confirm", "spec.yaml", alert, *build)
    assert (done.code, "another run is measuring" in done.err) == (3, True), done.text
    other = iogate.spec(SPEC.replace("thinktime: 500", "thinktime: 700"), "other.yaml")
    done = iogate("trend", "confirm", other, alert, *build)
    assert (done.code, "has none of the cases" in done.err) == (2, True), done.text
    assert not (iogate.folder / "built").exists()
