"""What there is to tell of a trend, and of the newest night of each host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from unicodedata import category

from iogate.model.newest import has_failed, newest_nights
from iogate.model.notice import Event, Notice
from iogate.model.run import Run
from iogate.model.trend import Alert, AlertState, NightRef, Trend, Turn

_TITLE_LENGTH = 200
_STATES = {AlertState.OPEN: Event.ALERT, AlertState.RECOVERED: Event.RECOVERED}


def notices_of(
    spec: str, trend: Trend | None, runs: Sequence[Run], *, link: str = "", now_ns: int
) -> Iterator[Notice]:
    """Of a spec: the regressions that are open or over, and the hosts whose newest night failed.
    ``runs`` are its own, newest first; it has no trend before its first night."""
    for alert in trend.alerts if trend else ():
        if alert.turn is Turn.REGRESSION and alert.state in _STATES:
            yield _of_alert(spec, alert, link, now_ns)
    for run in newest_nights(runs):
        if has_failed(run):
            yield _of_night(run, link, now_ns)


def trial(host: str, *, link: str = "", now_ns: int) -> Notice:
    """What tells whether notices arrive."""
    text = "Somebody asked whether notices of iogate arrive. They do."
    title = f"a test from {_line(host)}"
    return Notice(Event.TEST, "", _line(host), "", title, text, now_ns, link)


def _of_alert(spec: str, alert: Alert, link: str, now_ns: int) -> Notice:
    event = _STATES[alert.state]
    word = "regression" if event is Event.ALERT else "regression is over"
    title = f"{spec} on {alert.host}: {word} ({alert.id})"
    after, by = _night(alert.last_good), _night(alert.first_bad)
    text = f"{alert.sentence}. It came after {after}, by {by} at the latest."
    if alert.recovery is not None:
        text += f" It was over by {_night(alert.recovery.first_good)}."
    return Notice(
        event,
        _line(spec),
        _line(alert.host),
        alert.machine_id,
        _line(title)[:_TITLE_LENGTH],
        _line(text),
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
        _line(spec),
        _line(host),
        run.host.machine_id,
        _line(f"{spec} on {host}: {_night(night)} failed")[:_TITLE_LENGTH],
        _line(f"{sentence}. iogate report {run.id} has the rest."),
        now_ns,
        link,
        night=night,
    )


def _night(night: NightRef) -> str:
    """``the night of 2026-11-20 (3f2a9c1)``."""
    day = datetime.fromtimestamp(night.started_ns / 1e9, UTC).strftime("%Y-%m-%d")
    which = night.label or night.commit[:10]
    return f"the night of {day} ({which})" if which else f"the night of {day}"


def _line(text: str) -> str:
    """One line without control characters: names come from specs."""
    return "".join(c if category(c)[0] != "C" else "\ufffd" for c in text)
