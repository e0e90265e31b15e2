"""What a spec says of repetitions that something else took part in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

AGAIN = 3


@dataclass(frozen=True, slots=True)
class Validity:
    """``again`` is how many disturbed repetitions (in a comparison blocks) of a case are
    measured again at most. ``limits`` are those of checks by name, in the check's unit, in
    place of the host's; the checks in ``off`` do not look."""

    again: int = AGAIN
    limits: Mapping[str, float] = field(default_factory=dict)
    off: tuple[str, ...] = ()
