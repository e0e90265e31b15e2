"""A Slurm of the test's own: a controller and three nodes, each with processes, locks and an
identity of its own, as Debian's packages have it. Nothing of it is in /etc."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import pytest

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")
NODES: Mapping[str, str] = {"n1": "nvme,fast", "n2": "hdd", "n3": "nvme,slow"}
_START_S = 60.0
_CONFIG = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
SlurmctldPort={port}
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdPidFile={folder}/%n.pid
SlurmdSpoolDir={folder}/%n
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
KillWait=20
SlurmdTimeout=5
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
{nodes}
PartitionName=storage Nodes={names} Default=YES MaxTime=60 State=UP
"""
# A node that dies takes all of its processes along.
_NODE = """
mount --make-rprivate / && mount -t tmpfs -o mode=1777 tmpfs /run/lock
printf '%032x\\n' "${1#n}" >"$2/$1.id" && mount --bind "$2/$1.id" /etc/machine-id
cat /etc/hosts >"$2/$1.hosts" && echo "127.0.0.1 node-$1" >>"$2/$1.hosts"
mount --bind "$2/$1.hosts" /etc/hosts
hostname "node-$1"
exec slurmd -D -N "$1"
"""

needs_slurm = pytest.mark.skipif(
    os.geteuid() != 0 or not all(map(shutil.which, PROGRAMS)),
    reason="needs root and Slurm (apt-get install slurm-wlm munge)",
)


@dataclass(slots=True)
class Slurm:
    """Running, with ``SLURM_CONF`` set for it."""

    folder: Path
    nodes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def variables(self) -> Mapping[str, str]:
        return {"SLURM_CONF": str(self.folder / "slurm.conf")}

    def kill(self, node: str) -> None:
        """A node dies with all that runs on it."""
        self.nodes[node].kill()
        self.nodes[node].wait()

    def drain(self, node: str, why: str) -> None:
        self.asked("scontrol", "update", f"nodename={node}", "state=drain", f"reason={why}")

    def jobs(self) -> list[str]:
        """State and node of each job that has not ended."""
        return self.asked("squeue", "-h", "-r", "-o", "%T %N").split("\n")[:-1]

    def busy(self) -> set[str]:
        """The nodes on which a job runs."""
        rows = (job.split() for job in self.jobs())
        return {row[1] for row in rows if row[0] == "RUNNING" and len(row) > 1}

    def asked(self, *words: str) -> str:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
        return done.stdout


@contextmanager
def running_slurm(folder: Path, more: str = "") -> Iterator[Slurm]:
    """All nodes are idle, for as long as the block goes; ``more`` are lines of slurm.conf."""
    slurm = Slurm(folder)
    for name in ("munge", "state", *NODES):
        (folder / name).mkdir(mode=0o755)
    _configure(folder, more)
    with ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, slurm.variables))
        stack.enter_context(_program(_munged(folder), folder / "munged.out"))
        stack.enter_context(_program(["slurmctld", "-D"], folder / "slurmctld.out"))
        for name in NODES:
            kept = [
                "unshare",
                "--mount",
                "--uts",
                "--pid",
                "--fork",
                "--kill-child",
                "--mount-proc",
            ]
            words = [*kept, "sh", "-c", _NODE, "sh", name, str(folder)]
            slurm.nodes[name] = stack.enter_context(_program(words, folder / f"{name}.out"))
        _until_idle(slurm)
        yield slurm


@contextmanager
def _program(words: list[str], said: Path) -> Iterator[subprocess.Popen[bytes]]:
    with said.open("wb") as out:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _munged(folder: Path) -> list[str]:
    key = folder / "munge/key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)
    files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "seed-file": "seed"}
    options = [f"--{option}={folder}/munge/{name}" for option, name in files.items()]
    return ["munged", "--foreground", "--force", *options, f"--log-file={folder}/munge/log"]


def _configure(folder: Path, more: str) -> None:
    host = socket.gethostname().partition(".")[0]
    controller, *ports = _free_ports(1 + len(NODES))
    rows = [
        f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1"
        f" RealMemory=100 Features={features}"
        for (name, features), port in zip(NODES.items(), ports, strict=True)
    ]
    text = _CONFIG.format(
        host=host, folder=folder, port=controller, nodes="\n".join(rows), names=",".join(NODES)
    )
    (folder / "slurm.conf").write_text(f"{text}{more}\n")


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        free = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in free:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in free]


def _until_idle(slurm: Slurm) -> None:
    end = time.monotonic() + _START_S
    words = ["sinfo", "-h", "-N", "-o", "%T"]
    while time.monotonic() < end:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.stdout.split() == ["idle"] * len(NODES):
            return
        time.sleep(0.2)
    logs = "".join(path.read_text(errors="replace") for path in slurm.folder.glob("*.out"))
    raise AssertionError(f"Slurm does not start: {done.stdout}{done.stderr}\n{logs[-3000:]}")
