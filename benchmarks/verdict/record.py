"""Record sessions of real engine runs, to judge the verdict on their noise. Needs root.

usage: python -m verdict.record [--runs N]

A loop device over a file in memory, once slowed down by a cgroup and once not, is read and
written again and again with one short job; the metrics of each run go to sessions.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from iogate.engine.result import parse_result
from iogate.metrics import metric
from iogate.model.measurement import EngineFacts, Measurement
from support.devices import loop_device
from support.throttle import throttled

SESSIONS = Path(__file__).with_name("sessions.json")
BUILT = Path(__file__).parents[2] / "native" / "build" / "iogate-engine"
ENGINE = Path(os.environ.get("IOGATE_ENGINE", BUILT))
METRICS = tuple(
    f"{direction}.{name}"
    for direction in ("read", "write")
    for name in ("iops", "clat.mean", "clat.p50", "clat.p99")
)
JOB = """\
[mix]
filename={device}
ioengine=psync
rw=randrw
bs=4k
direct=1
numjobs=2
group_reporting=1
time_based=1
runtime=250ms
"""


def one_run(before: Sequence[str], job: Path, folder: Path) -> list[float]:
    """The metrics of one run."""
    out = folder / "out.json"
    command = [*before, str(ENGINE), "--output-format=json+", f"--output={out}", str(job)]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    result = parse_result(json.loads(out.read_text()))
    measured = Measurement("", 1, 0, 0, EngineFacts("", ""), result.jobs)
    values = (metric(path).extract(measured) for path in METRICS)
    return [float(f"{value or 0:.5g}") for value in values]


def session(device: str, folder: Path, runs: int, before: Sequence[str] = ()) -> list[list[float]]:
    """All runs on one device, in time order."""
    job = folder / "job.fio"
    job.write_text(JOB.format(device=device))
    return [one_run(before, job, folder) for _ in range(runs)]


def main() -> None:
    """Both sessions, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m verdict.record")
    parser.add_argument("--runs", type=int, default=400)
    runs = parser.parse_args().runs
    sessions = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with loop_device(folder, 64) as device:
            with throttled(device, 2000) as before:
                sessions["throttled loop device"] = session(device, folder, runs, before)
            sessions["loop device"] = session(device, folder, runs)
    text = json.dumps({"metrics": METRICS, "sessions": sessions}, separators=(",", ":"))
    SESSIONS.write_text(text.replace("],[", "],\n[") + "\n")


if __name__ == "__main__":
    main()
