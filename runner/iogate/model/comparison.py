"""Two arms and how they are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from iogate.model.environment import Environment

MOST_BLOCKS = 28
LEAST_BLOCKS = 4
"""Of a canary: fewer show hardly any noise."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One side of a comparison: what differs from the spec. ``overrides`` are as after
    ``--set``, ``targets`` maps a target's name to the one used in its place, ``engine`` is
    the path of an engine's binary, ``prepare`` a shell command before each of its runs.
    ``mkfs`` and ``mount`` replace those of every filesystem target, and may be empty;
    ``environment`` lies over the spec's."""

    name: str
    overrides: tuple[str, ...] = ()
    targets: Mapping[str, str] = field(default_factory=dict)
    engine: str = ""
    prepare: str = ""
    environment: Environment | None = None
    mkfs: tuple[str, ...] | None = None
    mount: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class CompareRule:
    """The section ``compare`` of a spec: its arms, and which are compared unless told."""

    arms: tuple[Arm, ...] = ()
    base: str = ""
    candidate: str = ""
    blocks: int = MOST_BLOCKS


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two arms, measured in blocks of one run each. ``seed`` decides the order in each
    block. Unless ``sequential``, all blocks are measured. A ``canary`` compares the spec with
    itself: the difference is noise."""

    base: Arm
    candidate: Arm
    seed: int
    most_blocks: int = MOST_BLOCKS
    sequential: bool = True
    canary: bool = False
