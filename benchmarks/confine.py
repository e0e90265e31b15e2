"""What confinement adds to a repetition, and that it adds nothing to an I/O."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import Comparison, interleaved, wall_ms

from iogate.engine.confined import confined
from iogate.engine.launcher import find_layers
from iogate.host.sandbox import SYSTEM
from iogate.host.targets.places import place_of
from iogate.model.confinement import Allowed, Confinement
from iogate.sut.local import LocalSut

ENGINE = str(Path(sys.executable).parent / "iogate-engine")
PROMISED_MS = 5.0
SHORT = ["--name=job", "--ioengine=null", "--size=4k", "--number_ios=1"]
LONG = [
    "--name=job", "--ioengine=psync", "--rw=randread", "--bs=4k", "--size=16m", "--direct=0",
    "--time_based=1", "--runtime=1", "--output-format=json",
]  # fmt: skip


def comparisons(rounds: int) -> Iterator[Comparison]:
    """Every comparison of this file."""
    with TemporaryDirectory() as folder:
        yield start(folder, 20 * rounds)
        yield processor(folder, 20 * rounds)
        yield each_io(folder, rounds)


def start(folder: str, rounds: int) -> Comparison:
    """A job of one I/O to no device, from start to end."""
    bare = [ENGINE, *SHORT]
    launched = confined_command(folder, bare)
    a, b = interleaved(lambda: wall_ms(launched), lambda: wall_ms(bare), rounds)
    return Comparison("confinement adds to a repetition", "ms", a - b, PROMISED_MS, 1.0)


def processor(folder: str, rounds: int) -> Comparison:
    """The same in time of a CPU, which other load of the machine does not stretch."""
    bare = [ENGINE, *SHORT]
    launched = confined_command(folder, bare)
    a, b = interleaved(lambda: cpu_ms(launched), lambda: cpu_ms(bare), rounds)
    return Comparison("of that, time of a CPU", "ms", a - b, PROMISED_MS, 1.0)


def cpu_ms(command: list[str]) -> float:
    """What a command and its children took of the CPUs."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall_ms(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def each_io(folder: str, rounds: int) -> Comparison:
    """Reads of a small file from the page cache: all that they take is the way through the
    kernel."""
    bare = [ENGINE, *LONG, f"--directory={folder}"]
    launched = confined_command(folder, bare)
    a, b = interleaved(lambda: io_ns(launched), lambda: io_ns(bare), rounds)
    return Comparison("an I/O confined, beside one that is not", "ns", a, b, 1.05)


def confined_command(folder: str, command: list[str]) -> list[str]:
    """The command behind the launcher, its plan in a file."""
    sut = LocalSut()
    layers = find_layers(sut)
    if layers is None or not layers.confine:
        sys.exit("this kernel confines nothing: see iogate doctor")
    what = Confinement(layers, (Allowed(place_of(sut, folder)),), SYSTEM)
    argv, plan = confined(sut, command, what)
    path = Path(folder) / f"plan-{len(command)}"
    path.write_text(plan)
    return [word.replace("/proc/self/fd/{plan_fd}", str(path)) for word in argv]


def io_ns(command: list[str]) -> float:
    """Nanoseconds of one I/O of the job."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return 1e9 / float(json.loads(done.stdout)["jobs"][0]["read"]["iops"])
