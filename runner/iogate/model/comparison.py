"""Two arms and how they are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from iogate.model.environment import Environment

MOST_BLOCKS = 28
SEES = 3.0
"""Times its limit: the regression that a pass has to be able to see."""
ARMS = 2
CANDIDATE = "candidate."
"""Stands before the facts of the candidate, where the arms of a comparison are two kernels: the
others are the base's."""
LEAST_BLOCKS = 4
"""Of a canary: fewer show hardly any noise."""
_Value = TypeVar("_Value")


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
    ends after ``blocks`` blocks or ``budget_s`` seconds (None: however long they take). In each
    boot every case is measured ``per_boot`` times."""

    arms: tuple[Arm, ...] = ()
    base: str = ""
    candidate: str = ""
    blocks: int = MOST_BLOCKS
    sees: float = SEES
    budget_s: float | None = None
    per_boot: int = 1

    @property
    def boots(self) -> bool:
        """Whether the arms that it names are kernels or modules. Where it says how often a boot
        measures, they are, even if it names none."""
        named = (arm for arm in self.arms if arm.name in (self.base, self.candidate))
        return self.per_boot > 1 or any(arm.boots for arm in named)


@dataclass(frozen=True, slots=True)
class Place:
    """What a repetition of a comparison is: its block (from 1), its arm, which is the base's
    where ``index`` is 0, and which (``turn``, from 1) of the ``turns`` of that arm in the block."""

    block: int
    arm: Arm
    index: int
    turn: int = 1
    turns: int = 1

    def __str__(self) -> str:
        """``block 3, deep``, and in a boot of several ``, repetition 2 of 3``."""
        turn = f", repetition {self.turn} of {self.turns}" if self.turns > 1 else ""
        return f"block {self.block}, {self.arm.name}{turn}"

    @property
    def in_block(self) -> str:
        """The same without the arm: ``block 3``, ``repetition 2 of 3 in block 3``."""
        turn = f"repetition {self.turn} of {self.turns} in " if self.turns > 1 else ""
        return f"{turn}block {self.block}"

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
    """Two arms, measured in blocks of one run each, or of one boot each, in which a case is
    measured ``per_boot`` times: to the verdict they are one. ``seed`` decides the order in each
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
    per_boot: int = 1

    @property
    def arms(self) -> tuple[Arm, Arm]:
        return self.base, self.candidate

    @property
    def boots(self) -> bool:
        """Whether its arms are kernels or modules: each run of an arm has a boot of its own."""
        return any(arm.boots for arm in self.arms)

    def place_of(self, repetition: int) -> Place:
        """Where a repetition stands, whichever arm of its block ran first."""
        before, turn = divmod(repetition - 1, self.per_boot)
        index = before % ARMS
        block = block_of(repetition, per_boot=self.per_boot)
        return Place(block, self.arms[index], index, turn + 1, self.per_boot)

    @property
    def each_block(self) -> int:
        """How many repetitions of a case a block is made of."""
        return ARMS * self.per_boot


def block_of(repetition: int, *, per_boot: int = 1) -> int:
    """The block that a repetition of a comparison is measured in."""
    return (repetition - 1) // (ARMS * per_boot) + 1


def repetition_of(block: int, index: int, turn: int = 1, *, per_boot: int = 1) -> int:
    """The number of the repetition in which an arm (0: the base) is measured in a block, for the
    ``turn``-th time: the inverse of ``Comparison.place_of``."""
    return per_boot * (ARMS * (block - 1) + index) + turn


def of_candidate(environment: Mapping[str, _Value]) -> dict[str, _Value]:
    """The facts that were recorded of the candidate alone, where the arms are two kernels, by the
    names that the base's have."""
    own = (name for name in environment if name.startswith(CANDIDATE))
    return {name.removeprefix(CANDIDATE): environment[name] for name in own}
