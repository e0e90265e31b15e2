"""A trend as text: one line a series, then what has to be looked at."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase

import click

from iogate.cli.table import counted, defused, printable, table
from iogate.history.trends import is_pattern
from iogate.metrics import metric
from iogate.model.decision import FOREVER, Decision
from iogate.model.spec import DefinedMetric
from iogate.model.trend import Alert, AlertState, Change, Marker, NightRef, SeriesTrend, Trend, Turn
from iogate.model.units import format_change, format_value

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
_MOST_CHANGES = 8
_MOST_MARKERS = 6


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


def text_of(trend: Trend, spec: str) -> str:
    """The whole page. ``spec`` is the file to give to the commands that it names."""
    if not trend.series:
        return "no nights of this are kept here yet: measure with 'iogate run SPEC'"
    parts = [*_tables(trend), *_markers(trend), *map(_accepted, trend.accepted)]
    shown = [alert for alert in trend.alerts if alert.state is not AlertState.CLOSED]
    parts += [_alert(alert, spec) for alert in shown] or ["no alerts"]
    closed = len(trend.alerts) - len(shown)
    if closed:
        parts.append(f"{counted(closed, 'alert')} closed: the level before is back")
    return "\n\n".join(defused(part) for part in parts)


def sparkline(values: Sequence[float], width: int = WIDTH) -> str:
    """The last values as bars between their lowest and highest."""
    shown = values[-width:]
    low, high = min(shown), max(shown)
    if not low < high:
        return BARS[3] * len(shown)
    unit = high / 2 - low / 2  # of finite values, and finite itself
    return "".join(BARS[min(int((v / 2 - low / 2) / unit * len(BARS)), 7)] for v in shown)


def _tables(trend: Trend) -> Iterator[str]:
    streams = dict.fromkeys((s.host, s.machine_id, s.environment) for s in trend.series)
    for host, machine_id, environment in streams:
        series = [
            s for s in trend.series if (s.machine_id, s.environment) == (machine_id, environment)
        ]
        last = trend.nights[max(s.nights[-1] for s in series)]
        title = f"{trend.spec} on {host}, environment {environment}, last night {_when(last)}"
        lines = table(_HEAD, [_row(s) for s in series], right=_RIGHT)
        yield f"{printable(title)}\n{_coloured(lines)}"


def _row(series: SeriesTrend) -> tuple[str, ...]:
    return (
        series.case,
        series.metric,
        str(len(series.values) - series.start),
        format_value(series.last, series.unit),
        format_value(series.level, series.unit),
        format_change(series.change) if series.change is not None else "",
        f"{series.state} {series.alert}".rstrip(),
        sparkline(series.values),
    )


def _coloured(lines: str) -> str:
    """Lines in the colour of their state, on a terminal."""
    if not sys.stdout.isatty():
        return lines
    found = []
    for line in lines.split("\n"):
        colour = next((c for state, c in _COLOURS.items() if f"  {state} " in line), None)
        found.append(click.style(line, fg=colour) if colour else line)
    return "\n".join(found)


def _alert(alert: Alert, spec: str) -> str:
    good, bad = _revision(alert.last_good), _revision(alert.first_bad)
    likely, since = _revision(alert.estimate), counted(alert.nights_since, "night")
    lines = [
        f"{alert.id}  {alert.state.value}  {alert.sentence}",
        f"  after {good}, up to {bad}; most likely {likely}; {since} since",
    ]
    lines += [f"  {_change(change)}" for change in alert.changes[:_MOST_CHANGES]]
    if len(alert.changes) > _MOST_CHANGES:
        lines.append(f"  and {len(alert.changes) - _MOST_CHANGES} more")
    if alert.decision:
        lines.append(f"  {_decision(alert.decision)}")
    if step := next_step(alert, spec):
        lines.append(f"  {step}")
    return "\n".join(printable(line) for line in lines)


def next_step(alert: Alert, spec: str) -> str:
    """The command that tells more of an alert: whether a suspect is one, or what brought a
    regression. Empty where the revisions cannot be had, or where it is only one."""
    good, bad = alert.last_good.commit, alert.first_bad.commit
    if alert.turn is not Turn.REGRESSION or not good or not bad or good == bad:
        return ""
    name = shlex.quote(spec)
    if alert.state is AlertState.SUSPECT:
        return f"confirm it now: iogate trend confirm {name} {alert.id} -- BUILD COMMAND"
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
    return f"{text}  {change.turn.value}{', over' if change.closed else ''}"


def _accepted(decision: Decision) -> str:
    return printable(f"accepted {decision.alert}: {_decision(decision)}")


def _decision(decision: Decision) -> str:
    until = "" if decision.expires_ns == FOREVER else f", until {_day(decision.expires_ns)}"
    reason = f": {decision.reason}" if decision.reason else ""
    return f"{decision.action} by {decision.author}, {_day(decision.at_ns)}{until}{reason}"


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
