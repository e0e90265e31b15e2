"""What makes a host, its device and its engine the same as before. Pure.

An environment is a map of dotted facts. *Compare-keys* are patterns of facts that move numbers
without any change of what is under test: a run is compared with runs that agree in them, and
a night that differs in one is a marker in the trend and begins a new series there. A spec adds
to them (``baseline.compare.also``) and takes away (``baseline.compare.across``).

A fact that one side does not know is no difference: an earlier version may not have looked,
an imported result cannot say.

Of iogate's own engine it is not the version that is compared, but ``engine.semantics``: a number
that the engine raises when its numbers change their meaning. An environment that was recorded
before there was one is of the first.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache

from iogate.model.night import RunFacts
from iogate.model.trend import FactChange
from iogate.model.verdict import BaselineUse

Facts = Mapping[str, str | int | float | bool]

# Not here: what varies from night to night (load), and what the target's case id holds anyway.
COMPARE_KEYS = (
    "engine.name",
    "engine.version",
    "engine.clock",
    "origin.clients",
    "kernel.release",
    "kernel.version",
    "kernel.build_id",
    "kernel.cmdline",
    "kernel.config*",
    "kernel.clocksource",
    "kernel.module.*",
    "library.sha256",
    "cpu.model",
    "cpu.microcode",
    "cpu.count",
    "cpu.online",
    "cpu.smt",
    "cpu.governor",
    "cpu.driver",
    "cpu.no_turbo",
    "cpu.boost",
    "cpu.mitigations",
    "host.bios",
    "host.product",
    "host.virtualization",
    "target.*.model",
    "target.*.serial_digest",
    "target.*.firmware",
    "target.*.size_bytes",
    "target.*.rotational",
    "target.*.filesystem",
    "target.*.mount_options",
    "target.*.mkfs*",
    "target.*.scheduler",
    "target.*.nr_requests",
    "target.*.read_ahead_kb",
    "target.*.max_sectors_kb",
    "target.*.logical_block_size",
    "target.*.physical_block_size",
    "target.*.wbt_lat_usec",
    "target.*.write_cache",
)
_MOST_NAMED = 3

_OWN_ENGINE = ("native", "iogate-engine")  # as a run names it, and as a result does
_NAME, _VERSION, _SEMANTICS = "engine.name", "engine.version", "engine.semantics"
# What is compared stands under engine.version, and the first semantics as the version that had
# them first: digests of environments that were recorded before are in alerts and decisions.
_FIRST, _FIRST_AS_VERSION, _MARK = "1", "0.1.0", "semantics "
_MEANINGS = {_SEMANTICS: "what the engine's numbers mean"}


def compared(facts: Facts, across: Sequence[str] = (), also: Sequence[str] = ()) -> dict[str, str]:
    """The facts that tell environments apart, as text: those that a compare-key or ``also``
    names, and ``across`` does not. The version of iogate's own engine stands for its semantics."""
    left_out = tuple(across)
    if _named(_SEMANTICS, left_out):
        left_out = (*left_out, _VERSION)
    return {
        name: str(value)
        for name, value in sorted(_by_semantics(facts, tuple(also)).items())
        if _named(name, (*COMPARE_KEYS, *also)) and not _named(name, left_out)
    }


def digest(facts: Mapping[str, str]) -> str:
    """A short name of an environment."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:8]


def differences(
    before: Facts, after: Facts, across: Sequence[str] = (), also: Sequence[str] = ()
) -> tuple[FactChange, ...]:
    """The compared facts that both know, and that are not the same, by name."""
    return changed(compared(before, across, also), compared(after, across, also))


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[FactChange, ...]:
    """What differs between two environments as ``compared`` gives them, by name."""
    return tuple(
        _change(name, before[name], after[name])
        for name in sorted(after)
        if name in before and before[name] != after[name]
    )


@dataclass(frozen=True, slots=True)
class SetAside:
    """An accepted run that is no baseline, as its environment was another one."""

    run_id: str
    changes: tuple[FactChange, ...]


@dataclass(slots=True)
class Comparable:
    """Asks of each run of a history whether it may be compared with one that was measured in
    the environment ``facts``; those that may not are noted in ``set_aside``."""

    facts: Facts
    across: Sequence[str] = ()
    also: Sequence[str] = ()
    set_aside: list[SetAside] = field(default_factory=list)

    def __call__(self, run: RunFacts) -> bool:
        changes = differences(run.environment, self.facts, self.across, self.also)
        if changes:
            self.set_aside.append(SetAside(run.run_id, changes))
        return not changes


def why_fewer(set_aside: Sequence[SetAside], use: BaselineUse) -> tuple[str, ...]:
    """Why there may be fewer runs to compare with than a history holds: the revisions that were
    looked for, and the facts that kept runs from being a baseline."""
    looked = (use_reason(use),) if use.ref or use.branch else ()
    return (*looked, set_aside_reason(set_aside)) if set_aside else looked


def set_aside_reason(set_aside: Sequence[SetAside]) -> str:
    """``7 earlier runs are of another environment: kernel.release was 6.1 and is 6.6``. What
    is named is what set the newest of them apart."""
    n, newest = len(set_aside), set_aside[0].changes
    named = ", ".join(describe(change) for change in newest[:_MOST_NAMED])
    more = f" and {len(newest) - _MOST_NAMED} more" if len(newest) > _MOST_NAMED else ""
    runs = "1 earlier run is" if n == 1 else f"{n} earlier runs are"
    return (
        f"{runs} of another environment: {named}{more} (baseline.compare.across in the spec"
        " would compare across it)"
    )


def use_reason(use: BaselineUse) -> str:
    """``looked for runs of merge-base 1a2b3c4d5e6f, then of main (baseline.ref, fallback)``."""
    if not use.ref:
        return f"looked for runs of {use.branch}, as the CI system names the base branch"
    known = f" {use.commit[:12]}" if use.commit else ", which git does not know here"
    then = f", then of {use.fallback}" if use.fallback else ""
    keys = "baseline.ref, fallback" if use.fallback else "baseline.ref"
    return f"looked for runs of {use.ref}{known}{then} ({keys})"


def describe(change: FactChange) -> str:
    """``kernel.release was 6.1 and is 6.6``."""
    meaning = f" ({_MEANINGS[change.fact]})" if change.fact in _MEANINGS else ""
    return f"{change.fact}{meaning} was {change.before or 'empty'} and is {change.after or 'empty'}"


def left_reason(left: Sequence[FactChange]) -> str:
    """``in an environment that is not measured any more: kernel.release was 6.1 and is 6.6``, of
    what a host has left; empty where it has not."""
    if not left:
        return ""
    named = ", ".join(describe(change) for change in left[:_MOST_NAMED])
    more = f" and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
    return f"in an environment that is not measured any more: {named}{more}"


def _by_semantics(facts: Facts, also: tuple[str, ...]) -> Facts:
    """Environments of iogate's own engine are the same whatever its version, unless ``also`` asks
    for it, as long as its semantics are."""
    if facts.get(_NAME) not in _OWN_ENGINE or _VERSION not in facts:
        return facts
    number = str(facts.get(_SEMANTICS, _FIRST))
    said = [str(facts[_VERSION])] if _named(_VERSION, also) else []
    if number != _FIRST:
        said.append(f"{_MARK}{number}")
    rest = {name: value for name, value in facts.items() if name != _SEMANTICS}
    return {**rest, _VERSION: ", ".join(said) or _FIRST_AS_VERSION}


def _change(name: str, before: str, after: str) -> FactChange:
    if name == _VERSION and (old := _number(before)) and (new := _number(after)):
        return FactChange(_SEMANTICS, old, new)
    return FactChange(name, before, after)


def _number(version: str) -> str:
    """The semantics that stand for a version; empty where it is one."""
    if version == _FIRST_AS_VERSION:
        return _FIRST
    return version.removeprefix(_MARK) if version.startswith(_MARK) else ""


@lru_cache(maxsize=4096)  # a trend asks the same of hundreds of nights
def _named(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
