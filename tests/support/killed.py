"""Runs of this host that have no end, and a process that measures one of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from iogate.host.facts import this_host
from iogate.model.run import Host, Run, RunStatus
from iogate.sut import open_sut
from support import samples as s

HERE = this_host(open_sut())
HOLD = (
    "import time\nfrom iogate.host.locks.host_lock import host_lock\n"
    "from iogate.sut import open_sut\nwith host_lock(open_sut(), 'dead'):\n"
    "    print(flush=True)\n    time.sleep(600)\n"
)


def begun(name: str, host: Host) -> Run:
    run = s.run(name, measurements=s.repetitions([1, 2]), status=RunStatus.RUNNING)
    return replace(run, host=host, finished_ns=0)


@contextmanager
def measuring() -> Iterator[subprocess.Popen[bytes]]:
    """A process that holds the host for the run "dead"; killed in the end, if not before."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, env=env) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"\n"
        try:
            yield child
        finally:
            child.send_signal(signal.SIGKILL)
