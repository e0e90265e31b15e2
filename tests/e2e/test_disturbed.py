"""Runs that are disturbed on purpose: by processes on the engine's CPU, and by another writer on
the target's disk. What a test does itself disturbs nothing.

The clock is set by a fifth of a second, for everybody on this machine, and put back.
Strangers may run beside these tests, so what is measured and what disturbs it have a priority
beside which theirs is nothing, and disks of their own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import Done, Iogate
from support.clock import stepped
from support.devices import mounted, needs_root, zram_device

CPU = max(os.sched_getaffinity(0))
FIRST = ["chrt", "--rr", "1"]  # niceness only counts within a session
HOG = [*FIRST, "taskset", "--cpu-list", str(CPU), sys.executable, "-c", "while True: pass"]
BUSY = "rw: randread, size: 8m, bs: 4k, invalidate: 0, time_based: 1, runtime: 2s"

pytestmark = needs_root

SPEC = """\
version: 1
environment: { cpu: { cpus_allowed: "%(cpu)d" }%(require)s }
validity: { cpu: 50%%, io: %(io)s, again: %(again)d, off: [steal, memory, clock%(off)s] }
on_inconclusive: fail
targets: { t: %(target)s }
workloads:
  w:
    fio: { ioengine: psync, %(fio)s }
    repetitions: %(repetitions)d
    thresholds: { "%(metric)s": "> 1" }
"""


def spec(target: str, fio: str, **more: Any) -> str:
    usual = {"cpu": CPU, "require": "", "again": 20, "repetitions": 5, "metric": "all.iops"}
    usual |= {"io": "40%", "off": ", io"}
    return SPEC % (usual | more | {"target": target, "fio": fio})


@contextmanager
def running(*commands: Sequence[str]) -> Iterator[None]:
    """Processes that are nobody's of the run."""
    started = [subprocess.Popen(c, stdout=-3, stderr=-3, start_new_session=True) for c in commands]
    try:
        yield
    finally:
        for each in started:
            each.kill()
            each.wait()


def until(process: subprocess.Popen[str], start: str) -> list[str]:
    """The lines that iogate says until one that begins so."""
    said: list[str] = []
    assert process.stderr is not None
    for line in process.stderr:
        said.append(line)
        if line.startswith(start):
            return said
    raise AssertionError("".join(said))


def measured(iogate: Iogate) -> dict[int, dict[str, Any]]:
    return {m["repetition"]: m for m in iogate.run_document()["measurements"]}


def reasons(measurement: dict[str, Any]) -> set[str]:
    return {one["kind"] for one in measurement["disturbances"] if one["counts"]}


def test_hogs_and_a_writer_during_one_repetition(iogate: Iogate, tmp_path: Path) -> None:
    with zram_device(256) as device, mounted(device, tmp_path / "mnt") as point:
        path = iogate.spec(spec(f"{{ directory: {point} }}", BUSY, off=""))
        writer = f"while :; do dd if=/dev/zero of={point}/other bs=1M count=64 oflag=direct; done"
        process = iogate.start("run", path, before=FIRST)
        until(process, "[2/")
        with running(HOG, HOG, HOG, ["sh", "-c", writer]):
            until(process, "[3/")
        done = iogate.end(process)
    assert done.code == 0, done.text
    run = measured(iogate)
    assert reasons(run[3]) == {"cpu", "io"}
    (text,) = [one["text"] for one in run[3]["disturbances"] if one["kind"] == "cpu"]
    assert "of the engine's CPUs (" in text
    assert "python" in text
    kept = [m for m in run.values() if not reasons(m)]
    assert len(kept) == 5
    assert sorted(run) == list(range(1, len(run) + 1))
    assert all((iogate.latest / m["raw_file"]).is_file() for m in run.values())
    verdict = iogate.run_document()["verdict"]
    (threshold,) = verdict["thresholds"]
    rates = [sum(d["iops"] for d in m["jobs"][0]["directions"].values()) for m in kept]
    assert threshold["samples"] == pytest.approx(rates)
    assert threshold["outcome"] == "pass"
    assert "disturbed (" in verdict["sentence"]
    (hit,) = [sum(d["iops"] for d in run[3]["jobs"][0]["directions"].values())]
    assert hit < sorted(rates)[2]


def test_too_many_are_disturbed(iogate: Iogate, tmp_path: Path) -> None:
    fio = "rw: randread, size: 1m, time_based: 1, runtime: 1s, rate_iops: 100"
    path = iogate.spec(spec(f"{{ directory: {tmp_path} }}", fio, again=1, repetitions=2))
    with running(HOG, HOG, HOG):
        done = iogate("run", path)
    assert done.code == 5, done.text
    assert len(measured(iogate)) == 3
    assert "3 of 3 repetitions were disturbed (other processes used" in done.out
    assert "2 that were not are needed; stop what else runs there" in done.out


@pytest.mark.parametrize("engine", ["native", "fio"])
def test_a_candidate_that_burns_cpu_is_slow_and_not_disturbed(
    iogate: Iogate, tmp_path: Path, engine: str
) -> None:
    path = iogate.spec(spec(f"{{ directory: {tmp_path} }}", BUSY, repetitions=1, again=0))
    done = iogate("run", path, "--engine", engine, before=FIRST)
    assert done.code == 0, done.text
    (one,) = measured(iogate).values()
    assert reasons(one) == set()
    readings = one["surroundings"]
    assert readings["saturation"] > 0.5
    assert readings["cpu"] + readings["saturation"] < 1.2


def test_what_the_run_wrote_and_the_kernel_brings_out_later_is_no_stranger(
    iogate: Iogate, tmp_path: Path
) -> None:
    """A read past the page cache brings out what the case before it has left there."""
    fio = "rw: write, size: 48m, bs: 1m"
    read = (
        "  r: { fio: { ioengine: psync, rw: read, size: 48m, bs: 1m, direct: 1 }, repetitions: 3 }"
    )
    with zram_device(61) as device, Path(device).open("rb"):  # or the last close would flush it
        target = f"{{ device: {device}, destroy: {{ size: 61m, holds: anything }} }}"
        text = spec(target, fio, repetitions=3, again=0, io="1%", off=", cpu")
        done = iogate("run", iogate.spec(f"{text}{read}\n"))
        assert done.code == 0, done.text
    found = iogate.run_document()["measurements"]
    assert len(found) == 6
    assert [reasons(m) for m in found] == [set()] * 6
    assert all(m["surroundings"]["io"] == 0 for m in found)


@pytest.mark.parametrize("ioengine", ["psync", "libaio", "io_uring", "mmap"])
def test_what_the_run_moves_is_known_by_whatever_way_it_goes(iogate: Iogate, ioengine: str) -> None:
    direct = "" if ioengine == "mmap" else ", direct: 1, iodepth: 16"
    fio = f"rw: randrw, size: 48m, bs: 16k, numjobs: 2{direct}"
    with zram_device(61) as device:
        target = f"{{ device: {device}, destroy: {{ size: 61m, holds: anything }} }}"
        text = spec(target, fio, repetitions=3, again=0, io="1%", off=", cpu")
        done = iogate("run", iogate.spec(text.replace("psync", ioengine)))
        assert done.code == 0, done.text
    assert all(m["surroundings"]["io"] == 0 for m in measured(iogate).values())


def test_a_host_that_is_not_quiet_is_not_measured(iogate: Iogate, tmp_path: Path) -> None:
    fio = "rw: randread, size: 1m"
    quiet = ", require: { quiet: true }"
    path = iogate.spec(spec(f"{{ directory: {tmp_path} }}", fio, require=quiet))
    with running(HOG, HOG, HOG):
        done = iogate("run", path)
    assert done.code == 3, done.text
    assert "spec.yaml:2:" in done.err
    assert "this host is not quiet: in 2 s other processes used" in done.err
    assert "python" in done.err
    assert not (iogate.folder / "iogate-runs").exists()


def test_a_disturbed_arm_takes_its_block_with_it(iogate: Iogate, tmp_path: Path) -> None:
    text = spec(f"{{ directory: {tmp_path} }}", BUSY.replace("2s", "1s"))
    path = iogate.spec(text.replace("> 1", "vs baseline > -90%"))
    process = iogate.start("ab", path, "--candidate", "bs=8k", "--trust", before=FIRST)
    until(process, "block 1 of")
    with running(HOG, HOG, HOG):
        until(process, "block 2 of")
    done: Done = iogate.end(process)
    assert done.code == 0, done.text
    blocks: dict[int, list[dict[str, Any]]] = {}
    for m in iogate.run_document()["measurements"]:
        blocks.setdefault(m["block"], []).append(m)
    assert reasons(blocks[2][0]) == {"cpu"}
    assert len(blocks[2]) == 1  # the other arm of a block that does not count is not measured
    (threshold,) = iogate.run_document()["verdict"]["thresholds"]
    whole = [n for n, both in blocks.items() if len(both) == 2 and not any(map(reasons, both))]
    assert threshold["blocks"] == len(whole) >= 3


def test_a_canary_sets_what_is_usual_on_this_host(iogate: Iogate, tmp_path: Path) -> None:
    limits = iogate.folder / "state/iogate/validity.json"
    limits.unlink()
    text = spec(f"{{ directory: {tmp_path} }}", BUSY.replace("2s", "300ms"), off=", cpu")
    done = iogate("canary", iogate.spec(text), "--blocks", "4")
    assert done.code in (0, 5), done.text
    found = json.loads(limits.read_text())
    assert found["run"] == iogate.run_document()["id"]
    assert 0.05 <= found["limits"]["cpu"] <= 0.3
    assert limits.stat().st_mode & 0o777 == 0o600


ALONE = """\
version: 1
validity: {{ clock: 50ms, off: [cpu, io, memory, steal], again: 20 }}
targets: {{ t: {{ {target} }} }}
workloads:
  w:
    fio: {{ rw: randread, bs: 4k, size: 8m, time_based: 1, runtime: 2s, {more} }}
    repetitions: 3
    thresholds: {{ all.iops: "> 1" }}
"""


def hit_and_kept(iogate: Iogate, kind: str) -> dict[str, Any]:
    """The verdict on the limit, once the second repetition was taken away, and it alone."""
    run = measured(iogate)
    assert {number: reasons(m) for number, m in run.items() if reasons(m)} == {2: {kind}}
    assert len(run) == 4
    found: dict[str, Any] = next(
        each
        for each in iogate.run_document()["verdict"]["thresholds"]
        if each["threshold"]["metric"] == "all.iops"
    )
    assert len(found["samples"]) == 3
    return found


def test_a_step_of_the_clock(iogate: Iogate) -> None:
    path = iogate.spec(ALONE.format(target=f"directory: {iogate.folder}", more="ioengine: psync"))
    process = iogate.start("run", path)
    until(process, "[1/")
    time.sleep(1)
    with stepped(0.2):
        done = iogate.end(process)
    assert done.code == 0, done.text
    assert hit_and_kept(iogate, "clock")["outcome"] == "pass"
