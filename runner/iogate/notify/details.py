"""What a mail has beside the sentences of a notice: what moved, and what to do about it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from iogate.model.commit import is_commit
from iogate.model.notice import Event, Notice
from iogate.model.trend import Alert, Change
from iogate.model.units import format_change, format_value

_MOST_CHANGES = 8


def details_of(notice: Notice) -> tuple[str, ...]:
    """Lines, the empty ones between parts. The commands are for the host that has the history."""
    if notice.alert is None:
        return ()
    alert = notice.alert
    moved = [_moved(change) for change in alert.changes[:_MOST_CHANGES]]
    more = len(alert.changes) - len(moved)
    moved += [f"  and {more} more"] if more else []
    return ("What moved:", *moved, "", "What to do:", *_commands(notice, alert))


def _moved(change: Change) -> str:
    before, after = (format_value(level, change.unit) for level in (change.before, change.after))
    return (
        f"  {change.metric} of {change.case}: {before} -> {after}, {format_change(change.effect)}"
    )


def _commands(notice: Notice, alert: Alert) -> Iterator[str]:
    spec, host = shlex.quote(notice.spec), shlex.quote(notice.host)
    yield f"  look at it:        iogate trend {spec} --host {host}"
    if notice.event is not Event.ALERT:
        return
    good, bad = alert.last_good.commit, alert.first_bad.commit
    if good != bad and is_commit(good) and is_commit(bad):
        ends = f"--good {good[:12]} --bad {bad[:12]}"
        yield f"  find the commit:   iogate bisect SPEC {ends} -- BUILD COMMAND"
    yield f'  it is known:       iogate ack {alert.id} --reason "..." --expires 72h'
    yield f'  it is wanted:      iogate accept {alert.id} --reason "..."'
