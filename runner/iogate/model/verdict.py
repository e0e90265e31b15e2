"""What a run means."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from iogate.model.reason import Reason
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
    ``reason`` is a full sentence for people, and ``reason_parts`` the same in parts (None in
    documents of earlier versions). ``samples`` and ``baseline_samples`` are the
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
    reason_parts: Reason | None = None

    @property
    def excess(self) -> float:
        """How far past its limit, as a fraction of it, or of a relative one as a change; minus
        infinity where it cannot be said."""
        limit, past = self.threshold.limit, None
        if limit.relative and self.change is not None:
            past = self.change - limit.value
        elif not limit.relative and self.value is not None and limit.value:
            past = self.value / limit.value - 1
        return -math.inf if past is None or not math.isfinite(past) else past * limit.worse

    def because(self, reason: Reason, **changes: Any) -> ThresholdVerdict:
        """The verdict with this reason, and other fields changed."""
        return replace(self, reason=reason.sentence, reason_parts=reason, **changes)


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
class RunReason:
    """Why a run ended as it did. ``broken`` is what kept it from its end, or a case from being
    measured, the worst first. ``limits`` says what became of the limits (``2 of 9 thresholds``),
    which came to ``outcome``; it is empty where that is not worth telling. ``decided_by`` is the
    place, among the run's thresholds, of the one whose reason is told with it, and ``more`` how
    many others ended like that. ``remarks`` are what else there is to tell."""

    outcome: Outcome
    limits: str = ""
    decided_by: int | None = None
    more: int = 0
    broken: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def and_remark(self, *remarks: str) -> RunReason:
        """The same, and something more to tell; empty texts are left out."""
        return replace(self, remarks=(*self.remarks, *filter(None, remarks)))

    def after(self, fault: str) -> RunReason:
        """The same of a run that a fault kept from its end. A repetition that failed of the same
        fault does not say it again."""
        return replace(self, broken=(fault, *(each for each in self.broken if fault not in each)))

    def sentence(self, cause: str) -> str:
        """All of it; ``cause`` is the sentence of the threshold that decided."""
        return self._joined(f"{self.outcome.value}: {self._limits(cause)}")

    def without_outcome(self, cause: str) -> str:
        """For those who show the run's outcome beside it."""
        return self.sentence(cause) if self.broken else self._joined(self._limits(cause))

    def without_cause(self) -> str:
        """For those who have told the reasons of all thresholds: they are counted here."""
        did = "failed" if self.outcome is Outcome.FAIL else "did not pass"
        return self._joined(f"{self.outcome.value}: {self.limits} {did}")

    def _limits(self, cause: str) -> str:
        if not cause:
            return self.limits
        return f"{self.limits}: {cause}" + (f" (and {self.more} more)" if self.more else "")

    def _joined(self, limits: str) -> str:
        broken = f"run failed: {'; '.join(self.broken)}" if self.broken else ""
        return "; ".join(filter(None, (broken, limits if self.limits else "", *self.remarks)))


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """The whole run: the worst that its thresholds and policies allow. ``noise`` is what the
    history knows of this host, for each case and metric with a limit ``vs baseline``. ``fault``
    is what ended the run before its time, or could not be done at its end; usually empty.
    ``cautions`` are sentences on what passes beside a limit without being judged by it.
    ``sentence_parts`` is the sentence in parts (None in documents of earlier versions)."""

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
    sentence_parts: RunReason | None = None

    @property
    def decisive(self) -> ThresholdVerdict | None:
        """The threshold that decided, whose reason is told with the run's; None where none did."""
        place = self.sentence_parts.decided_by if self.sentence_parts else None
        if place is None or not 0 <= place < len(self.thresholds):
            return None
        return self.thresholds[place]

    @property
    def cause(self) -> str:
        """The sentence of that threshold, or nothing."""
        found = self.decisive
        return found.reason if found else ""

    def because(self, reason: RunReason, **changes: Any) -> RunVerdict:
        """The verdict with this reason, and other fields changed."""
        found = replace(self, sentence_parts=reason, **changes)
        return replace(found, sentence=reason.sentence(found.cause))
