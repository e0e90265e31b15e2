"""What there is to tell of a trend, and of the newest night of each host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from iogate.environments import left_reason
from iogate.model.newest import has_failed, newest_nights
from iogate.model.notice import Event, Notice
from iogate.model.run import Run
from iogate.model.trend import Alert, AlertState, NightRef, Trend, Turn
from iogate.model.units import format_change
from iogate.notify.base import News, one_line

_TITLE_LENGTH = 200
_STATES = {AlertState.OPEN: Event.ALERT, AlertState.RECOVERED: Event.RECOVERED}


def notices_of(
    spec: str, trend: Trend | None, runs: Sequence[Run], *, link: str = "", now_ns: int
) -> Iterator[Notice]:
    """Of a spec: the regressions that are open or over, and the hosts whose newest night failed.
    ``runs`` are its own, newest first; it has no trend before its first night. A trend has the
    nights of every spec that measures the same: a host that this one never measured is theirs."""
    own = {run.host.machine_id for run in runs}
    for alert in trend.alerts if trend else ():
        told = alert.turn is Turn.REGRESSION and alert.state in _STATES
        if told and alert.machine_id in own:
            yield _of_alert(spec, alert, link, now_ns)
    for run in newest_nights(runs):
        if has_failed(run):
            yield _of_night(run, link, now_ns)


def news_of(notice: Notice, measured_by: Mapping[str, Sequence[str]]) -> News:
    """``measured_by`` are the names of the specs that have a case, by its id: specs that measure
    the same, as one that was given another name, have the same alerts."""
    changes = notice.alert.changes if notice.alert else ()
    specs = {name for each in changes for name in measured_by.get(each.case_id, ())}
    return News(notice, tuple(sorted({notice.spec, *specs})))


def each_once(all_news: Iterable[News]) -> list[News]:
    """Of an alert that several specs have the first."""
    found: dict[tuple[str, str], News] = {}
    for news in all_news:
        alert, night = news.notice.alert, news.notice.night
        about = alert.id if alert else night.run if night else ""
        found.setdefault((news.notice.machine_id, about), news)
    return list(found.values())


def trial(host: str, *, link: str = "", now_ns: int) -> Notice:
    """What tells whether notices arrive."""
    text = "Somebody asked whether notices of iogate arrive. They do."
    title = f"a test from {one_line(host)}"
    return Notice(Event.TEST, "", one_line(host), "", title, text, now_ns, link)


def _of_alert(spec: str, alert: Alert, link: str, now_ns: int) -> Notice:
    event = _STATES[alert.state]
    word = "regression" if event is Event.ALERT else "regression is over"
    worst = alert.changes[0]
    size = f"{worst.metric} {format_change(worst.effect)}, {word}"
    title = f"{spec} on {alert.host}: {size} ({alert.id})"
    after, by = _night(alert.last_good), _night(alert.first_bad)
    text = f"{alert.sentence}. It came after {after}, by {by} at the latest."
    if alert.recovery is not None:
        text += f" It was over by {_night(alert.recovery.first_good)}."
    if alert.left:
        text += f" It is {left_reason(alert.left)}."
    return Notice(
        event,
        one_line(spec),
        one_line(alert.host),
        alert.machine_id,
        one_line(title)[:_TITLE_LENGTH],
        one_line(text),
        now_ns,
        link,
        alert=alert,
    )


def _of_night(run: Run, link: str, now_ns: int) -> Notice:
    ended = run.verdict.outcome.value if run.verdict else run.status.value
    night = NightRef(
        run.id,
        run.started_ns,
        run.revision.commit,
        run.revision.label,
        run.revision.branch,
        ended,
    )
    spec, host = run.plan.spec_name, run.host.name
    sentence = run.verdict.sentence if run.verdict else f"it was {run.status.value}, and not judged"
    return Notice(
        Event.NIGHT,
        one_line(spec),
        one_line(host),
        run.host.machine_id,
        one_line(f"{spec} on {host}: {_night(night)} failed")[:_TITLE_LENGTH],
        one_line(f"{sentence}. iogate report {run.id[:12]} has the rest."),
        now_ns,
        link,
        night=night,
    )


def _night(night: NightRef) -> str:
    """``the night of 2026-11-20 (3f2a9c1)``."""
    day = datetime.fromtimestamp(night.started_ns / 1e9, UTC).strftime("%Y-%m-%d")
    which = night.label or night.commit[:10]
    return f"the night of {day} ({which})" if which else f"the night of {day}"
