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


WORST_FIRST = (
    Outcome.FAIL,
    Outcome.INCONCLUSIVE,
    Outcome.MISSING_BASELINE,
    Outcome.WARN,
    Outcome.PASS,
)


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval; ``confidence`` is 0..1."""

    low: float
    high: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Look:
    """Where a threshold of a comparison stood after ``blocks`` of its blocks. All others are
    changes of the metric from the base (0.1 = +10 %), and which sign is worse is the limit's
    to say: ``change`` is the mean so far, ``bound`` how bad it may be (one-sided 95 %). The
    threshold fails with a mean beyond ``fails_at`` (None: not yet possible), and is settled
    with a bound short of ``settles_at``."""

    blocks: int
    change: float
    bound: float
    fails_at: float | None
    settles_at: float


class NoiseSource(StrEnum):
    """What the noise of a host was measured by: a canary, or repetitions of a run."""

    CANARY = "canary"
    HISTORY = "history"


@dataclass(frozen=True, slots=True)
class Visible:
    """The smallest change (a fraction, signed as it gets worse) that so many blocks of a
    comparison see in four of five; None where so few cannot decide."""

    blocks: int
    change: float | None


@dataclass(frozen=True, slots=True)
class HostNoise:
    """How much runs of a case differ on this host when nothing changes, and what a comparison
    sees there. ``sd`` is the standard deviation of the log of a run's value (0.03 = 3 %) over
    ``runs`` of the run ``run``, which started at ``started_ns`` (Unix time), and of those before
    it where none has enough.
    ``blocks_for_limit`` blocks would see a change as large as the threshold's limit (None: more
    than 999)."""

    case_id: str
    metric: str
    sd: float
    runs: int
    source: NoiseSource
    run: str
    started_ns: int
    visible: tuple[Visible, ...] = ()
    blocks_for_limit: int | None = None


@dataclass(frozen=True, slots=True)
class BaselineUse:
    """Which runs of the history were compared with, newest first. ``ref`` is what the spec
    asked for (empty: every accepted run) and ``commit`` what git took it for; ``fallback`` is
    the branch whose runs were taken instead, empty when there was no need to."""

    runs: tuple[str, ...] = ()
    ref: str = ""
    commit: str = ""
    fallback: str = ""


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
    ``looks`` are how it stood after each block, and ``decided_at`` the block that decided it
    (0: none). Against a history ``baseline_runs`` gave the baseline's samples, all of them
    since ``baseline_since_ns`` (Unix time), where an earlier level was left behind then.
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
    looks: tuple[Look, ...] = ()
    decided_at: int = 0
    baseline_runs: int = 0
    baseline_since_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """A metric of a case as it was measured, whether or not a threshold judges it: one
    value a repetition, in the metric's base unit, and the baseline's values beside them.
    ``disturbed`` are the values of repetitions that do not count, for those who wonder."""

    case_id: str
    metric: str
    unit: Unit
    better: Better
    samples: tuple[float, ...]
    baseline_samples: tuple[float, ...] = ()
    disturbed: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """The whole run: the worst that its thresholds and policies allow. ``noise`` is what the
    history knows of this host, for each case and metric with a limit ``vs baseline``. ``fault``
    is what ended the run before its time, or could not be done at its end; usually empty.
    ``cautions`` are sentences on what passes beside a limit without being judged by it."""

    outcome: Outcome
    exit_code: int
    sentence: str
    thresholds: tuple[ThresholdVerdict, ...] = ()
    observations: tuple[Observation, ...] = ()
    failed_cases: tuple[str, ...] = ()
    baseline: BaselineUse | None = None
    noise: tuple[HostNoise, ...] = ()
    fault: str = ""
    cautions: tuple[str, ...] = ()
