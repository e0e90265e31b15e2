"""Two arms and how they are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from iogate.model.environment import Environment

MOST_BLOCKS = 28
SEES = 3.0
"""Times its limit: the regression that a pass has to be able to see."""
ARMS = 2
LEAST_BLOCKS = 4
"""Of a canary: fewer show hardly any noise."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One side of a comparison: what differs from the spec. ``overrides`` are as after
    ``--set``, ``targets`` maps a target's name to the one used in its place, ``engine`` is
    the path of an engine's binary, ``prepare`` a shell command before each of its runs.
    ``mkfs`` and ``mount`` replace those of every filesystem target, and may be empty;
    ``environment`` lies over the spec's. ``kernel`` names what is booted for it, and ``module`` the
    file of a module that is loaded there with ``parameters`` (``NAME=VALUE``). ``library`` is the
    path of a library that the engine loads before its own."""

    name: str
    overrides: tuple[str, ...] = ()
    targets: Mapping[str, str] = field(default_factory=dict)
    engine: str = ""
    prepare: str = ""
    environment: Environment | None = None
    mkfs: tuple[str, ...] | None = None
    mount: tuple[str, ...] | None = None
    kernel: str = ""
    module: str = ""
    parameters: tuple[str, ...] = ()
    library: str = ""

    @property
    def boots(self) -> bool:
        """Whether each of its runs has a boot of its own."""
        return bool(self.kernel or self.module)


@dataclass(frozen=True, slots=True)
class CompareRule:
    """The section ``compare`` of a spec: its arms, and which are compared unless told. Measuring
    ends after ``blocks`` blocks or ``budget_s`` seconds (None: however long they take)."""

    arms: tuple[Arm, ...] = ()
    base: str = ""
    candidate: str = ""
    blocks: int = MOST_BLOCKS
    sees: float = SEES
    budget_s: float | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """What a repetition of a comparison is: its block (from 1) and its arm, which is the base's
    where ``index`` is 0."""

    block: int
    arm: Arm
    index: int

    def __str__(self) -> str:
        """``block 3, deep``."""
        return f"block {self.block}, {self.arm.name}"

    @property
    def is_base(self) -> bool:
        return self.index == 0


@dataclass(frozen=True, slots=True)
class Part:
    """Blocks of a comparison that were measured in one go, the last of them in block
    ``last_block``: by the run ``run``, which started at ``started_ns`` (Unix time)."""

    run: str
    started_ns: int
    last_block: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two arms, measured in blocks of one run each. ``seed`` decides the order in each
    pair of blocks. Unless ``sequential``, all blocks are measured. A ``canary`` compares the spec
    with itself: the difference is noise. A pass has to see a regression of ``sees`` times its
    limit, and no block begins later than ``budget_s`` seconds after the first. The most blocks are
    planned in equal ``stages``: the first, and those that were added because somebody asked again.
    ``parts`` are what earlier runs measured of it, oldest first."""

    base: Arm
    candidate: Arm
    seed: int
    most_blocks: int = MOST_BLOCKS
    sequential: bool = True
    canary: bool = False
    sees: float = SEES
    budget_s: float | None = None
    stages: int = 1
    parts: tuple[Part, ...] = ()

    @property
    def arms(self) -> tuple[Arm, Arm]:
        return self.base, self.candidate

    @property
    def boots(self) -> bool:
        """Whether its arms are kernels or modules: each run of an arm has a boot of its own."""
        return any(arm.boots for arm in self.arms)

    def place_of(self, repetition: int) -> Place:
        """Where a repetition stands, whichever arm of its block ran first."""
        index = (repetition - 1) % ARMS
        return Place(block_of(repetition), self.arms[index], index)


def block_of(repetition: int) -> int:
    """The block that a repetition of a comparison is measured in."""
    return (repetition - 1) // ARMS + 1


def repetition_of(block: int, index: int) -> int:
    """The number of the repetition that an arm (0: the base) is measured in in a block: the
    inverse of ``Comparison.place_of``."""
    return ARMS * (block - 1) + index + 1
