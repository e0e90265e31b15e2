"""Real regressions, end to end: what `iogate ab` says of devices that became slower. Needs root.

usage: scripts/bench-real [--times N] [--out FILE]
       scripts/bench-real --clean N [--load] [--out FILE]

A zram device is held to a number of I/Os a second, and a FUSE image behind a loop device takes
as long for each request as it is told; the arms of a spec set the one or the other before each
of their runs. Every comparison is a process of its own, and its verdict is a line of FILE: what
is there already is not done again. The cases take turns, so that whenever this is stopped, each
was judged about as often. The table goes to benchmarks/results/real.md as well.

With --clean nothing became slower: N comparisons of both devices with themselves, with --load
beside processes that compute and write, and without priority. The table goes to
benchmarks/results/real-clean.md; exits 1 when one failed, or passed and saw too little.
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
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

from verdict import real_clean

from support.devices import zram_device
from support.slow_disk import slow_disk
from support.throttle import throttle

ROOT = Path(__file__).parents[2]
RESULT = ROOT / "benchmarks" / "results" / "real.md"
CLEAN_RESULT = RESULT.with_name("real-clean.md")
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


Wanted = tuple[Case, int]  # and its seed


@dataclass(frozen=True, slots=True)
class Rig:
    """The specs by what they gate, and what a command has to begin with for each."""

    specs: Mapping[str, Path]
    before: Mapping[str, Sequence[str]]


@contextmanager
def rig(folder: Path, before: Sequence[str] = AT_ONCE, more: str = "") -> Iterator[Rig]:
    """Both devices and both specs; the devices are taken away at the end. ``before`` stands
    before each command, ``more`` are lines of each spec."""
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
            specs[what].write_text(text + "".join(lines) + more)
        yield Rig(specs, {"IOPS": [*before, *held.before], "latency": before})


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
        "thresholds": [_kept(limit) for limit in verdict["thresholds"]],
    }


def _seconds(measured: Sequence[Mapping[str, Any]]) -> float:
    """From the first run of an arm to the end of the last; not the wait for the host."""
    ends = [repetition["started_ns"] + repetition["duration_ns"] for repetition in measured]
    return (
        float(max(ends) - min(repetition["started_ns"] for repetition in measured)) / 1e9
        if ends
        else 0.0
    )


def _kept(limit: Mapping[str, Any]) -> dict[str, Any]:
    keys = ("outcome", "reason", "change", "change_interval", "blocks", "visible_change")
    values = {key: limit.get(key) for key in (*keys, "baseline_samples", "samples")}
    return {"metric": limit["threshold"]["metric"], **values}


def read(path: Path) -> list[dict[str, Any]]:
    """All comparisons of the file; a last line that was cut off is none."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def run_all(
    wanted: Sequence[Wanted], path: Path, before: Sequence[str] = AT_ONCE, more: str = ""
) -> None:
    """What is still missing. Devices that broke, as by somebody who took them for theirs, are
    made anew; a comparison that cannot be made is given up."""
    for _ in range(ATTEMPTS):
        missing = _missing(wanted, path)
        if not missing:
            return
        folder = tempfile.TemporaryDirectory(prefix="iogate-real-")
        with folder as name, rig(Path(name), before, more) as made:
            _run(missing, path, made)


def _missing(wanted: Sequence[Wanted], path: Path) -> list[Wanted]:
    done = {(row["what"], row["shift"], row["seed"]) for row in read(path)}
    return [(case, seed) for case, seed in wanted if (case.what, case.shift, seed) not in done]


def _run(missing: Sequence[Wanted], path: Path, made: Rig) -> None:
    """One after the other, until one could not be measured."""
    for case, seed in missing:
        compared = compare(case, seed, made, path.parent / "runs")
        if not compared:
            return
        with path.open("a") as out:
            out.write(json.dumps(compared) + "\n")
        print(f"{seed} {case.title}: {compared['sentence']}", file=sys.stderr, flush=True)
        time.sleep(PAUSE_S)


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Markdown: a line for each case and gated metric, and how loaded the machine was."""
    text = HEAD
    for case in CASES:
        runs = [row for row in rows if (row["what"], row["shift"]) == (case.what, case.shift)]
        for metric in dict.fromkeys(t["metric"] for run in runs for t in run["thresholds"]):
            text += _line(case, metric, runs)
    loads = [row["load"] for row in rows] or [0.0]
    return f"{text}\n{NOTE.format(low=min(loads), high=max(loads), middle=median(loads))}"


def _line(case: Case, metric: str, runs: Sequence[Mapping[str, Any]]) -> str:
    judged = [t for run in runs for t in run["thresholds"] if t["metric"] == metric]
    changes = [t["change"] * 100 for t in judged if t.get("change") is not None]
    span = f"{median(changes):+.1f} % ({min(changes):+.1f} … {max(changes):+.1f})"
    counts = [sum(t["outcome"] == name for t in judged) for name in ("fail", "pass")]
    cells = (
        case.title, f"`{metric}`", len(judged), *counts, len(judged) - sum(counts), span,
        f"{fmean(t['blocks'] for t in judged):.1f}", f"{fmean(run['seconds'] for run in runs):.0f}",
    )  # fmt: skip
    return f"| {' | '.join(str(cell) for cell in cells)} |\n"


def main() -> int:
    """Run what is missing; print and write the table."""
    parser = argparse.ArgumentParser(prog="scripts/bench-real", description=__doc__)
    parser.add_argument("--times", type=int, default=20, help="of each case (20)")
    parser.add_argument("--clean", type=int, metavar="N", help="N comparisons of the same")
    parser.add_argument("--load", action="store_true", help="beside what computes and writes")
    parser.add_argument("--out", type=Path, help="build/bench-real/runs.jsonl, or clean.jsonl")
    asked = parser.parse_args()
    # As an exception, so that the devices are taken away.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    kept = "clean.jsonl" if asked.clean else "runs.jsonl"
    out = asked.out or ROOT / "build" / "bench-real" / kept
    (out.parent / "runs").mkdir(parents=True, exist_ok=True)
    return clean(asked.clean, out, loaded=asked.load) if asked.clean else slower(asked.times, out)


def slower(times: int, out: Path) -> int:
    """Each case so many times, the cases in turn; 1 when one is missing."""
    wanted = [(case, seed) for seed in range(1, times + 1) for case in CASES]
    run_all(wanted, out)
    rows = read(out)
    text = table(rows)
    RESULT.write_text(f"# real\n\nMade by `make bench-real`.\n\n{text}")
    print(text)
    return 0 if len(rows) >= len(wanted) else 1


def clean(count: int, out: Path, *, loaded: bool) -> int:
    """So many comparisons of the same with the same; 1 when one is missing or is wrong."""
    same = [case for case in CASES if not case.shift]
    wanted = [(same[i % len(same)], i + 1) for i in range(count)]
    with real_clean.load(out.parent) if loaded else nullcontext():
        run_all(wanted, out, *(((), real_clean.UNWATCHED) if loaded else ()))
    rows = read(out)
    text = real_clean.table(rows) if rows else ""
    call = f"scripts/bench-real --clean {count}{' --load' if loaded else ''}"
    when = time.strftime("%F", time.gmtime())
    CLEAN_RESULT.write_text(f"# real-clean\n\nMade by `{call}`, {when}.\n\n{text}")
    wrong = real_clean.broken(rows)
    print(text, *wrong, sep="\n")
    print("every promise holds" if not wrong else f"{len(wrong)} promises broken")
    return 0 if len(rows) >= count and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
