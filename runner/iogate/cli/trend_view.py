"""A trend as text: one line a series, then what has to be looked at."""

from __future__ import annotations

import shlex
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase

import click

from iogate.cli.table import counted, defused, printable, table
from iogate.environments import left_reason
from iogate.history.trends import is_pattern
from iogate.metrics import metric
from iogate.model.commit import is_commit
from iogate.model.decision import Decision
from iogate.model.hops import hops_text
from iogate.model.spec import DefinedMetric
from iogate.model.trend import (
    Alert,
    AlertState,
    Change,
    Evidence,
    Marker,
    NightRef,
    SeriesState,
    SeriesTrend,
    Trend,
    Turn,
)
from iogate.model.units import format_change, format_value
from iogate.model.verdict import NOT_JUDGED, PARTLY_JUDGED

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 32
_HEAD = ("case", "metric", "nights", "last", "level", "change", "state", "trend")
_RIGHT = (2, 3, 4, 5)
_COLOURS = {
    "regressed": "red",
    "open": "red",
    "suspect": "yellow",
    "improved": "green",
    "acknowledged": "cyan",
}
_LAST = {
    "fail": ", when a limit failed",
    "failed": ", which was not measured to its end",
    "inconclusive": ", which was inconclusive",
    "missing-baseline": ", which had no baseline",
    NOT_JUDGED: ", which judged nothing",
    PARTLY_JUDGED: ", which was judged in part",
    "warn": ", which ended with a warning",
}
OVER = frozenset((AlertState.ACCEPTED, AlertState.RECOVERED, AlertState.CLOSED))
_MOST_CHANGES = 8
_MOST_OVER = 10
_MOST_HOPS = 12
_MOST_MARKERS = 6
_GONE_NIGHTS = 7


def narrowed(trend: Trend, cases: Sequence[str]) -> Trend:
    """Only the cases whose name matches, or whose id begins like one of the patterns."""
    if not cases:
        return trend

    def shown(name: str, case_id: str) -> bool:
        return any(fnmatchcase(name, glob) or case_id.startswith(glob) for glob in cases)

    return replace(
        trend,
        series=tuple(s for s in trend.series if shown(s.case, s.case_id)),
        alerts=tuple(a for a in trend.alerts if any(shown(c.case, c.case_id) for c in a.changes)),
    )


def valueless(
    trend: Trend, metrics: Sequence[str], defined: tuple[DefinedMetric, ...]
) -> Iterator[str]:
    """Which of the metrics that are asked for by name no night has, though there are nights."""
    kept = {series.metric for series in trend.series}
    for name in metrics if kept else ():
        if not is_pattern(name) and metric(name, defined).path not in kept:
            yield name


def text_of(trend: Trend, spec: str, asked: Sequence[str] = ()) -> str:
    """The whole page. ``spec`` is the file to give to the commands that it names, ``asked`` the
    options without which they would not know its alerts."""
    if not trend.series:
        return _nothing(trend)
    shown = [alert.decision for alert in trend.alerts if alert.decision]
    hosts = {series.machine_id: series.host for series in trend.series}
    accepted = [
        _accepted(decision, hosts[decision.machine_id])
        for decision in trend.accepted
        if decision not in shown and decision.machine_id in hosts
    ]
    over = [alert for alert in trend.alerts if alert.state in OVER]
    parts = [*_tables(trend), *_hops(trend), *_markers(trend), *accepted]
    unit = trend.counted_in
    parts += [
        _alert(alert, spec, unit, asked) for alert in trend.alerts if alert.state not in OVER
    ] or [_calm(trend, is_first=not over)]
    parts += [_alert(alert, spec, unit, asked) for alert in over[:_MOST_OVER]]
    if len(over) > _MOST_OVER:
        parts.append(f"{counted(len(over) - _MOST_OVER, 'older alert')} that are over: see --json")
    return "\n\n".join(defused(part) for part in parts)


def _nothing(trend: Trend) -> str:
    """What is said where no line can be drawn."""
    if not trend.nights:
        return "no nights of this are kept here yet: measure with 'iogate run SPEC'"
    return (
        f"{counted(len(trend.nights), 'run')} kept, none with a value to follow: what they measured"
        f" was disturbed, thin or failed; see 'iogate history show {trend.nights[-1].run[:12]}'"
    )


def _calm(trend: Trend, *, is_first: bool) -> str:
    """What is said where no alert is left: no more than the series can tell."""
    text = "no alerts" if is_first else "no alerts but those that are over"
    few = sum(series.state is SeriesState.SHORT for series in trend.series)
    if not few:
        return text
    which = "every series has" if few == len(trend.series) else f"{few} of {len(trend.series)} have"
    return f"{text}; {which} too few {trend.counted_in}s to tell a change from noise"


def sparkline(values: Sequence[float], width: int = WIDTH) -> str:
    """The last values as bars between their lowest and highest."""
    shown = values[-width:]
    low, high = min(shown), max(shown)
    if not low < high:
        return BARS[3] * len(shown)
    unit = high / 2 - low / 2  # of finite values, and finite itself
    return "".join(BARS[min(int((v / 2 - low / 2) / unit * len(BARS)), 7)] for v in shown)


def _tables(trend: Trend) -> Iterator[str]:
    names = Counter(case for case, _ in {(s.case, s.case_id) for s in trend.series})
    twice = {case for case, count in names.items() if count > 1}
    streams = dict.fromkeys((s.host, s.machine_id, s.environment) for s in trend.series)
    for host, machine_id, environment in streams:
        series = [
            s for s in trend.series if (s.machine_id, s.environment) == (machine_id, environment)
        ]
        last = trend.nights[max(s.nights[-1] for s in series)]
        title = (
            f"{trend.spec} on {host}, environment {environment},"
            f" last {trend.counted_in} {_when(last)}{_LAST.get(last.ended, '')}"
        )
        measured = sorted({index for s in series for index in s.nights})
        rows = [_row(s, _case(s, twice), _ended(s, measured, trend.nights)) for s in series]
        head = ("case", "metric", f"{trend.counted_in}s", *_HEAD[3:])
        lines = table(head, rows, right=_RIGHT)
        yield f"{printable(title)}\n{_coloured(lines)}"


def _case(series: SeriesTrend, twice: Container[str]) -> str:
    """With its id where another case has the same name, as after a change of its options."""
    return f"{series.case} ({series.case_id[:8]})" if series.case in twice else series.case


def _ended(series: SeriesTrend, measured: Sequence[int], nights: Sequence[NightRef]) -> str:
    """When its last night was, where the host has measured others for a week of nights since;
    ``measured`` are all of the host's nights, ascending."""
    last = series.nights[-1]
    is_gone = len(measured) - bisect_right(measured, last) >= _GONE_NIGHTS
    return f" until {_when(nights[last])[:10]}" if is_gone else ""


def _row(series: SeriesTrend, case: str, ended: str) -> tuple[str, ...]:
    return (
        case,
        series.metric,
        str(len(series.values) - series.start),
        format_value(series.last, series.unit),
        format_value(series.level, series.unit),
        format_change(series.change) if series.change is not None else "",
        f"{series.state} {series.alert}".rstrip() + ended,
        sparkline(series.values),
    )


def _coloured(lines: str) -> str:
    """Lines in the colour of their state, on a terminal."""
    if not sys.stdout.isatty():
        return lines
    coloured = []
    for line in lines.split("\n"):
        colour = next((c for state, c in _COLOURS.items() if f"  {state} " in line), None)
        coloured.append(click.style(line, fg=colour) if colour else line)
    return "\n".join(coloured)


def _alert(alert: Alert, spec: str, unit: str, asked: Sequence[str]) -> str:
    good, bad = _revision(alert.last_good), _revision(alert.first_bad)
    likely, since = _revision(alert.estimate), counted(alert.nights_since, unit)
    lines = [
        f"{alert.id}  {state_word(alert)}  {alert.sentence}",
        f"  after {good}, up to {bad}; most likely {likely}; {since} since",
    ]
    if alert.recovery:
        last, first = _revision(alert.recovery.last_bad), _revision(alert.recovery.first_good)
        lines.append(f"  {state_word(alert)} after {last}, up to {first}")
    if alert.left:
        lines.append(f"  {left_text(alert)}")
    if alert.evidence and alert.evidence.series > 1:
        lines.append(f"  {_evidence(alert.evidence)}")
    lines += [f"  {_change(change)}" for change in alert.changes[:_MOST_CHANGES]]
    if len(alert.changes) > _MOST_CHANGES:
        lines.append(f"  and {len(alert.changes) - _MOST_CHANGES} more")
    if alert.decision:
        lines.append(f"  {_decision(alert.decision)}")
    if step := next_step(alert, spec, asked):
        lines.append(f"  {step}")
    return "\n".join(printable(line) for line in lines)


def left_text(alert: Alert) -> str:
    """Where no night will tell more of it: what the host was then, and what is left to do."""
    wants = "; it stays until it is acknowledged or accepted" if alert.wants_decision else ""
    return f"{left_reason(alert.left)}{wants}"


def state_word(alert: Alert) -> str:
    """Its state; an improvement that is over did not recover."""
    is_over = alert.state is AlertState.RECOVERED and alert.turn is Turn.IMPROVEMENT
    return "ended" if is_over else alert.state.value


def next_step(alert: Alert, spec: str, asked: Sequence[str] = ()) -> str:
    """The command that tells more of an alert: whether a suspect is one, or what brought a
    regression. Empty where the revisions cannot be had, or where it is only one."""
    good, bad = alert.last_good.commit, alert.first_bad.commit
    known = is_commit(good) and is_commit(bad) and good != bad
    if alert.turn is not Turn.REGRESSION or not known:
        return ""
    name = shlex.quote(spec)
    if alert.state is AlertState.SUSPECT:
        words = " ".join((name, alert.id, *map(shlex.quote, asked)))
        return f"confirm it now: iogate trend confirm {words} -- BUILD COMMAND"
    if alert.state is not AlertState.OPEN:
        return ""
    worst = alert.changes[0]
    case = shlex.quote(worst.case)
    return (
        f"find what brought it: iogate bisect {name} --good {good[:12]} --bad {bad[:12]}"
        f" --case {case} --metric {worst.metric} -- BUILD COMMAND"
    )


def _change(change: Change) -> str:
    levels = (
        f"{format_value(change.before, change.unit)} → {format_value(change.after, change.unit)}"
    )
    text = f"{change.case}  {change.metric}  {levels}"
    if change.effect is not None and change.effect_interval is not None:
        span = change.effect_interval
        text += (
            f"  {format_change(change.effect)} "
            f"({format_change(span.low)} … {format_change(span.high)})"
        )
    return f"{text}  {change.turn.value}{_end(change)}"


def _evidence(evidence: Evidence) -> str:
    return (
        f"evidence of {evidence.series} series together: {evidence.sigma:.1f} sd, as much as"
        f" {evidence.independent:.1f} independent ones"
    )


def _end(change: Change) -> str:
    return ", accepted" if change.accepted else ", over" if change.closed else ""


def _accepted(decision: Decision, host: str) -> str:
    return printable(f"accepted {decision.alert} on {host}: {_decision(decision)}")


def _decision(decision: Decision) -> str:
    until = f", until {_day(decision.expires_ns)}" if decision.lapses else ""
    reason = f": {decision.reason}" if decision.reason else ""
    return f"{decision.action} by {decision.author}, {_day(decision.at_ns)}{until}{reason}"


def _hops(trend: Trend) -> Iterator[str]:
    """The series that hop, a line each."""
    lines = [
        printable(f"{each.case}  {each.metric}  {hops_text(each.hopping, each.unit)}")
        for each in trend.series
        if each.hopping and each.state is SeriesState.HOPPING
    ]
    if lines:
        left = len(lines) - _MOST_HOPS
        more = [f"and {left} more that hop"] if left > 0 else []
        yield "\n".join((*lines[:_MOST_HOPS], *more))


def _markers(trend: Trend) -> Iterator[str]:
    shown = trend.markers[-_MOST_MARKERS:]
    if shown:
        yield "\n".join(printable(_marker(marker, trend.nights)) for marker in shown)


def _marker(marker: Marker, nights: Sequence[NightRef]) -> str:
    facts = "; ".join(f"{c.fact} {c.before or '–'} → {c.after or '–'}" for c in marker.changes[:4])
    more = len(marker.changes) - 4
    also = f"; and {more} more" if more > 0 else ""
    return f"{_when(nights[marker.night])}  {marker.host} changed: {facts}{also}"


def _revision(night: NightRef) -> str:
    name = night.label or night.commit[:12] or f"run {night.run[:12]}"
    return f"{name} ({_when(night)})"


def _when(night: NightRef) -> str:
    return _day(night.started_ns)


def _day(time_ns: int) -> str:
    """In the reader's own time zone."""
    return f"{datetime.fromtimestamp(time_ns / 1e9, tz=UTC).astimezone():%Y-%m-%d %H:%M}"
