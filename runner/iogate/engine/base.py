"""What an engine must do: say what it is, and run one job file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from iogate.engine.complaints import Complaint
from iogate.model.confinement import Confinement
from iogate.model.measurement import DiskUtil, EngineFacts, JobMeasurement
from iogate.model.place import Place
from iogate.model.plan import Case
from iogate.model.spec import Command


@dataclass(frozen=True, slots=True)
class Rates:
    """One direction over the last status interval; latencies in ns, None when unknown."""

    iops: float
    bw: float
    clat_mean_ns: float | None = None
    clat_p99_ns: float | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a repetition is. ``state`` is layout, ramp, running or finishing."""

    state: str
    elapsed_ms: int
    percent: float
    rates: Mapping[str, Rates] = field(default_factory=dict)


@dataclass(slots=True)
class Stop:
    """Set by a signal handler, looked at by whoever waits for an engine."""

    requested: bool = False


class EitherStop(Stop):
    """Set when ``other`` is, and by ``own``."""

    def __init__(self, other: Stop) -> None:
        self._other = other
        self.own = False

    @property
    def requested(self) -> bool:  # type: ignore[override]
        """Whether either was set."""
        return self.own or self._other.requested


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """An engine that was found. ``ioengines`` are the names that a spec may use; ``clock`` is
    what it takes times by on this machine, empty where it does not say; ``semantics`` numbers what
    its numbers mean, None where it does not say."""

    name: str
    path: str
    version: str
    ioengines: tuple[str, ...]
    clock: str = ""
    semantics: int | None = None


@dataclass(frozen=True, slots=True)
class EngineJob:
    """One job file to run: the engine writes ``result_file``, its messages go to
    ``log_file``, and ``folder`` is its working directory. ``cpus`` are those that it may run
    on, as taskset lists them; empty for all. ``places`` are what it may open as its targets,
    ``confinement`` is what the kernel keeps it to. ``kept_file`` is where the
    result is taken afterwards, empty where it stays. ``on_tick`` is called several times a second
    while it runs. Where there is a ``command``, that runs in the place of the job file, as a job
    of ``command_name``; ``on_prepared`` is called when it has prepared what it needs."""

    job_file: str
    result_file: str
    log_file: str
    folder: str
    timeout_s: float
    readonly: bool = False
    cpus: str = ""
    places: tuple[Place, ...] = ()
    on_tick: Callable[[], None] = field(default=lambda: None, compare=False)
    confinement: Confinement | None = None
    kept_file: str = ""
    command: Command | None = None
    command_name: str = ""
    on_prepared: Callable[[], None] = field(default=lambda: None, compare=False)


@dataclass(frozen=True, slots=True)
class EngineResult:
    """What a result document says. ``interrupted``: it covers only a part of the job;
    ``ended_ns``: when it was written, 0 where it does not say."""

    engine: EngineFacts
    jobs: tuple[JobMeasurement, ...]
    disks: tuple[DiskUtil, ...] = ()
    interrupted: bool = False
    warnings: tuple[str, ...] = ()
    ended_ns: int = 0


class Engine(Protocol):
    """Something that runs fio job files. Built with the Sut that it runs on."""

    name: str

    def info(self, confinement: Confinement | None = None) -> EngineInfo:
        """Find the engine, and ask it what it is, kept to ``confinement``. EngineError, naming
        where it was looked for, when it is missing or does not start."""

    def complaints(
        self, cases: Iterable[Case], confinement: Confinement | None = None
    ) -> tuple[Complaint, ...]:
        """What it says of cases that it does not take, without a look at their targets; nothing
        where it cannot be asked that."""

    def run(
        self, job: EngineJob, *, on_progress: Callable[[Progress], None], stop: Stop
    ) -> EngineResult:
        """Run to the end and read the result. EngineError when the engine crashed, timed
        out, was stopped, or when a job failed; what it wrote stays in ``result_file``."""
