"""What each disturbance costs on this host: a small job alone and beside a disturber, in turns.

Whatever is started here is ended here; the only files are in a scratch directory below the
target, which is removed.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

from iogate.engine.base import Engine, EngineJob, Stop
from iogate.engine.launcher import find_layers
from iogate.errors import RefusedError
from iogate.host.devices.block_devices import device_under
from iogate.host.sandbox import Sandbox, open_sandbox
from iogate.host.targets.places import place_of
from iogate.host.targets.scratch import scratch_directory
from iogate.host.validity import Surroundings, TargetDisks
from iogate.host.validity.disks import target_disks
from iogate.host.validity.snapshot import allowed_cpus
from iogate.metrics import metric
from iogate.model.measurement import EngineFacts, Measurement
from iogate.model.spec import Target, TargetKind
from iogate.model.validity import Validity
from iogate.sut.base import Process, Sut

PAIRS = 4
SECONDS = 2.0
"""Of each half of a pair: three disturbers take about a minute."""
_TIMEOUT_S = 60.0
_MOST_MEMORY = 1 << 30
_JOB = """\
[probe]
ioengine=psync
rw=randread
bs=4k
size=64m
direct={direct}
time_based
runtime={seconds:g}
directory={folder}
"""
_HOG = "while True: pass"
_WRITER = """\
import os, sys
block = b"x" * (1 << 20)
while True:
    handle = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for _ in range(64):
        os.write(handle, block)
    os.fsync(handle)
    os.close(handle)
"""
_EATER = """\
import sys
held = bytearray(int(sys.argv[1]))
while True:
    for place in range(0, len(held), 4096):
        held[place] = (held[place] + 1) & 255
"""


@dataclass(frozen=True, slots=True)
class Disturber:
    """Something that is done beside the job; ``commands`` are its processes, for a host with so
    many CPUs and so much free memory, and a folder on the target's disk."""

    name: str
    what: str
    commands: Callable[[int, int, str], list[list[str]]]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a disturber does to the job, as changes (-0.3 = 30 % less), each the median of its
    pairs; None where there was none. ``marked`` of ``pairs`` repetitions beside it would not
    have counted, for ``reason``."""

    name: str
    what: str
    iops: float | None
    p99: float | None
    marked: int
    pairs: int
    reason: str


def _python(text: str, *words: str) -> list[str]:
    """For a machine's own Python, which ``_beside`` puts before it."""
    return ["-I", "-c", text, *words]


DISTURBERS = (
    Disturber(
        "cpu", "a process on each CPU that only computes", lambda n, _, __: [_python(_HOG)] * n
    ),
    Disturber(
        "io",
        "another writer on the target's disk",
        lambda _, __, folder: [_python(_WRITER, f"{folder}/other")],
    ),
    Disturber(
        "memory",
        "a process that writes a quarter of the free memory over and over",
        lambda _, free, __: [_python(_EATER, str(min(free // 4, _MOST_MEMORY)))],
    ),
)


def measure_costs(
    sut: Sut,
    engine: Engine,
    directory: str,
    stop: Stop,
    told: Callable[[str], None] = lambda _text: None,
    *,
    pairs: int = PAIRS,
    seconds: float = SECONDS,
) -> list[Cost]:
    """The cost of each disturber, measured in a directory. RefusedError for what is none."""
    status = sut.stat(directory)
    if not status or not status.is_directory:
        raise RefusedError(
            f"{directory} is not a directory: what disturbs a disk is measured in one",
            remedy="name a directory on the disk with --target",
        )
    token = uuid.uuid4().hex[:12]
    with scratch_directory(sut, sut.real_path(directory), token) as folder:
        probe = _Probe(sut, engine, folder, stop, seconds)
        probe.once()  # lays the file out
        costs = []
        for each in DISTURBERS:
            told(f"{each.name}: {each.what}")
            costs.append(probe.cost(each, pairs))
        return costs


class _Probe:
    """A small job in a folder, run alone or beside something."""

    def __init__(self, sut: Sut, engine: Engine, folder: str, stop: Stop, seconds: float) -> None:
        self._sut, self._engine, self._folder, self._stop = sut, engine, folder, stop
        self._around = Surroundings(sut, Validity())
        self._place, self._sandbox = place_of(sut, folder), _sandbox(sut)
        self._seconds = seconds
        target = Target("probe", TargetKind.DIRECTORY, folder)
        self._disks: TargetDisks = target_disks(sut, target, folder)
        direct = int(device_under(sut, folder) is not None)
        sut.write_text(
            f"{folder}/probe.fio", _JOB.format(folder=folder, seconds=seconds, direct=direct)
        )

    def cost(self, disturber: Disturber, pairs: int) -> Cost:
        """Pairs of the job alone and beside the disturber, in either order by turns."""
        changes: dict[str, list[float]] = {"read.iops": [], "read.clat.p99": []}
        marked, reasons = 0, dict[str, str]()
        for number in range(pairs):
            if self._stop.requested:
                break
            quiet = self.once() if number % 2 else None
            with self._beside(disturber) as strangers:
                loud = self.once(strangers)
            quiet = quiet or self.once()
            for name, values in changes.items():
                values.extend(_change(name, quiet, loud))
            marked += loud.disturbed
            reasons |= {
                disturbance.kind: disturbance.text
                for disturbance in loud.disturbances
                if disturbance.counts
            }
        iops, p99 = (median(values) if values else None for values in changes.values())
        reason = reasons.get(disturber.name) or next(iter(reasons.values()), "")
        return Cost(
            disturber.name, disturber.what, iops, p99, marked, len(changes["read.iops"]), reason
        )

    def once(self, strangers: Sequence[int] = ()) -> Measurement:
        """The job as a repetition, watched; processes that are ``strangers`` count as such."""
        result, log = f"{self._folder}/result.json", f"{self._folder}/log"
        watch = self._around.watch(self._disks, strangers=strangers)
        job = EngineJob(
            f"{self._folder}/probe.fio",
            result,
            log,
            self._folder,
            _TIMEOUT_S,
            places=(self._place,),
            on_tick=watch.tick,
            confinement=self._sandbox.within(self._place),
        )
        engine_result = self._engine.run(job, on_progress=lambda _progress: None, stop=self._stop)
        around = watch.ended()
        self._sut.remove_file(result)
        return Measurement(
            "probe",
            1,
            0,
            0,
            EngineFacts(engine_result.engine.name, engine_result.engine.version),
            engine_result.jobs,
            disturbances=around.disturbances,
            surroundings=around.readings,
        )

    @contextmanager
    def _beside(self, disturber: Disturber) -> Iterator[list[int]]:
        """The disturber's processes, ended whatever happens."""
        cpus = len(allowed_cpus(self._sut)) or 1
        python = self._sut.about().python
        space = _free_memory(self._sut.read_text("/proc/meminfo") or "")
        started: list[Process] = []
        log = f"{self._folder}/disturber.log"
        try:
            started.extend(
                self._sut.start([python, *argv], cwd=self._folder, stdout=log, stderr=log)
                for argv in disturber.commands(cpus, space, self._folder)
            )
            yield [each.pid for each in started]
        finally:
            for each in started:
                each.kill_group()


def _sandbox(sut: Sut) -> Sandbox:
    """As far as this kernel confines: the job is our own, and runs on a host without it, too."""
    return open_sandbox(sut, find_layers(sut), unconfined=False, trusted=True, proposed=False)


def _change(name: str, quiet: Measurement, loud: Measurement) -> list[float]:
    values = [metric(name).extract(each) for each in (quiet, loud)]
    before, after = values
    if before is None or after is None or not (before > 0 and math.isfinite(after / before)):
        return []
    return [after / before - 1]


def _free_memory(text: str) -> int:
    """Bytes that may be taken without swapping, of /proc/meminfo."""
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            return int(rest.split()[0]) * 1024
    return 0
