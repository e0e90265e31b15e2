"""Time series thin out by age; metrics, histograms, verdicts and reasons stay for ever.

A policy is steps, written ``30d:10s,90d:60s,365d:none``: the series of a repetition that is
older than 30 days keeps intervals of 10 s, and so on. Nothing is thinned but by ``prune``: a
policy that was configured in a history is applied when a run ends there, once a day.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby, pairwise

from iogate.errors import UsageError
from iogate.files.bounded import parse_json
from iogate.model.histogram import Histogram
from iogate.model.measurement import Interval, Measurement, Series
from iogate.model.run import Run
from iogate.store.base import Store

SETTING = "retention"
_DONE = "retention.done"
_DAY_NS = 86_400 * 10**9
_AGAIN_NS = _DAY_NS * 5 // 6
_BELIEVED_NS = 30 * _DAY_NS
_STEP = re.compile(r"(\d{1,5})d:(?:(\d{1,5})s|none)")
_EXAMPLE = "write steps as 30d:10s,90d:60s,365d:none, the youngest first"


@dataclass(frozen=True, slots=True)
class Step:
    """What is left of a series that is older than ``after_ns``: intervals of ``interval_ms``,
    or nothing (None)."""

    after_ns: int
    interval_ms: int | None


@dataclass(frozen=True, slots=True)
class Thinned:
    """A repetition whose series go, or went, from so many intervals to fewer."""

    run_id: str
    started_ns: int
    case_id: str
    repetition: int
    before: int
    after: int


def parse_policy(text: str) -> tuple[Step, ...]:
    """The steps of a policy, youngest first. UsageError for what is none, or where an older
    step would keep more than a younger one."""
    steps = []
    for part in text.replace(" ", "").split(","):
        match = _STEP.fullmatch(part)
        if not match:
            raise UsageError(f"{part!r} is not a step of a retention policy", remedy=_EXAMPLE)
        seconds = int(match[2]) if match[2] else None
        if seconds == 0:
            raise UsageError(f"{part!r} keeps intervals of 0 s", remedy=_EXAMPLE)
        steps.append(Step(int(match[1]) * _DAY_NS, seconds and seconds * 1000))
    for younger, older in pairwise(steps):
        wider = older.interval_ms is None or (younger.interval_ms or 0) < older.interval_ms
        if younger.after_ns >= older.after_ns or younger.interval_ms is None or not wider:
            raise UsageError(
                f"{text!r}: each step has to be of older series and keep less", remedy=_EXAMPLE
            )
    return tuple(steps)


def thin(series: Series, interval_ms: int | None) -> Series | None:
    """The series in intervals of ``interval_ms``: counts are added, histograms merged. One
    that is as coarse already stays; None for none."""
    if interval_ms is None or not series.intervals:
        return None
    if series.interval_ms >= interval_ms:
        return series
    groups = groupby(series.intervals, key=lambda each: -(-each.end_ms // interval_ms))
    return Series(interval_ms, tuple(_joined(list(group)) for _, group in groups))


def prune(
    store: Store, policy: Sequence[Step], *, now_ns: int, dry_run: bool = False, since_ns: int = 0
) -> Iterator[Thinned]:
    """Thin what the policy says, newest run first; ``dry_run`` only tells. ``since_ns`` is when
    the same policy was last applied: runs that were due by then are passed over."""
    for run in store.runs(verdicts=False):
        step = _due(policy, now_ns - run.started_ns)
        if step and step is not _due(policy, since_ns - run.started_ns):
            yield from _prune_run(store, store.run(run.id), step, dry_run=dry_run)


def apply_policy(store: Store, *, now_ns: int) -> int:
    """Do what the policy of a history says, unless that was done in the last day; the answer
    is how many repetitions were thinned. A history without a policy keeps everything. A clock
    may have jumped: see ``_believed``, and what was done in the future was not."""
    text = store.setting(SETTING)
    if text is None:
        return 0
    now_ns = _believed(store, now_ns)
    done_policy, done_ns = _last_done(store.setting(_DONE))
    since_ns = done_ns if done_policy == text and done_ns <= now_ns else 0
    if now_ns - since_ns < _AGAIN_NS:
        return 0
    count = sum(1 for _ in prune(store, parse_policy(text), now_ns=now_ns, since_ns=since_ns))
    store.set_setting(_DONE, json.dumps({"policy": text, "at_ns": now_ns}))
    return count


def _believed(store: Store, now_ns: int) -> int:
    """The time, as far as a history has it from two runs: what one alone says is believed up to
    30 days after the other."""
    others = store.runs(limit=2)[1:]
    return min(now_ns, max((run.started_ns for run in others), default=0) + _BELIEVED_NS)


def _last_done(text: str | None) -> tuple[str, int]:
    """The policy that was last applied, and when; nothing where that cannot be read."""
    with suppress(ValueError, TypeError, KeyError):
        done = parse_json(text or "")
        return str(done["policy"]), int(done["at_ns"])
    return "", 0


def _due(policy: Sequence[Step], age_ns: int) -> Step | None:
    """The last step that a series of this age has reached."""
    return next((step for step in reversed(policy) if age_ns > step.after_ns), None)


def _prune_run(store: Store, run: Run, step: Step, *, dry_run: bool) -> Iterator[Thinned]:
    for measurement in run.measurements:
        series = [job.series and thin(job.series, step.interval_ms) for job in measurement.jobs]
        before, after = _length(measurement), sum(len(s.intervals) for s in series if s)
        if before == after:
            continue
        if not dry_run:
            store.replace_series(run.id, measurement.case_id, measurement.repetition, series)
        place = measurement.case_id, measurement.repetition
        yield Thinned(run.id, run.started_ns, *place, before, after)


def _length(measurement: Measurement) -> int:
    return sum(len(job.series.intervals) for job in measurement.jobs if job.series)


def _joined(parts: Sequence[Interval]) -> Interval:
    return Interval(
        end_ms=parts[-1].end_ms,
        ios=_sums([part.ios for part in parts]),
        bytes=_sums([part.bytes for part in parts]),
        clat_sum_ns=_sums([part.clat_sum_ns for part in parts]),
        histograms={
            name: Histogram.merged(p.histograms[name] for p in parts if name in p.histograms)
            for name in dict.fromkeys(name for part in parts for name in part.histograms)
        },
    )


def _sums(parts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: sum(part.get(name, 0) for part in parts) for name in names}
