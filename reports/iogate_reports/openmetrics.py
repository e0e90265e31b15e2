"""Trends and newest nights → OpenMetrics text, for Prometheus by the folder of a node_exporter.

All are gauges without a type or a word that the older text format of Prometheus lacks, so that a
reader of either takes it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from iogate.model.newest import has_failed
from iogate.model.run import Run
from iogate.model.trend import AlertState, SeriesTrend, Trend, Turn
from iogate_reports.text import clean

_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
_HELP = {
    "iogate_night_value": "The newest night of a series, in its unit.",
    "iogate_night_level": "The level that a series is on since it last moved, in its unit.",
    "iogate_series_state": "1 for the state that a series is in, as iogate trend says it.",
    "iogate_alerts": "Alerts of a host, by turn and state.",
    "iogate_last_night_timestamp_seconds": "When the newest night of a host began.",
    "iogate_last_night_failed": "1 where it failed a limit, or was not measured to its end.",
}
_COUNTED = (AlertState.OPEN, AlertState.SUSPECT, AlertState.ACKNOWLEDGED)
_Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Sample:
    name: str
    labels: _Labels
    value: float


def render_openmetrics(trends: Sequence[Trend], newest: Sequence[Run]) -> str:
    """Series and alerts of the trends, and when the newest night of each host was."""
    samples = [
        *(sample for trend in trends for sample in _of_trend(trend)),
        *(sample for run in newest for sample in _of_night(run)),
    ]
    lines = []
    for name, text in _HELP.items():
        lines += [f"# HELP {name} {text}", f"# TYPE {name} gauge"]
        lines += [_line(sample) for sample in samples if sample.name == name]
    return "\n".join([*lines, "# EOF", ""])


def _of_trend(trend: Trend) -> Iterator[_Sample]:
    for series in trend.series:
        labels = _labels_of(trend.spec, series)
        yield _Sample("iogate_night_value", labels, series.last)
        yield _Sample("iogate_night_level", labels, series.level)
        yield _Sample("iogate_series_state", {**labels, "state": series.state.value}, 1)
    hosts = dict.fromkeys((series.host, series.machine_id) for series in trend.series)
    for host, machine_id in hosts:
        for turn in Turn:
            for state in _COUNTED:
                count = sum(
                    (alert.machine_id, alert.turn, alert.state) == (machine_id, turn, state)
                    for alert in trend.alerts
                )
                labels = {**_host(trend.spec, host, machine_id), "turn": turn, "state": state}
                yield _Sample("iogate_alerts", labels, count)


def _of_night(run: Run) -> Iterator[_Sample]:
    labels = _host(run.plan.spec_name, run.host.name, run.host.machine_id)
    yield _Sample("iogate_last_night_timestamp_seconds", labels, run.started_ns / 1e9)
    yield _Sample("iogate_last_night_failed", labels, has_failed(run))


def _host(spec: str, host: str, machine_id: str) -> dict[str, str]:
    """``instance`` would be the exporter's own."""
    return {"spec": spec, "host": host, "machine": machine_id}


def _labels_of(spec: str, series: SeriesTrend) -> dict[str, str]:
    return {
        **_host(spec, series.host, series.machine_id),
        "environment": series.environment,
        "case": series.case,
        "metric": series.metric,
        "unit": series.unit.value,
    }


def _line(sample: _Sample) -> str:
    labels = ",".join(f'{key}="{_escaped(value)}"' for key, value in sample.labels.items())
    return f"{sample.name}{{{labels}}} {_number(sample.value)}"


def _escaped(text: str) -> str:
    return clean(text).translate(_ESCAPES)


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return repr(float(value))
