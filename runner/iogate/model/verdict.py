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


NOT_JUDGED, PARTLY_JUDGED = "not judged", "partly judged"
"""What a run is called that passes, and of whose limits none, or not every one, holds."""
FAILED_RUN = "run failed: "
"""What the sentence of a verdict begins with where the run did not get to its end."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval; ``confidence`` is 0..1."""

    low: float
    high: float
    confidence: float


class Ground(StrEnum):
    """What decided a limit of a comparison: its interval lies past the limit (a fail), or within it
    (a pass), or the blocks would have seen a regression of several times the limit (a pass)."""

    PAST = "past"
    WITHIN = "within"
    SEES = "sees"


@dataclass(frozen=True, slots=True)
class Decision:
    """What decided a limit of a comparison, after ``blocks`` blocks, the last of which was the
    ``block``-th: the ``change`` that they measured and the ``interval`` that decided, which holds
    at all looks together. ``level`` is how often a fail errs where nothing changed, and
    ``sees`` the change (a fraction) that these blocks find in four of five comparisons."""

    ground: Ground
    block: int
    blocks: int
    change: float
    interval: Interval
    level: float | None = None
    sees: float | None = None


class Hold(StrEnum):
    """What kept a limit of a comparison from failing with a mean that was far enough: its arms vary
    so differently that it asks for more; its ranks do not exclude chance; its estimate is within
    the limit; which of two states each run was in may be chance; its blocks had too few I/Os; as a
    finding it is one of so many that chance may make."""

    SPREAD = "spread"
    RANKS = "ranks"
    ESTIMATE = "estimate"
    STATES = "states"
    THIN = "thin"
    FINDINGS = "findings"


@dataclass(frozen=True, slots=True)
class Look:
    """Where a limit of a comparison stood after ``blocks`` of its blocks. All others are
    changes of the metric from the base (0.1 = +10 %), and which sign is worse is the limit's
    to say: ``change`` is the mean so far, ``bound`` how bad it may be (the end of the interval that
    decides). The limit fails with a mean beyond ``fails_at`` (None: not yet possible) unless it is
    ``held_by`` something else, and passes with a bound short of ``settles_at``."""

    blocks: int
    change: float
    bound: float
    fails_at: float | None
    settles_at: float
    held_by: tuple[Hold, ...] = ()


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
    ``blocks_for_limit`` blocks would vouch for the limit: they see as many times of it as a pass
    has to (None: more than 999)."""

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
    the branch whose runs were taken instead, empty when there was no need to. ``branch`` is the
    one that the CI system named, where the spec asked for nothing."""

    runs: tuple[str, ...] = ()
    ref: str = ""
    commit: str = ""
    fallback: str = ""
    branch: str = ""


@dataclass(frozen=True, slots=True)
class MemberChange:
    """A metric of a case in a pool: how it changed (0.1 = +10 %), and what that counts as in the
    pool, where positive is worse. ``left_out`` says why it does not count; empty where it does."""

    case_id: str
    metric: str
    change: float | None = None
    worse: float | None = None
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class ThresholdVerdict:
    """One limit against one case's samples.

    ``value`` is the candidate's median in the metric's base unit, ``baseline`` the
    baseline's; ``change`` is their relative difference (0.1 = +10 %) with its interval.
    ``reason`` is a full sentence for people, and ``reason_parts`` the same in parts (None in
    documents of earlier versions). ``samples`` and ``baseline_samples`` are the
    per-repetition values that were judged. Where boots have several repetitions a sample is the
    mean of a boot, and ``repetitions`` and ``baseline_repetitions`` are what it is made of;
    ``boot_sd`` and ``repetition_sd`` (of logs) are by how much boots differ, and the repetitions
    of one; None where that is not known.

    ``headroom`` is how far an absolute limit is from the median, in standard deviations of a
    repetition, negative past it. A ``point`` verdict rests on too few repetitions to claim a
    confidence. In a comparison ``blocks`` were measured, ``looks`` are how it stood after each of
    them, and ``decision`` is what decided it, at block ``decided_at`` (None, 0: nothing yet; older
    documents have no decision). ``change``, its interval and the values are those of the decision,
    or of all blocks; ``visible_change`` (a fraction) is what these blocks find in four of five
    comparisons, and ``blocks_needed`` would decide it; ``evidence`` (to one) is what they say
    against no change for the worse at any look, and decides nothing. Against a history
    ``baseline_runs`` gave the baseline's samples, all of them since ``baseline_since_ns`` (Unix
    time), where an earlier level was left behind then. A limit ``vs case`` is held ``against`` the
    case of the run with this id: its values are the baseline's.

    Of a pool, ``case_id`` is the pool's and ``members`` are what it is made of; its ``value`` is
    how many times as bad they are as the baseline's, which is 1.
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
    decision: Decision | None = None
    members: tuple[MemberChange, ...] = ()
    evidence: float | None = None
    against: str = ""
    repetitions: tuple[tuple[float, ...], ...] = ()
    baseline_repetitions: tuple[tuple[float, ...], ...] = ()
    boot_sd: float | None = None
    repetition_sd: float | None = None

    @property
    def judged_blocks(self) -> int:
        """How many blocks the change, its interval and the values are of."""
        return self.decision.blocks if self.decision else self.blocks

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
    """A metric of a case as it was measured, whether or not a limit judges it: one
    value a repetition, in the metric's base unit, and the baseline's values beside them; where
    boots have several repetitions one a boot, their mean.
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
    measured, the worst first. ``limits`` says what became of the limits (``2 of 9 limits``),
    which came to ``outcome``; it is empty where that is not worth telling. ``decided_by`` is the
    place, among the run's limits, of the one whose reason is told with it, and ``more`` how
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

    def sentence(self, cause: str, word: str = "") -> str:
        """All of it; ``cause`` is the sentence of the limit that decided, ``word`` what stands
        first where that is not the outcome."""
        return self._joined(f"{word or self.outcome.value}: {self._limits(cause)}")

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
        broken = f"{FAILED_RUN}{'; '.join(self.broken)}" if self.broken else ""
        return "; ".join(filter(None, (broken, limits if self.limits else "", *self.remarks)))


UNJUDGED = RunReason(Outcome.INCONCLUSIVE, broken=("it could not be judged",))


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """The whole run: the worst that its limits and policies allow. ``noise`` is what the
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
        """The limit that decided, whose reason is told with the run's; None where none did."""
        place = self.sentence_parts.decided_by if self.sentence_parts else None
        if place is None or not 0 <= place < len(self.thresholds):
            return None
        return self.thresholds[place]

    @property
    def word(self) -> str:
        """The outcome for people. A run that passes because its spec lets pass what cannot be
        judged, or because nothing limits it, vouches for nothing of that, and says so."""
        held = [limit.outcome is Outcome.PASS for limit in self.thresholds]
        if self.outcome is not Outcome.PASS or (held and all(held)):
            return self.outcome.value
        return PARTLY_JUDGED if any(held) else NOT_JUDGED

    @property
    def ending(self) -> str:
        """How a night ended, for who follows many: its word. A run without limits was only to be
        measured, and ended as it should."""
        return self.word if self.thresholds else self.outcome.value

    @property
    def vouches_for_nothing(self) -> bool:
        """Whether no limit was decided, whatever the spec makes of that: for what is under test
        the run says neither that it holds nor that it fails."""
        decided = (Outcome.PASS, Outcome.FAIL, Outcome.WARN)
        return not any(limit.outcome in decided for limit in self.thresholds)

    @property
    def cause(self) -> str:
        """The sentence of that limit, or nothing."""
        decisive = self.decisive
        return decisive.reason if decisive else ""

    def after(self, fault: str, exit_code: int, *, whole: bool) -> RunVerdict:
        """The verdict of a run in which this went wrong as well. One that did not get to its end
        (``whole``) has not passed."""
        outcome = self.outcome
        if not whole:
            outcome = min(outcome, Outcome.INCONCLUSIVE, key=WORST_FIRST.index)
        reason = (self.sentence_parts or UNJUDGED).after(fault)
        faults = "; ".join(dict.fromkeys(filter(None, (self.fault, fault))))
        return self.because(reason, outcome=outcome, exit_code=exit_code, fault=faults)

    def because(self, reason: RunReason, **changes: Any) -> RunVerdict:
        """The verdict with this reason, and other fields changed."""
        verdict = replace(self, sentence_parts=reason, **changes)
        word = verdict.word if reason.outcome is Outcome.PASS else reason.outcome.value
        return replace(verdict, sentence=reason.sentence(verdict.cause, word))
