"""Real regressions, end to end: what `iogate ab` says of devices that became slower. Needs root.

usage: scripts/bench-real [--times N] [--out FILE]

A zram device is held to a number of I/Os a second, and a FUSE image behind a loop device takes
as long for each request as it is told; the arms of a spec set the one or the other before each
of their runs. Every comparison is a process of its own, and its verdict is a line of FILE: what
is there already is not done again. The cases take turns, so that whenever this is stopped, each
was judged about as often. The table goes to benchmarks/results/real.md as well.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

from support.devices import zram_device
from support.slow_disk import slow_disk
from support.throttle import throttle

ROOT = Path(__file__).parents[2]
RESULT = ROOT / "benchmarks" / "results" / "real.md"
ATTEMPTS = 10
PAUSE_S = 3.0  # one run measures on a host at a time: let others have it
# In the place of a machine of its own: what else this one does delays the disk and the
# engine less.
AT_ONCE = ("chrt", "--fifo", "30")
BASE_IOPS = 2000
BASE_DELAY_US = 4000
# -2 % and +2 %: below the least of the shifts, as a gate would have it.
IOPS = """\
version: 1
name: real-iops
targets: {{ disk: {{ device: {device} }} }}
workloads:
  read:
    fio: {{ ioengine: libaio, iodepth: 32, rw: randread, bs: 4k, direct: true,
            time_based: true, ramp_time: 200ms, runtime: 1200ms }}
    thresholds: {{ read.iops: "vs baseline > -2%" }}
compare:
  arms:
"""
LATENCY = """\
version: 1
name: real-latency
targets: {{ disk: {{ device: {device} }} }}
workloads:
  read:
    fio: {{ ioengine: libaio, iodepth: 8, rw: randread, bs: 4k, direct: true, number_ios: 2100 }}
    thresholds: {{ read.clat.mean: "vs baseline < +2%", read.clat.p50: "vs baseline < +2%" }}
compare:
  arms:
"""
HEAD = """\
| what became slower | metric | runs | fail | pass | inconclusive | measured | blocks | seconds |
|---|---|---|---|---|---|---|---|---|
"""
NOTE = """\
Measured is the median of the estimates, with the least and the greatest; blocks and seconds are
means of a run. The load average of the two processors was {low:.1f} to {high:.1f} (median
{middle:.1f}), with these runs and whatever ran beside them. `iogate ab` ran with real-time
priority, below that of the disk, in the place of a machine of its own.
"""


@dataclass(frozen=True, slots=True)
class Case:
    """One change of one device; ``shift`` is a fraction, and 0 for none."""

    what: str
    shift: float

    @property
    def arm(self) -> str:
        sign = "minus" if self.shift < 0 else "plus"
        return f"{sign}-{abs(self.shift) * 100:.0f}" if self.shift else "same"

    @property
    def title(self) -> str:
        return f"{self.what} {self.shift * 100:+.0f} %" if self.shift else f"{self.what}, nothing"


CASES = (
    *(Case("IOPS", shift) for shift in (0.0, -0.03, -0.05, -0.10)),
    *(Case("latency", shift) for shift in (0.0, 0.05, 0.10, 0.20)),
)


@dataclass(frozen=True, slots=True)
class Rig:
    """The specs by what they gate, and what a command has to begin with for each."""

    specs: Mapping[str, Path]
    before: Mapping[str, Sequence[str]]


@contextmanager
def rig(folder: Path) -> Iterator[Rig]:
    """Both devices and both specs; the devices are taken away at the end."""
    with zram_device() as zram, throttle(zram) as held, slow_disk(folder) as slow:
        commands = {
            "IOPS": lambda shift: held.setting(round(BASE_IOPS * (1 + shift))),
            "latency": lambda shift: (
                f"echo delay_us={round(BASE_DELAY_US * (1 + shift))} > {slow.control}"
            ),
        }
        texts = {"IOPS": IOPS.format(device=zram), "latency": LATENCY.format(device=slow.device)}
        specs = {}
        for what, text in texts.items():
            arms = {"base": 0.0} | {case.arm: case.shift for case in CASES if case.what == what}
            lines = [
                f"    {arm}: {{ prepare: {json.dumps(commands[what](shift))} }}\n"
                for arm, shift in arms.items()
            ]
            specs[what] = folder / f"{what}.yaml"
            specs[what].write_text(text + "".join(lines))
        yield Rig(specs, {"IOPS": [*AT_ONCE, *held.before], "latency": AT_ONCE})


def compare(case: Case, seed: int, made: Rig, folder: Path) -> dict[str, Any] | None:
    """One comparison, and what is kept of it; None when it was not measured to its end."""
    out = folder / f"{case.what}-{case.arm}-{seed}"
    shutil.rmtree(out, ignore_errors=True)
    command = [
        *made.before[case.what], sys.executable, "-m", "iogate", "ab", str(made.specs[case.what]),
        "--trust", "--base", "base", "--candidate", case.arm, "--seed", str(seed),
        "--output", str(out), "--store", str(folder / "history.sqlite"), "--wait", "30m", "--quiet",
    ]  # fmt: skip
    load = os.getloadavg()[0]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    run = json.loads((out / "run.json").read_text()) if (out / "run.json").exists() else {}
    verdict, measured = run.get("verdict"), run.get("measurements", [])
    if not verdict or run["status"] != "complete":
        print(f"{' '.join(command)} exited with {done.returncode}: {done.stderr}", file=sys.stderr)
        return None
    return {
        "what": case.what,
        "shift": case.shift,
        "seed": seed,
        "at": time.strftime("%FT%TZ", time.gmtime()),
        "load": round(load, 2),
        "exit_code": done.returncode,
        "outcome": verdict["outcome"],
        "sentence": verdict["sentence"],
        "seconds": round(_seconds(measured), 2),
        "said": done.stderr,
        "thresholds": [_kept(one) for one in verdict["thresholds"]],
    }


def _seconds(measured: Sequence[Mapping[str, Any]]) -> float:
    """From the first run of an arm to the end of the last; not the wait for the host."""
    ends = [one["started_ns"] + one["duration_ns"] for one in measured]
    return float(max(ends) - min(one["started_ns"] for one in measured)) / 1e9 if ends else 0.0


def _kept(one: Mapping[str, Any]) -> dict[str, Any]:
    keys = ("outcome", "reason", "change", "change_interval", "blocks", "visible_change")
    values = {key: one.get(key) for key in (*keys, "baseline_samples", "samples")}
    return {"metric": one["threshold"]["metric"], **values}


def read(path: Path) -> list[dict[str, Any]]:
    """All comparisons of the file; a last line that was cut off is none."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def run_all(times: int, path: Path) -> None:
    """What is still missing. Devices that broke, as by somebody who took them for theirs, are
    made anew; a comparison that cannot be made is given up."""
    for _ in range(ATTEMPTS):
        missing = _missing(times, path)
        if not missing:
            return
        with tempfile.TemporaryDirectory(prefix="iogate-real-") as name, rig(Path(name)) as made:
            _run(missing, path, made)


def _missing(times: int, path: Path) -> list[tuple[Case, int]]:
    """Cases and seeds, the cases in turn."""
    done = {(one["what"], one["shift"], one["seed"]) for one in read(path)}
    wanted = [(case, seed) for seed in range(1, times + 1) for case in CASES]
    return [(case, seed) for case, seed in wanted if (case.what, case.shift, seed) not in done]


def _run(missing: Sequence[tuple[Case, int]], path: Path, made: Rig) -> None:
    """One after the other, until one could not be measured."""
    for case, seed in missing:
        found = compare(case, seed, made, path.parent / "runs")
        if not found:
            return
        with path.open("a") as out:
            out.write(json.dumps(found) + "\n")
        print(f"{seed} {case.title}: {found['sentence']}", file=sys.stderr, flush=True)
        time.sleep(PAUSE_S)


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Markdown: a line for each case and gated metric, and how loaded the machine was."""
    text = HEAD
    for case in CASES:
        runs = [one for one in rows if (one["what"], one["shift"]) == (case.what, case.shift)]
        for metric in dict.fromkeys(t["metric"] for one in runs for t in one["thresholds"]):
            text += _line(case, metric, runs)
    loads = [one["load"] for one in rows] or [0.0]
    return f"{text}\n{NOTE.format(low=min(loads), high=max(loads), middle=median(loads))}"


def _line(case: Case, metric: str, runs: Sequence[Mapping[str, Any]]) -> str:
    judged = [t for one in runs for t in one["thresholds"] if t["metric"] == metric]
    changes = [t["change"] * 100 for t in judged if t.get("change") is not None]
    span = f"{median(changes):+.1f} % ({min(changes):+.1f} … {max(changes):+.1f})"
    counts = [sum(t["outcome"] == name for t in judged) for name in ("fail", "pass")]
    cells = (
        case.title, f"`{metric}`", len(judged), *counts, len(judged) - sum(counts), span,
        f"{fmean(t['blocks'] for t in judged):.1f}", f"{fmean(one['seconds'] for one in runs):.0f}",
    )  # fmt: skip
    return f"| {' | '.join(str(cell) for cell in cells)} |\n"


def main() -> int:
    """Run what is missing; print and write the table."""
    parser = argparse.ArgumentParser(prog="scripts/bench-real", description=__doc__)
    parser.add_argument("--times", type=int, default=20, help="of each case (20)")
    out = ROOT / "build" / "bench-real" / "runs.jsonl"
    parser.add_argument("--out", type=Path, default=out, help="build/bench-real/runs.jsonl")
    asked = parser.parse_args()
    # As an exception, so that the devices are taken away.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    (asked.out.parent / "runs").mkdir(parents=True, exist_ok=True)
    run_all(asked.times, asked.out)
    rows = read(asked.out)
    text = table(rows)
    RESULT.write_text(f"# real\n\nMade by `make bench-real`.\n\n{text}")
    print(text)
    return 0 if len(rows) >= asked.times * len(CASES) else 1


if __name__ == "__main__":
    sys.exit(main())
