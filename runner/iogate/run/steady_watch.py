"""Looks at the rate of a device that is written until it is steady."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isinf
from typing import Protocol

from iogate.engine.base import Progress
from iogate.jobs.steady_times import ramp_s, round_length_s, window_s
from iogate.model.steady import SteadyState
from iogate.model.units import two_digits
from iogate.stats.steady import (
    LEAST_ROUNDS,
    SNIA,
    SNIA_RANGE_PERCENT,
    SNIA_ROUNDS,
    SNIA_SLOPE_PERCENT,
    SteadyRule,
    is_snia_steady,
    parse_rule,
    snia_window,
    unsteadiness,
    window_of,
)

NOTHING_WRITTEN = "nothing was written in the rounds that were judged"
_BUSY = "running"
_MOST_KEPT = 600

Round = tuple[float, float]
"""The time at which it ended, in seconds, and its mean rate."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """How the newest rounds look: ``window`` is how many of them were judged."""

    text: str
    steady: bool
    window: int
    band: tuple[float, ...] = ()


class _Judge(Protocol):
    of: str

    def look(self, rounds: Sequence[Round]) -> _Seen: ...


class SteadyWatch:
    """Looks at the rate of each second, as the options of a ``steady_state`` ask. ``steady`` is
    set once it is so for the whole window, and stays; ``text`` says how it stands."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._rule = options["steadystate"]
        self._judge: _Judge = _Snia() if self._rule == SNIA else _Fio(options)
        self._round_s = round_length_s(options)
        self._from_s = ramp_s(options)
        self._began_s = self._at_s = self._from_s
        self._sum = 0.0
        self._rounds: list[Round] = []
        self._seen = _Seen("the first round", steady=False, window=0)

    @property
    def text(self) -> str:
        return self._seen.text

    @property
    def steady(self) -> bool:
        return self._seen.steady

    def look(self, progress: Progress) -> None:
        """One status line of the engine."""
        now_s = progress.elapsed_ms / 1000
        if progress.state != _BUSY or now_s < self._from_s or self.steady:
            return
        rate = sum(getattr(each, self._judge.of) for each in progress.rates.values())
        step_s = max(now_s - self._at_s, 0.0)
        self._sum += rate * step_s
        self._at_s = now_s
        length_s = now_s - self._began_s
        if length_s + step_s / 2 >= self._round_s:  # status lines are not quite on time
            self._rounds.append((now_s, self._sum / length_s if length_s else rate))
            self._began_s, self._sum = now_s, 0.0
            self._seen = self._judge.look(self._rounds)

    def found(self) -> SteadyState | None:
        """What was seen; None where there was no whole round."""
        rates = [rate for _, rate in self._rounds]
        if not self._seen.window:
            return None
        window = window_of(rates[-self._seen.window :])
        each = -(-len(rates) // _MOST_KEPT)
        return SteadyState(
            rule=self._rule,
            of=self._judge.of,
            round_s=self._round_s * each,
            rounds=_thinned(rates, each),
            window=max(self._seen.window // each, 1),
            found=self.text,
            mean=window.mean,
            band=self._seen.band,
            line=(window.first, window.last),
        )


class _Snia:
    """Five rounds, their range and the slope of the line through them."""

    of = "iops"

    def look(self, rounds: Sequence[Round]) -> _Seen:
        rates = [rate for _, rate in rounds]
        window = snia_window(rates)
        if window is None:
            return _early(rounds, SNIA_ROUNDS)
        text = (
            f"iops range {window.range_percent:.3g} % of {SNIA_RANGE_PERCENT:g} %, slope "
            f"{window.slope_percent:.3g} % of {SNIA_SLOPE_PERCENT:g} % in {len(rates)} rounds"
        )
        if window.mean <= 0:
            text = NOTHING_WRITTEN
        half = window.mean * SNIA_RANGE_PERCENT / 200
        band = (window.mean - half, window.mean + half)
        return _Seen(text, is_snia_steady(window), SNIA_ROUNDS, band)


class _Fio:
    """A rolling window of time, and fio's rules."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._rule = parse_rule(options["steadystate"])
        self._window_s = window_s(options)
        self._slack_s = 1.5 * round_length_s(options)
        self.of = self._rule.of

    def look(self, rounds: Sequence[Round]) -> _Seen:
        rule, now_s = self._rule, rounds[-1][0]
        window = _since(rounds, now_s - self._window_s)
        if len(window) < LEAST_ROUNDS:
            return _early(rounds, LEAST_ROUNDS)
        distance = unsteadiness(window, rule)
        unit = " %" if rule.relative else ""
        what = f"{rule.of}{' slope' if rule.slope else ' deviation'}"
        text = f"{what} {two_digits(distance)}{unit} of {rule.limit:g}{unit}"
        if isinf(distance):
            text = NOTHING_WRITTEN
        whole = now_s - window[0][0] >= self._window_s - self._slack_s
        return _Seen(text, whole and distance < rule.limit, len(window), _band(window, rule))


def _early(rounds: Sequence[Round], least: int) -> _Seen:
    """How rounds look that are too few to judge."""
    return _Seen(f"round {len(rounds)} of at least {least}", False, len(rounds))


def _since(rounds: Sequence[Round], from_s: float) -> Sequence[Round]:
    """The rounds that ended at ``from_s`` or later; looked for from the end."""
    first = len(rounds)
    while first > 0 and rounds[first - 1][0] >= from_s:
        first -= 1
    return rounds[first:]


def _band(window: Sequence[Round], rule: SteadyRule) -> tuple[float, ...]:
    """The rates that a largest deviation allows; a slope allows any."""
    if rule.slope:
        return ()
    mean = sum(rate for _, rate in window) / len(window)
    reach = mean * rule.limit / 100 if rule.relative else rule.limit
    return mean - reach, mean + reach


def _thinned(rates: Sequence[float], each: int) -> tuple[float, ...]:
    """Means of so many at a time, the newest whole."""
    head = len(rates) % each
    starts = [0, *range(head, len(rates), each)] if head else list(range(0, len(rates), each))
    ends = [*starts[1:], len(rates)]
    return tuple(sum(rates[a:b]) / (b - a) for a, b in zip(starts, ends, strict=True))
