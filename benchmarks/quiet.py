"""How many repetitions are marked as disturbed on a host with nothing else running.

Run it on such a host: what it counts is false alarms only there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import Comparison

MOST = 0.01  # of all repetitions
SPEC = """\
version: 1
validity: {{ again: 0 }}
targets: {{ t: {{ directory: {folder} }} }}
workloads:
  w:
    fio: {{ ioengine: psync, rw: randrw, size: 16m, direct: 1, time_based: 1, runtime: 1s }}
    repetitions: {count}
"""


def comparisons(rounds: int) -> Iterator[Comparison]:
    """``rounds`` is how many repetitions there are: 200 say enough."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        spec = folder / "quiet.yaml"
        spec.write_text(SPEC.format(folder=folder, count=rounds))
        state = {"XDG_STATE_HOME": f"{folder}/state", "XDG_DATA_HOME": f"{folder}/data"}
        iogate = str(Path(sys.executable).parent / "iogate")
        command = [iogate, "run", "--quiet", "--output", f"{folder}/run", str(spec)]
        subprocess.run(command, check=True, env={**os.environ, **state}, stdout=sys.stderr)
        run = json.loads((folder / "run/run.json").read_text())
    told = [
        [disturbance["text"] for disturbance in m["disturbances"] if disturbance["counts"]]
        for m in run["measurements"]
    ]
    for text in (text for texts in told for text in texts):
        print(f"marked: {text}", file=sys.stderr)
    yield Comparison(
        "repetitions marked as disturbed, of all", "", sum(map(bool, told)), len(told), MOST
    )
