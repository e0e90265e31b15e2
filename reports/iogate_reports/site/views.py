"""What the templates of the site show: rows of series, alerts, notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from markupsafe import Markup

from iogate.model.commit import is_commit
from iogate.model.decision import Decision
from iogate.model.hops import hops_text
from iogate.model.trend import Alert, Evidence, Marker, NightRef, Recovery, SeriesState
from iogate.model.trend import Change as LevelChange
from iogate.model.units import format_value
from iogate_reports.charts import spark
from iogate_reports.facts import changes_text
from iogate_reports.labels import Change, Word, describe_change, interval_text
from iogate_reports.site.words import STATES, alert_word, is_over
from iogate_reports.text import anchor, moment, short
from iogate_reports.trend_lines import Line, SpecTrend

MOST_CHANGES = 12


@dataclass(frozen=True, slots=True)
class SeriesRow:
    """One line of a table of series. ``gone`` is when its case was measured last, where the
    newest night of the host did not measure it; else empty."""

    word: Word
    spec: str
    case: str
    href: str
    metric: str
    host: str
    last: str
    level: str
    change: Change | None
    nights: int
    picture: Markup
    gone: str
    hops: str


_PICTURES: WeakKeyDictionary[Line, str] = WeakKeyDictionary()


def _picture(line: Line) -> str:
    """The index and the page of a spec show the same one."""
    picture = _PICTURES.get(line)
    if picture is None:
        picture = _PICTURES[line] = spark.draw(line)
    return picture


def series_row(spec: SpecTrend, line: Line, page: str) -> SeriesRow:
    """``page`` is the address of the case's page."""
    series = line.series
    return SeriesRow(
        STATES[series.state],
        short(spec.name, 60),
        short(series.case),
        f"{page}#{line.anchor}",
        short(series.metric, 60),
        short(series.host, 40),
        format_value(series.last, series.unit),
        format_value(series.level, series.unit),
        describe_change(series.change, series.better),
        len(series.values),
        Markup(_picture(line)),  # noqa: S704 - our own SVG
        gone_text(line, spec),
        hops_of(line),
    )


def hops_of(line: Line) -> str:
    """Between what it hops; empty where it does not, today."""
    series = line.series
    if series.state is not SeriesState.HOPPING or series.hopping is None:
        return ""
    return hops_text(series.hopping, series.unit)


def gone_text(line: Line, spec: SpecTrend) -> str:
    """When the case of a series was measured last, where that was not in the newest night."""
    since = spec.gone.get((line.series.case_id, line.series.machine_id))
    return "" if since is None else moment(since)


def ranked(rows: Sequence[SeriesRow]) -> list[SeriesRow]:
    """What wants a look first; else as they came."""
    return sorted(rows, key=lambda row: row.word.rank)


@dataclass(frozen=True, slots=True)
class AlertView:
    """An alert for people. ``key`` is its id, ``id`` the same as it is shown; ``effect`` is the
    interval of the change that the sentence names, ``commands`` show the revisions it may have
    come in. ``recovered`` are the nights with which it was over: the likeliest, the last before,
    the first after; or none. ``left`` says that its host is not measured as it was then any more,
    or nothing. ``href`` is its place on the page of its spec, where that is another;
    ``came_ns`` (Unix time) when it most likely came."""

    key: str
    id: str
    anchor: str
    word: Word
    sentence: str
    effect: str
    host: str
    last_good: str
    first_bad: str
    estimate: str
    nights: int
    changes: tuple[ChangeView, ...]
    more: int
    note: str
    commands: tuple[str, ...]
    recovered: tuple[str, ...]
    is_over: bool
    evidence: str
    left: str
    spec: str
    href: str
    came_ns: int


@dataclass(frozen=True, slots=True)
class ChangeView:
    """One series of an alert."""

    case: str
    metric: str
    href: str
    levels: str
    effect: str
    change: Change | None


def alert_views(
    alerts: Iterable[Alert], spec: SpecTrend, pages: dict[str, str], home: str = ""
) -> list[AlertView]:
    """In the order given; ``pages`` maps case ids to the addresses of their pages, and ``home`` is
    that of the spec's, where it is another."""
    return [_alert(alert, index, spec, pages, home) for index, alert in enumerate(alerts)]


def _alert(
    alert: Alert, index: int, spec: SpecTrend, pages: dict[str, str], home: str
) -> AlertView:
    place = anchor("alert", alert.id, index)
    anchors = {
        (m.change.case_id, m.change.metric, m.alert.id): line.anchor
        for line in spec.lines
        for m in line.moves
        if m.alert
    }
    return AlertView(
        alert.id,
        short(alert.id, 40),
        place,
        alert_word(alert),
        short(alert.sentence, 400),
        _effect(alert.changes[0]) if alert.changes else "",
        short(alert.host, 40),
        revision(alert.last_good),
        revision(alert.first_bad),
        revision(alert.estimate),
        alert.nights_since,
        tuple(_changes(alert, anchors, pages)),
        max(len(alert.changes) - MOST_CHANGES, 0),
        decision_text(alert.decision) if alert.decision else "",
        tuple(_commands(alert)),
        tuple(map(revision, _ends(alert.recovery))),
        is_over(alert),
        _evidence(alert.evidence),
        _left(alert),
        short(spec.name, 60),
        f"{home}#{place}" if home else "",
        alert.estimate.started_ns,
    )


def _evidence(evidence: Evidence | None) -> str:
    """What several series say together; empty for one."""
    if evidence is None or evidence.series < 2:
        return ""
    return (
        f"together {evidence.sigma:.1f} standard deviations, as much as"
        f" {evidence.independent:.1f} independent series would say"
    )


def _left(alert: Alert) -> str:
    """How its host was then, where it is not measured like that any more; else empty."""
    if not alert.left:
        return ""
    return f"in an environment that is not measured any more: {changes_text(alert.left)}"


def _ends(recovery: Recovery | None) -> Iterator[NightRef]:
    if recovery:
        yield from (recovery.estimate, recovery.last_bad, recovery.first_good)


def _changes(
    alert: Alert, anchors: dict[tuple[str, str, str], str], pages: dict[str, str]
) -> Iterator[ChangeView]:
    for change in alert.changes[:MOST_CHANGES]:
        place = anchors.get((change.case_id, change.metric, alert.id), "")
        page = pages.get(change.case_id, "")
        yield ChangeView(
            short(change.case),
            short(change.metric, 60),
            f"{page}#{place}" if page and place else "",
            f"{format_value(change.before, change.unit)} →"
            f" {format_value(change.after, change.unit)}",
            _effect(change),
            describe_change(change.effect, change.better, change.effect_interval),
        )


def _effect(change: LevelChange) -> str:
    """Its interval; empty where there is none."""
    return interval_text(change.effect_interval) if change.effect_interval else ""


def _commands(alert: Alert) -> Iterator[str]:
    good, bad = alert.last_good.commit, alert.first_bad.commit
    if is_commit(good) and is_commit(bad):
        yield f"git log --oneline {good[:12]}..{bad[:12]}"


def revision(night: NightRef) -> str:
    """``1b2c3d4e5f60 (2025-11-20 22:16 UTC)``."""
    name = short(night.label, 60) or short(night.commit, 80)[:12] or f"run {short(night.run, 12)}"
    return f"{name} ({moment(night.started_ns)})"


def decision_text(decision: Decision) -> str:
    """Who decided what, when, why, and until when."""
    until = f", until {moment(decision.expires_ns)}" if decision.lapses else ""
    reason = f": “{short(decision.reason, 400)}”" if decision.reason else ""
    words = {
        "ack": "acknowledged",
        "accept": "accepted as the new level",
        "confirm": "confirmed by a comparison",
        "reopen": "reopened",
    }
    who = short(decision.author, 80)
    return f"{words[decision.action.value]} by {who}, {moment(decision.at_ns)}{until}{reason}"


def marker_text(marker: Marker, spec: SpecTrend) -> tuple[str, str, str]:
    """When, which host, what changed."""
    when = moment(spec.trend.nights[marker.night].started_ns)
    return when, short(marker.host, 40), changes_text(marker.changes)
