"""``iogate ab --more``: a kept comparison goes on."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .conftest import Iogate
from .test_ab import firsts

SPEC = """\
version: 1
name: two-arms
targets: { here: { directory: auto } }
workloads:
  rr:
    target: here
    fio: { ioengine: psync, rw: randread, bs: 4k, size: 4m, runtime: 60ms, time_based: true }
    thresholds:
      read.iops: "vs baseline > -%s%%"
compare:
  arms:
    slow: { set: { thinktime: 2ms } }
    same: {}
"""
TIGHT, WIDE = "0.01", "20"


def begun(iogate: Iogate, limit: str = TIGHT, candidate: str = "same") -> tuple[Path, str]:
    """A comparison that was stopped by its budget after a block, and its id."""
    path = iogate.spec(SPEC % limit)
    done = iogate("ab", path, "--candidate", candidate, "--budget", "1ms")
    assert done.code == 0, done.text
    run = iogate.run_document()
    assert f"iogate ab --more {run['id'][:12]}" in done.out
    return path, run["id"]


def blocks_of(run: dict[str, Any]) -> list[int]:
    return sorted({m["block"] for m in run["measurements"]})


def values_of(run: dict[str, Any]) -> list[Any]:
    return [(m["block"], m["arm"], m["started_ns"]) for m in run["measurements"]]


def test_blocks_are_added_and_judged_with_those_before(iogate: Iogate) -> None:
    _, first = begun(iogate, candidate="slow", limit=WIDE)
    before = iogate.run_document()
    assert blocks_of(before) == [1]
    done = iogate("ab", "--more", first[:12])
    assert done.code == 1, done.text
    run = iogate.run_document()
    assert run["id"] != first
    assert values_of(run)[: len(values_of(before))] == values_of(before)
    assert blocks_of(run) == list(range(1, max(blocks_of(run)) + 1))
    assert max(blocks_of(run)) >= 4
    rule = run["plan"]["comparison"]
    assert (rule["stages"], rule["most_blocks"]) == (1, 28)
    assert [part["run"] for part in rule["parts"]] == [first]
    assert rule["parts"][0]["last_block"] == 1
    assert rule["seed"] == before["plan"]["comparison"]["seed"]
    assert run["verdict"]["thresholds"][0]["blocks"] == max(blocks_of(run))
    assert f"were added to those of run {first[:12]} (up to block 1)" in run["verdict"]["sentence"]
    assert "of these arms" not in run["verdict"]["sentence"]
    order = firsts(run)
    pairs = zip(order[0::2], order[1::2], strict=False)
    assert all(set(pair) == {"spec", "slow"} for pair in pairs), "pairs go on where they were"


def test_a_comparison_goes_on_once_from_each_run(iogate: Iogate) -> None:
    _, first = begun(iogate)
    iogate("ab", "--more", first, "--budget", "1ms")
    second = iogate.run_document()
    iogate("ab", "--more", second["id"], "--budget", "1ms")
    third = iogate.run_document()
    assert blocks_of(third) == [1, 2, 3]
    assert [part["last_block"] for part in third["plan"]["comparison"]["parts"]] == [1, 2]
    told = iogate("ab", "--more", second["id"])
    assert told.code == 2
    assert f"--more {third['id'][:12]}" in told.err


def test_a_pool_goes_on_with_its_members(iogate: Iogate) -> None:
    """One stopped after a block is judged by all blocks; its own limit is part of what is asked."""
    pooled = 'read.iops: "vs baseline > -%s%%"\n      read.clat.mean: "vs baseline < +900%%"\n'
    text = SPEC.replace('read.iops: "vs baseline > -%s%%"\n', pooled)
    text = text.replace("compare:\n", '    pooled: "vs baseline < +5%%"\ncompare:\n')
    path = iogate.spec(text % WIDE)
    iogate("ab", path, "--candidate", "slow", "--budget", "1ms")
    first = iogate.run_document()
    assert [limit["blocks"] for limit in first["verdict"]["thresholds"]] == [1, 1, 1]
    done = iogate("ab", "--more", first["id"])
    assert done.code == 1, done.text
    *_, together = iogate.run_document()["verdict"]["thresholds"]
    # The latency is that of a busy machine, too: it may leave the pool undecided.
    assert together["threshold"]["metric"] == "pooled"
    assert together["outcome"] in ("fail", "inconclusive")
    assert together["blocks"] >= 4
    assert len(together["members"]) == 2
    assert [bool(member["left_out"]) for member in together["members"]] == [False, False]

    iogate("ab", path, "--candidate", "same", "--budget", "1ms")
    other = iogate.run_document()["id"]
    path.write_text(path.read_text().replace("< +5%", "< +6%"))
    told = iogate("ab", path, "--more", other)
    assert told.code == 2, told.text
    assert "its pooled limits changed" in told.err


def test_what_is_settled_measures_nothing(iogate: Iogate) -> None:
    iogate("ab", iogate.spec(SPEC % WIDE), "--candidate", "slow")
    run = iogate.run_document()
    assert run["verdict"]["outcome"] == "fail"
    done = iogate("ab", "--more", iogate.latest)
    assert done.code == 1
    assert "no more blocks are measured" in done.out
    assert iogate.run_document()["id"] == run["id"]
    told = iogate("ab", "--more", iogate.latest, "--json")
    assert told.code == 1
    assert json.loads(told.out)["run"] == run["id"]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("> -0.01%", "> -0.02%", "the limits of case rr changed"),
        ("bs: 4k", "bs: 8k", "case rr is not in it as it was"),
        ("same: {}", "same: { prepare: 'true' }", "arm same is not what it was"),
        ("compare:\n", "compare:\n  sees: 5\n", "compare.sees changed"),
        ("name: two-arms", "name: two-arms\nvalidity: { again: 1 }", "what may disturb"),
    ],
)
def test_another_spec_is_refused(iogate: Iogate, old: str, new: str, why: str) -> None:
    path, first = begun(iogate)
    path.write_text(path.read_text().replace(old, new))
    done = iogate("ab", path, "--more", first, "--trust")
    assert done.code == 2, done.text
    assert why in done.err
    assert "start a new comparison" in done.err
    assert iogate.run_document()["id"] == first


def test_another_commit_or_environment_is_refused(iogate: Iogate) -> None:
    path, first = begun(iogate)
    for words in (["init", "-q"], ["add", "spec.yaml"], ["commit", "-qm", "x"]):
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run([*git, *words], cwd=iogate.folder, check=True)
    done = iogate("ab", path, "--more", first)
    assert done.code == 2
    assert "measured no commit, and this is commit" in done.err


def test_what_another_engine_measured_is_refused(iogate: Iogate) -> None:
    _, first = begun(iogate)
    done = iogate("ab", "--more", first, "--engine", "fio", "--unconfined", "--trust")
    assert done.code == 3, done.text
    assert "engine.name was native and is fio" in done.err
    assert iogate.run_document()["id"] == first


def test_more_takes_nothing_that_would_change_the_comparison(iogate: Iogate) -> None:
    path, first = begun(iogate)
    done = iogate("ab", path, "--more", first, "--seed", 1, "--blocks", 9)
    assert done.code == 2
    assert "takes no --blocks, --seed" in done.err
    iogate("run", path, "--repetitions", 2)
    plain = iogate("ab", "--more", iogate.run_document()["id"])
    assert plain.code == 2
    assert "is no comparison" in plain.err
    assert iogate("ab").code == 2


def test_what_was_interrupted_goes_on(iogate: Iogate) -> None:
    path = iogate.spec((SPEC % TIGHT).replace("60ms", "200ms"))
    process = iogate.start("ab", path, "--candidate", "same")
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("block 2 "):
            process.send_signal(signal.SIGINT)
            break
    process.communicate()
    stopped = iogate.run_document()
    assert stopped["status"] == "interrupted"
    iogate("ab", "--more", stopped["id"], "--budget", "1ms")
    run = iogate.run_document()
    assert run["status"] == "complete", json.dumps(run["failures"])
    assert values_of(run)[: len(values_of(stopped))] == values_of(stopped)
    assert max(blocks_of(run)) > max(blocks_of(stopped))
    assert not run["failures"]
