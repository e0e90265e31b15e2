"""A spec as its author wrote it: resolved YAML, not yet expanded into cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

from iogate.errors import Location
from iogate.model.array import PART, Array
from iogate.model.axes import TARGET
from iogate.model.codec import UNWRITTEN
from iogate.model.comparison import CompareRule
from iogate.model.environment import Environment
from iogate.model.units import Better, Unit
from iogate.model.validity import Validity


class TargetKind(StrEnum):
    """What a target is."""

    DIRECTORY = "directory"
    FILE = "file"
    DEVICE = "device"
    FILESYSTEM = "filesystem"
    ARRAY = "array"

    @property
    def named(self) -> str:
        """With its article, for sentences."""
        return f"an {self}" if self is TargetKind.ARRAY else f"a {self}"


class Level(StrEnum):
    """What a limit that failed does to the run."""

    FAIL = "fail"
    WARN = "warn"


class Comparison(StrEnum):
    """How a value is held against its limit."""

    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="

    @classmethod
    def asking(cls, better: Better) -> Self:
        """The strict one that a metric keeps by being good."""
        return cls("<" if better is Better.LOW else ">")

    @property
    def better(self) -> Better:
        return Better.LOW if self in (Comparison.LESS, Comparison.LESS_EQUAL) else Better.HIGH

    def holds(self, value: float, limit: float) -> bool:
        if self is Comparison.LESS:
            return value < limit
        if self is Comparison.LESS_EQUAL:
            return value <= limit
        if self is Comparison.GREATER:
            return value > limit
        return value >= limit


@dataclass(frozen=True, slots=True)
class Limit:
    """``< 2ms``, ``vs baseline < +10%`` or ``vs case target=ext4 < +5%``.

    ``value`` is in the metric's base unit (ns, bytes/s, 1/s, percent, count), or for a
    relative limit the allowed change as a fraction: +10 % is 0.10, -3 % is -0.03. Without a
    ``case`` that is a change from the baseline; with one (``vs case target=ext4 > -5%``), from the
    case of the same run whose values are these, and else those of the case that is judged.
    """

    comparison: Comparison
    value: float
    relative: bool
    text: str
    case: Mapping[str, str] = field(default_factory=dict)

    @property
    def vs_baseline(self) -> bool:
        """Whether it limits a change from the baseline: in a comparison, from the base."""
        return self.relative and not self.case

    @property
    def worse(self) -> float:
        """The sign of what is worse: 1 where more is, -1 where less is."""
        return self.comparison.better.worse

    def holds(self, value: float) -> bool:
        return self.comparison.holds(value, self.value)


@dataclass(frozen=True, slots=True)
class Threshold:
    """A limit on one metric; ``when`` selects points of the matrix by their values."""

    metric: str
    limit: Limit
    level: Level = Level.FAIL
    confidence: float | None = None
    when: Mapping[str, str] = field(default_factory=dict)
    where: Location | None = None


@dataclass(frozen=True, slots=True)
class PoolRule:
    """A limit on what metrics of cases do together. ``metrics`` are pooled (none: those with a
    limit ``vs baseline``), in all cases, or in those that differ in the axes ``over`` alone. The
    limit says how much worse they may get, whichever way that is for each."""

    threshold: Threshold
    metrics: tuple[str, ...] = ()
    over: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DefinedMetric:
    """A metric of a spec's own: arithmetic over the table of metrics; or, where there is a
    ``pattern``, what its one group finds in the output of a command, times ``scale`` to be in
    ``unit``."""

    name: str
    expression: str
    unit: Unit
    better: Better
    description: str = ""
    where: Location | None = None
    pattern: str = ""
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class Command:
    """A program that is measured as a whole. ``{target}`` in an argument stands for a fresh folder
    in the target. Those under ``prepare`` run before it, unmeasured; ``metrics`` are in what it
    prints."""

    argv: tuple[str, ...]
    prepare: tuple[tuple[str, ...], ...] = ()
    metrics: tuple[DefinedMetric, ...] = ()


@dataclass(frozen=True, slots=True)
class Destroy:
    """Permission to overwrite a device, and the identity that it must have. ``by_id`` is a
    name in ``/dev/disk/by-id``, ``backing`` the image of a loop device. ``holds`` names the
    signatures that may be on it (``iogate.model.signatures``); none: nothing may."""

    serial: str | None = None
    wwn: str | None = None
    model: str | None = None
    size_bytes: int | None = None
    by_id: str | None = None
    backing: str | None = None
    holds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Beside:
    """A device of a filesystem or an array beside the first, and its role
    (``iogate.model.filesystem``, ``iogate.model.array``): the target ``on`` with its path and
    ``destroy``."""

    role: str
    on: str
    device: str = ""
    destroy: Destroy | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """What is measured. ``path`` is the directory, file or device; a filesystem names the
    device target it is made ``on``, and has that one's path as ``device`` and its ``destroy``;
    ``beside`` are its other devices. An ``array`` has the first of its devices there, too, and a
    filesystem that is made on one has the array's devices. ``overwrite`` allows to write a file
    that exists."""

    name: str
    kind: TargetKind
    path: str = ""
    destroy: Destroy | None = None
    overwrite: bool = False
    on: str | None = None
    fs_type: str | None = None
    mkfs: tuple[str, ...] = ()
    mount: tuple[str, ...] = ()
    recreate: str = "per-run"
    where: Location | None = None
    device: str = ""
    beside: tuple[Beside, ...] = ()
    array: Array | None = None
    # The environment variable that is not set, and whose default the path is: for messages alone.
    variable: str = field(default="", compare=False, metadata=UNWRITTEN)

    @property
    def is_block(self) -> bool:
        """Whether it is a block device that is measured, without a filesystem."""
        return self.kind in (TargetKind.DEVICE, TargetKind.ARRAY)

    @property
    def is_made(self) -> bool:
        """Whether the run makes it, on devices."""
        return self.kind in (TargetKind.FILESYSTEM, TargetKind.ARRAY)

    @property
    def roles(self) -> tuple[str, ...]:
        """What the devices of a filesystem beside the first are for: an array is one device."""
        return tuple(each.role for each in self.beside if each.role != PART)

    @property
    def made_on(self) -> tuple[Target, ...]:
        """The devices of what the run makes as targets, the first one first; none of another
        target."""
        if not self.is_made:
            return ()
        first = self.on or self.name, self.device, self.destroy, self.variable
        others = ((each.on, each.device, each.destroy, "") for each in self.beside)
        return tuple(
            Target(name, TargetKind.DEVICE, path, destroy, where=self.where, variable=variable)
            for name, path, destroy, variable in (first, *others)
        )


@dataclass(frozen=True, slots=True)
class JobSpec:
    """One job of a workload: fio keys and values, as text, in the order written; or a command,
    which has none and is the only job of its workload."""

    name: str
    options: Mapping[str, str]
    where: Location | None = None
    # Where the options stand that lines of the spec set, by key: for messages alone.
    places: Mapping[str, Location] = field(default_factory=dict, compare=False, metadata=UNWRITTEN)
    command: Command | None = None


@dataclass(frozen=True, slots=True)
class Precondition:
    """What brings a device into a known state: ``fill`` writes it, ``steady_state`` goes on
    until its rate no longer changes. So long, in seconds, does what it reached count for later
    runs."""

    fill: JobSpec | None = None
    steady_state: JobSpec | None = None
    keep_s: float = 12 * 3600.0


@dataclass(frozen=True, slots=True)
class Repetitions:
    """How often a case is measured."""

    min: int = 3
    max: int = 3


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a job may open a TCP connection to: an address, and a port; an empty ``host`` is
    this one, where it takes connections on that port."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host or "*"
        return f"tcp://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Workload:
    """A named I/O pattern. ``matrix`` maps a fio key to its values, or ``target`` to the names of
    some: then ``target`` may be empty. ``exclude`` and ``include`` hold partial points."""

    name: str
    target: str
    jobs: tuple[JobSpec, ...]
    description: str = ""
    matrix: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    exclude: tuple[Mapping[str, str], ...] = ()
    include: tuple[Mapping[str, str], ...] = ()
    repetitions: Repetitions = Repetitions()
    thresholds: tuple[Threshold, ...] = ()
    tags: tuple[str, ...] = ()
    aka: tuple[str, ...] = ()
    chart: Mapping[str, str] = field(default_factory=dict)
    network: tuple[Endpoint, ...] = ()
    where: Location | None = None
    pooled: tuple[PoolRule, ...] = ()

    @property
    def targets(self) -> tuple[str, ...]:
        """The names of all targets that its cases may be on."""
        added = (point[TARGET] for point in self.include if TARGET in point)
        names = dict.fromkeys((self.target, *self.matrix.get(TARGET, ()), *added))
        return tuple(name for name in names if name)


class OnMissingBaseline(StrEnum):
    """What a limit that cannot be judged does to the run."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class BaselineRule:
    """Which runs a run is compared with: the last ``window`` accepted ones of the same
    environment. ``also`` are patterns of facts that have to be the same beside the usual ones,
    ``across`` those that may differ (see ``iogate.environments``)."""

    ref: str | None = None
    fallback: str | None = None
    window: int = 20
    min_samples: int = 5
    also: tuple[str, ...] = ()
    across: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spec:
    """One YAML document. ``runner`` is kept as plain values: a CI system or a queue reads its
    labels. Runs of one that is not ``exclusive`` share the host with others."""

    name: str
    source: str
    text: str
    targets: Mapping[str, Target]
    workloads: tuple[Workload, ...]
    description: str = ""
    baseline: BaselineRule = BaselineRule()
    on_missing_baseline: OnMissingBaseline = OnMissingBaseline.WARN
    on_inconclusive: OnMissingBaseline = OnMissingBaseline.WARN
    runner: Mapping[str, object] = field(default_factory=dict)
    environment: Environment | None = None
    precondition: Precondition | None = None
    metrics: tuple[DefinedMetric, ...] = ()
    compare: CompareRule = field(default_factory=CompareRule)
    validity: Validity = field(default_factory=Validity)

    @property
    def exclusive(self) -> bool:
        """Whether nothing else may measure on the host at the same time."""
        return self.runner.get("exclusive") is not False
