"""What a run means."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from iogate.model.spec import Threshold
from iogate.model.units import Better, Unit


class Outcome(StrEnum):
    """What came out, of a limit or of a run."""

    PASS = "pass"
    FAIL = "fail"
    WARN = "warn"
    INCONCLUSIVE = "inconclusive"
    MISSING_BASELINE = "missing-baseline"


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval; ``confidence`` is 0..1."""

    low: float
    high: float
    confidence: float


@dataclass(frozen=True, slots=True)
class ThresholdVerdict:
    """One threshold against one case's samples.

    ``value`` is the candidate's median in the metric's base unit, ``baseline`` the
    baseline's; ``change`` is their relative difference (0.1 = +10 %) with its interval.
    ``reason`` is a full sentence for people. ``samples`` and ``baseline_samples`` are the
    per-repetition values that were judged.

    ``headroom`` is how far an absolute limit is from the median, in standard deviations of a
    repetition, negative past it. A ``point`` verdict rests on too few repetitions to claim a
    confidence. In a comparison ``blocks`` were judged, which can see a change of
    ``visible_change`` (a fraction) in four of five runs; ``blocks_needed`` would settle it.
    """

    case_id: str
    threshold: Threshold
    outcome: Outcome
    reason: str
    unit: Unit
    better: Better
    value: float | None = None
    value_interval: Interval | None = None
    baseline: float | None = None
    change: float | None = None
    change_interval: Interval | None = None
    samples: tuple[float, ...] = ()
    baseline_samples: tuple[float, ...] = ()
    headroom: float | None = None
    point: bool = False
    blocks: int = 0
    visible_change: float | None = None
    blocks_needed: int | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """A metric of a case as it was measured, whether or not a threshold judges it: one
    value a repetition, in the metric's base unit, and the baseline's values beside them."""

    case_id: str
    metric: str
    unit: Unit
    better: Better
    samples: tuple[float, ...]
    baseline_samples: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """The whole run: the worst that its thresholds and policies allow."""

    outcome: Outcome
    exit_code: int
    sentence: str
    thresholds: tuple[ThresholdVerdict, ...] = ()
    observations: tuple[Observation, ...] = ()
    failed_cases: tuple[str, ...] = ()
