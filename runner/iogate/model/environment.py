"""What a spec sets on the host around its measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from iogate.errors import Location


class DropCaches(StrEnum):
    """When the page cache is dropped."""

    NEVER = "never"
    BEFORE_RUN = "before-run"
    BEFORE_CASE = "before-case"
    BEFORE_REPETITION = "before-repetition"


@dataclass(frozen=True, slots=True)
class Require:
    """What must hold, or nothing is measured. ``max_temperature_c`` in degrees Celsius.
    ``quiet``: nothing else may use the engine's CPUs or the target's disk."""

    max_loadavg: float | None = None
    max_temperature_c: int | None = None
    no_throttle: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Environment:
    """Settings of the host, applied before measuring and put back after it. ``block`` are
    attributes of the request queue of each target's disk, ``sysctl`` kernel parameters by
    dotted name; ``cpus_allowed`` are the CPUs of the engine, as taskset lists them."""

    governor: str = ""
    turbo: bool | None = None
    smt: bool | None = None
    cpus_allowed: str = ""
    block: Mapping[str, str] = field(default_factory=dict)
    sysctl: Mapping[str, str] = field(default_factory=dict)
    drop_caches: DropCaches | None = None
    require: Require = Require()
    where: Location | None = None

    @property
    def drops_caches(self) -> bool:
        """Whether it drops the page cache at all."""
        return self.drop_caches not in (None, DropCaches.NEVER)

    @property
    def changes(self) -> tuple[str, ...]:
        """Names of what it changes on the host, for people; empty when it only asks."""
        return (
            *(["cpu.governor"] if self.governor else []),
            *(["cpu.turbo"] if self.turbo is not None else []),
            *(["cpu.smt"] if self.smt is not None else []),
            *(f"block.{name}" for name in self.block),
            *(f"sysctl.{name}" for name in self.sysctl),
            *(["drop_caches"] if self.drops_caches else []),
        )

    @property
    def measured_under(self) -> dict[str, object]:
        """What of it may move numbers, JSON-ready: a part of a case's identity. What is
        required is not, as it changes nothing."""
        values: dict[str, object] = {
            "governor": self.governor,
            "turbo": self.turbo,
            "smt": self.smt,
            "cpus_allowed": self.cpus_allowed,
            "block": dict(self.block),
            "sysctl": dict(self.sysctl),
            "drop_caches": self.drop_caches if self.drops_caches else None,
        }
        return {key: value for key, value in values.items() if value not in ("", None, {})}


def laid_over(below: Environment | None, top: Environment | None) -> Environment | None:
    """``below`` with what ``top`` says instead; maps are joined key by key."""
    if below is None or top is None:
        return top or below
    usual = Require()
    require = top.require if top.require != usual else below.require
    return replace(
        below,
        governor=top.governor or below.governor,
        turbo=below.turbo if top.turbo is None else top.turbo,
        smt=below.smt if top.smt is None else top.smt,
        cpus_allowed=top.cpus_allowed or below.cpus_allowed,
        block={**below.block, **top.block},
        sysctl={**below.sysctl, **top.sysctl},
        drop_caches=top.drop_caches or below.drop_caches,
        require=require,
        where=top.where or below.where,
    )
