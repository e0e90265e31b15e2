"""What it costs to measure on a machine elsewhere. Needs root.

usage: scripts/bench-elsewhere [--out FILE]

Three things: whether numbers by ssh are those of a run here, on one throttled device; what the
controller takes of a case's time over a line of 20 ms; how long a virtual machine takes from its
start to its first I/O. The table goes to benchmarks/results/elsewhere.md; exits 1 when a promise
did not hold.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from elsewhere import guest, line, same
from elsewhere.promise import Promise

RESULT = Path(__file__).parents[1] / "results/elsewhere.md"
PARTS = (same.promises, line.promises, guest.promises)
TEXT = """\
# elsewhere

`scripts/bench-elsewhere` on {date}; Linux {kernel}, {cpus} CPUs, load average {load:.1f}.

| what | seen | promised | |
|---|---|---|---|
{rows}

The hosts are a real sshd in mount, PID and UTS namespaces of its own, on this machine. The line's
delay is made by a relay between the client and sshd, 10 ms in each direction: this kernel has no
`sch_netem`. Numbers by ssh are held against those of runs here as `iogate ab` holds an arm against
the other: pairs of blocks of one run each in a drawn order, looked at after each, in both
directions, on a zram device that cgroups hold to {iops} I/Os a second, with real-time priority in
the place of a machine of its own. What is emulated, and what the controller itself takes, is
longer on a busy machine: the load average says how busy this one was.
"""


def main() -> int:
    """Measure, print and keep the table."""
    parser = argparse.ArgumentParser(prog="scripts/bench-elsewhere")
    parser.add_argument("--out", type=Path, default=RESULT)
    out = parser.parse_args().out
    if os.geteuid():
        sys.exit("namespaces, devices and cgroups need root")
    promises = list(_measured())
    text = TEXT.format(
        date=datetime.now(UTC).date(),
        kernel=platform.release(),
        cpus=os.cpu_count(),
        load=os.getloadavg()[1],
        rows="\n".join(map(str, promises)),
        iops=same.IOPS,
    )
    print(text)
    out.write_text(text, encoding="utf-8")
    return 0 if all(each.holds is not False for each in promises) else 1


def _measured() -> Iterator[Promise]:
    for part in PARTS:
        with TemporaryDirectory(dir="/var/tmp") as name:
            os.environ["XDG_STATE_HOME"] = f"{name}/state"
            os.environ["IOGATE_LOCK"] = f"{name}/lock"
            os.environ["XDG_DATA_HOME"] = f"{name}/data"
            for promise in part(Path(name)):
                print(promise, file=sys.stderr)
                yield promise


if __name__ == "__main__":
    sys.exit(main())
