"""``iogate ab``, ``canary`` and ``plan`` as a person calls them."""

from __future__ import annotations

import json
import re

from .conftest import Iogate

SPEC = """\
version: 1
name: two-arms
targets: { here: { directory: auto } }
workloads:
  rr:
    target: here
    fio: { ioengine: psync, rw: randread, bs: 4k, size: 4m, runtime: 60ms, time_based: true }
    thresholds:
      read.iops: ["vs baseline > -40%%", "> 1"]
compare:
  arms:
    slow: { set: { thinktime: 2ms } }
    same: {}
    shell: { prepare: "%s" }
"""


def spec(prepare: str = "true") -> str:
    return SPEC % prepare


def test_a_slower_arm_fails_and_ends_early(iogate: Iogate) -> None:
    done = iogate("ab", iogate.spec(spec()), "--candidate", "slow")
    assert done.code == 1, done.text
    assert "a regression" in done.out
    assert "limits decided" in done.err
    assert "at any look: evidence of a regression, " in done.err
    run = iogate.run_document()
    blocks = {m["block"] for m in run["measurements"]}
    assert max(blocks) < 28
    for block in blocks:
        arms = sorted(m["arm"] for m in run["measurements"] if m["block"] == block)
        assert arms == ["slow", "spec"]
    firsts = {m["arm"] for m in run["measurements"][::2]}
    assert firsts == {"slow", "spec"}, "which arm runs first is drawn for each block"
    verdict = run["verdict"]["thresholds"][0]
    assert verdict["change"] < -0.4
    assert verdict["blocks"] == max(blocks)
    assert verdict["evidence"] > 2
    assert len(list((iogate.latest / "jobs").glob("*.fio"))) == 2


def firsts(run: dict[str, object]) -> list[str]:
    """Which arm ran first in each block that counts."""
    measured = [m for m in run["measurements"] if not m["disturbances"]]  # type: ignore[attr-defined]
    arms: dict[int, list[str]] = {}
    for measurement in measured:
        arms.setdefault(measurement["block"], []).append(measurement["arm"])
    return [both[0] for _, both in sorted(arms.items()) if len(both) == 2]


def test_blocks_come_in_pairs_of_opposite_order(iogate: Iogate) -> None:
    path = iogate.spec(spec())
    assert iogate("canary", path, "--blocks", 8, "--seed", 5).code in {0, 4}
    order = firsts(iogate.run_document())
    pairs = list(zip(order[0::2], order[1::2], strict=False))
    assert len(pairs) >= 2
    assert all(set(pair) == {"A", "B"} for pair in pairs)


def test_a_seed_is_drawn_for_each_comparison_and_kept(iogate: Iogate) -> None:
    path, seeds = iogate.spec(spec()), set()
    for asked in ((), (), ("--seed", 7)):
        iogate("ab", path, "--candidate", "slow", "--blocks", 5, *asked)
        seeds.add(iogate.run_document()["plan"]["comparison"]["seed"])
    assert len(seeds) == 3
    assert 7 in seeds


def test_a_time_budget_ends_a_comparison_undecided(iogate: Iogate) -> None:
    text = spec().replace("compare:\n", "compare:\n  budget: 1\n  sees: 2\n")
    done = iogate("ab", iogate.spec(text), "--candidate", "same", "--budget", "100ms")
    assert done.code == 0, done.text
    assert "the time budget is used up after block 1" in done.err
    comparison = iogate.run_document()["plan"]["comparison"]
    assert (comparison["budget_s"], comparison["sees"]) == (0.1, 2.0)
    assert "inconclusive" in done.out


def test_a_comparison_is_no_baseline_of_the_case(iogate: Iogate) -> None:
    path = iogate.spec(spec())
    assert iogate("ab", path, "--candidate", "slow", "--blocks", 5).code in {0, 1}
    done = iogate("run", path, "--repetitions", 2)
    assert "no samples to compare with" in done.text


def test_a_canary_feeds_the_plan(iogate: Iogate) -> None:
    path = iogate.spec(spec())
    before = iogate("plan", path)
    assert before.code == 0, before.text
    assert "run `iogate canary`" in before.out
    canary = iogate("canary", path, "--blocks", 4)
    assert canary.code in {0, 1}, canary.text
    assert "(8 runs, canary)" in canary.out
    assert "28 blocks detect" in canary.out
    run = iogate.run_document()
    assert len(run["measurements"]) == 8
    after = iogate("plan", path, "--blocks", 10)
    assert "(8 runs, canary)" in after.out
    assert "10 blocks: about" in after.out
    assert "28 blocks at the latest" in after.out


def test_only_what_boots_is_measured_several_times_a_boot(iogate: Iogate) -> None:
    path = iogate.spec(spec())
    done = iogate("ab", path, "--candidate", "slow", "--per-boot", 3)
    assert done.code == 2
    assert "neither arm is a kernel or a module" in done.err
    text = spec().replace("compare:\n", 'compare:\n  candidate: "6.12"\n  per_boot: 3\n')
    text = text.replace("  arms:\n", '  arms:\n    "6.12": { kernel: "6.12" }\n')
    planned = iogate("plan", iogate.spec(text), "--blocks", 6)
    assert planned.code == 0, planned.text
    assert ", and 14 boots" in planned.out
    assert "what boots differ by is not in it" in planned.out


def test_prepare_needs_trust_and_runs_before_each_run(iogate: Iogate) -> None:
    log = iogate.folder / "prepare.log"
    path = iogate.spec(spec(f"echo $IOGATE_ARM $IOGATE_BLOCK $IOGATE_TARGET >> {log}"))
    words = ("ab", path, "--candidate", "shell", "--blocks", 5)
    refused = iogate(*words)
    assert refused.code == 3
    assert "--trust" in refused.err
    assert not log.exists()
    assert iogate(*words, "--trust").code in {0, 1}
    lines = log.read_text().splitlines()
    assert len(lines) == len(iogate.run_document()["measurements"]) / 2
    assert lines[0].startswith("shell 1 /")


def test_a_prepare_that_fails_is_a_failed_run(iogate: Iogate) -> None:
    path = iogate.spec(spec("echo no disk >&2; exit 7"))
    done = iogate("ab", path, "--candidate", "shell", "--trust")
    assert done.code == 4
    assert "block 1 of rr: arm shell: prepare exited with 7: no disk" in done.out
    assert "nothing more can be measured" in done.err


def test_an_engine_that_the_spec_names_needs_trust(iogate: Iogate) -> None:
    tool = iogate.folder / "tool"
    tool.write_text(f"#!/bin/sh\ntouch {iogate.folder}/ran\n")
    tool.chmod(0o755)
    path = iogate.spec(spec().replace("same: {}", f"same: {{ engine: {tool} }}"))
    refused = iogate("ab", path, "--candidate", "same")
    assert refused.code == 3
    assert f"runs the engine {tool} as you" in refused.err
    assert not (iogate.folder / "ran").exists()


def test_an_engine_of_an_arm_must_start(iogate: Iogate) -> None:
    done = iogate("ab", iogate.spec(spec()), "--candidate", "engine=/nowhere")
    assert done.code == 4
    assert "/nowhere does not start" in done.err


def test_the_verdict_as_json(iogate: Iogate) -> None:
    done = iogate("ab", iogate.spec(spec()), "--candidate", "slow", "--json")
    document = json.loads(done.out)
    found = document["verdict"]["thresholds"][0]
    assert found["outcome"] == "fail"
    assert found["visible_change"] > 0
    assert found["change_interval"]["high"] < 0


POOLED = """\
version: 1
name: pooled
targets: { here: { directory: auto } }
workloads:
  rr:
    fio: { ioengine: psync, rw: randread, size: 4m, runtime: 60ms, time_based: true }
    strategy: { matrix: { bs: [4k, 16k] } }
    thresholds: { read.iops: { limit: "vs baseline > -99%", level: warn } }
    pooled: "vs baseline < +20%"
compare:
  arms: { slow: { set: { thinktime: 2ms } } }
validity: { off: all }
"""


def test_a_pool_of_cases_fails_as_one_limit(iogate: Iogate) -> None:
    done = iogate("ab", iogate.spec(POOLED), "--candidate", "slow")
    assert done.code == 1, done.text
    assert re.search(r"the pooled change of rr is (\+\d+ %|[\d,.]+×) \(.*\) from spec, ", done.out)
    run = iogate.run_document()
    *_, pooled = run["verdict"]["thresholds"]
    assert (pooled["outcome"], pooled["threshold"]["metric"]) == ("fail", "pooled")
    assert pooled["case_id"] == run["plan"]["pools"][0]["id"]
    assert [member["change"] < -0.4 for member in pooled["members"]] == [True, True]
    assert run["verdict"]["sentence"].startswith("fail: 1 of 3 limits")
