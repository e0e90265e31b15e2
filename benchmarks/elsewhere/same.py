"""Whether numbers by ssh are those of a run here."""

from __future__ import annotations

import math
import os
import random
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from elsewhere.promise import Promise
from elsewhere.runs import measured
from iogate.metrics import metric
from iogate.stats.boundary import boundary_for
from iogate.stats.paired import change_of, look
from iogate.sut import open_sut
from iogate.sut.base import Sut
from support.devices import zram_device
from support.ssh_host import SshHost, ssh_host
from support.throttle import Throttle, throttle

IOPS = 2000
LIMIT = 0.02
PRIORITY = 30
MOST_BLOCKS = 20
SPEC = """\
version: 1
name: same
validity: {{ again: 0 }}
targets: {{ disk: {{ device: {device} }} }}
workloads:
  read:
    fio: {{ ioengine: libaio, iodepth: 32, rw: randread, bs: 4k, direct: true,
            time_based: true, ramp_time: 300ms, runtime: 2s }}
    repetitions: 1
"""


def promises(folder: Path) -> Iterator[Promise]:
    """One row."""
    with zram_device() as device, throttle(device) as held, ssh_host(folder) as host:
        subprocess.run(["sh", "-c", held.setting(IOPS)], check=True)
        with (
            _held(held, host),
            closing(open_sut()) as here,
            closing(open_sut(host.machine)) as there,
        ):
            yield _compared(here, there, SPEC.format(device=device), folder)


@contextmanager
def _held(group: Throttle, host: SshHost) -> Iterator[None]:
    """This process and that of sshd are held back, and whatever they start; all of them have
    real-time priority, in the place of a machine of their own."""
    words = ["pgrep", "--parent", str(host.server)]
    found = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    own = str(os.getpid())
    for pid in (own, *found):
        (group.group / "cgroup.procs").write_text(pid)
        os.sched_setscheduler(int(pid), os.SCHED_FIFO, os.sched_param(PRIORITY))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        (group.group.parent / "cgroup.procs").write_text(own)


def _compared(here: Sut, there: Sut, spec: str, folder: Path) -> Promise:
    chance = random.Random(1)
    pairs: list[tuple[float, float]] = []
    boundary, limits = boundary_for(2.0), np.full(2, math.log1p(LIMIT))
    while len(pairs) < MOST_BLOCKS:
        order = [here, there]
        chance.shuffle(order)
        for arms in (order, order[::-1]):
            seen = {id(arm): _iops(arm, spec, folder) for arm in arms}
            pairs.append((math.log(seen[id(here)]), math.log(seen[id(there)])))
        base, other = np.array(pairs).T
        rows = np.array([base - other, other - base]), np.array([base + other] * 2)
        judged = look(*rows, limits, boundary)
        if judged.fails.any() or judged.settled.all():
            break
    change = change_of(*rows, boundary, np.full(2, math.nan))
    estimate, worst, best = (
        -100 * math.expm1(each[0]) for each in (change.estimate, change.high, change.low)
    )
    return Promise(
        "IOPS by ssh against those here, one throttled device",
        f"{estimate:+.2f} % ({worst:+.2f} to {best:+.2f} %) after {len(pairs)} blocks",
        f"passes at ±{LIMIT:.0%}",
        bool(judged.settled.all()),
    )


def _iops(sut: Sut, spec: str, folder: Path) -> float:
    run, _times = measured(sut, spec, folder)
    (measurement,) = run.measurements
    value = metric("read.iops").extract(measurement)
    assert value
    return value
